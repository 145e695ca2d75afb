#include "engine/emulator/cubin/merged_shared_note.h"

#include <fmt/format.h>

namespace sweep {
namespace {

unsigned widest(const WidthCount& count) {
  unsigned result = 0;
  for (const unsigned width : WidthCount::widths) {
    if (count.of(width) > 0) result = width;
  }
  return result;
}

/// Whether some accesses became fewer and some wider ones more.
bool moved_to_wider(const WidthCount& ptx, const WidthCount& machine_code) {
  bool fewer = false;
  for (const unsigned width : WidthCount::widths) {
    if (fewer && machine_code.of(width) > ptx.of(width)) return true;
    fewer = fewer || machine_code.of(width) < ptx.of(width);
  }
  return false;
}

/// "4 of 4 bytes and 1 of 16"
std::string by_width(const WidthCount& count) {
  std::string result;
  for (const unsigned width : WidthCount::widths) {
    if (count.of(width) == 0) continue;
    result += result.empty()
                  ? fmt::format("{} of {} byte{}", count.of(width), width, width == 1 ? "" : "s")
                  : fmt::format(" and {} of {}", count.of(width), width);
  }
  return result;
}

/// "loads: 8 in the PTX, 4 in the machine code"; empty when none were merged.
std::string merged(const char* what, const WidthCount& ptx, const WidthCount& machine_code) {
  if (ptx.total() == 0) return {};
  if (machine_code.total() < ptx.total()) {
    return fmt::format("{}: {} in the PTX, {} in the machine code", what, ptx.total(),
                       machine_code.total());
  }
  if (widest(machine_code) > widest(ptx) || moved_to_wider(ptx, machine_code)) {
    return fmt::format("{}: {} in the PTX, {} in the machine code", what, by_width(ptx),
                       by_width(machine_code));
  }
  return {};
}

}  // namespace

std::string merged_shared_note(const MemoryInstructionCount& ptx,
                               const MemoryInstructionCount& machine_code) {
  const std::string loads = merged("loads", ptx.shared_loads, machine_code.shared_loads);
  const std::string stores = merged("stores", ptx.shared_stores, machine_code.shared_stores);
  if (loads.empty() && stores.empty()) return {};
  const char* between = loads.empty() || stores.empty() ? "" : "; ";
  return fmt::format("ptxas merged shared-memory {}{}{}; wavefront counts are an upper bound",
                     loads, between, stores);
}

}  // namespace sweep
