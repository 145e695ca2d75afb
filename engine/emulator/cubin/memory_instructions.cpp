#include "engine/emulator/cubin/memory_instructions.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "engine/emulator/cubin/elf_image.h"

namespace sweep {
namespace {

constexpr std::uint16_t cuda_machine = 190;  // EM_CUDA

constexpr std::array known_capabilities = {75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121};

/// The architecture in the file's flags: bits 8 to 15 in version 8 of CUDA's ELF ABI (CUDA 13), 0
/// to 7 in those before (LLVM's BinaryFormat/ELF.h).
int compute_capability_of(const ElfImage& image) {
  const std::uint32_t flags = image.abi_version() >= 8 ? image.flags() >> 8 : image.flags();
  return static_cast<int>(flags & 0xff);
}

/// The value that a record of `.nv.info` gives for a function: records are a format, an attribute,
/// and 16 bits that hold a value or, in format 4, the size of what follows; there the function's
/// symbol and the value, of 32 bits each.
std::optional<std::uint32_t> function_attribute(const ElfImage& image, std::uint32_t symbol,
                                                unsigned attribute) {
  const ElfSection* section = image.find(".nv.info");
  if (section == nullptr) return std::nullopt;
  constexpr unsigned sized_format = 4;
  const auto bytes = section->bytes;
  std::uint64_t offset = 0;
  while (const auto size = read_number<std::uint16_t>(bytes, offset + 2)) {
    const auto format = static_cast<unsigned char>(bytes[offset]);
    const auto found = static_cast<unsigned char>(bytes[offset + 1]);
    offset += 4;
    if (format != sized_format) continue;
    if (found == attribute && *size >= 8 && read_number<std::uint32_t>(bytes, offset) == symbol) {
      return read_number<std::uint32_t>(bytes, offset + 4);
    }
    offset += *size;
  }
  return std::nullopt;
}

/// Bits 73 to 75 of a load or store.
unsigned width_of(std::uint64_t high_half) {
  constexpr std::array<unsigned, 8> widths = {1, 1, 2, 2, 4, 8, 16, 0};
  return widths[high_half >> 9 & 7];
}

/// Counts one instruction. The lower nine bits say which it is; the three above them only what
/// kind of operands it has.
void count_instruction(std::uint64_t low_half, std::uint64_t high_half,
                       MemoryInstructionCount& count) {
  constexpr std::uint64_t never = 0xf;  // the predicate @!PT, with which ptxas fills up
  if ((low_half >> 12 & 0xf) == never) return;
  const unsigned width = width_of(high_half);
  switch (low_half & 0x1ff) {
    case 0x17e:  // LDG.256
      return count.global_loads.add(32);
    case 0x17f:  // STG.256
      return count.global_stores.add(32);
    case 0x180:  // LD
      return count.generic_loads.add(width);
    case 0x181:  // LDG
      return count.global_loads.add(width);
    case 0x183:  // LDL
      return count.local_loads.add(width);
    case 0x184:  // LDS
      return count.shared_loads.add(width);
    case 0x185:  // ST
      return count.generic_stores.add(width);
    case 0x186:  // STG
      return count.global_stores.add(width);
    case 0x187:  // STL
      return count.local_stores.add(width);
    case 0x188:  // STS
      return count.shared_stores.add(width);
    default:
      return;
  }
}

MemoryInstructionCount count_instructions(std::span<const char> code) {
  constexpr std::uint64_t instruction_size = 16;
  MemoryInstructionCount count;
  for (std::uint64_t offset = 0;; offset += instruction_size) {
    const auto low_half = read_number<std::uint64_t>(code, offset);
    const auto high_half = read_number<std::uint64_t>(code, offset + 8);
    if (!low_half || !high_half) return count;
    count_instruction(*low_half, *high_half, count);
  }
}

/// From 9.0 on a kernel's shared memory begins with 1 KiB of the system's; files where it does have
/// a section for it.
std::uint64_t static_shared_bytes(const ElfImage& image, const std::string& kernel) {
  constexpr std::uint64_t reserved = 1024;
  const ElfSection* shared = image.find(".nv.shared." + kernel);
  if (shared == nullptr) return 0;
  if (image.find(".nv.shared.reserved.0") == nullptr) return shared->size;
  return shared->size - std::min(shared->size, reserved);
}

}  // namespace

void WidthCount::add(unsigned width, std::uint64_t count) {
  const auto found = std::ranges::find(widths, width);
  if (found != widths.end()) counts_[static_cast<std::size_t>(found - widths.begin())] += count;
}

std::uint64_t WidthCount::of(unsigned width) const {
  const auto found = std::ranges::find(widths, width);
  return found != widths.end() ? counts_[static_cast<std::size_t>(found - widths.begin())] : 0;
}

std::uint64_t WidthCount::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::optional<KernelCode> read_kernel_code(std::span<const char> cubin, std::string_view kernel) {
  const auto image = ElfImage::read(cubin);
  if (!image || image->machine() != cuda_machine) return std::nullopt;
  const std::string name(kernel);
  const ElfSection* text = image->find(".text." + name);
  KernelCode code;
  code.compute_capability = compute_capability_of(*image);
  if (text == nullptr ||
      std::ranges::find(known_capabilities, code.compute_capability) == known_capabilities.end()) {
    return std::nullopt;
  }
  code.memory = count_instructions(text->bytes);
  code.shared_bytes = static_shared_bytes(*image, name);
  const auto symbol = image->function_symbol(name);
  if (!symbol) return code;
  constexpr unsigned frame_size = 0x11;      // EIATTR_FRAME_SIZE: without what it calls
  constexpr unsigned min_stack_size = 0x12;  // EIATTR_MIN_STACK_SIZE
  constexpr unsigned register_count = 0x2f;  // EIATTR_REGCOUNT
  code.registers = function_attribute(*image, *symbol, register_count);
  code.local_bytes = function_attribute(*image, *symbol, min_stack_size);
  if (!code.local_bytes) code.local_bytes = function_attribute(*image, *symbol, frame_size);
  return code;
}

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
