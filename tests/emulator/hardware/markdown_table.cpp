#include "tests/emulator/hardware/markdown_table.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

namespace sweep::testing {
namespace {

/// The counters that are not zero, those of one kind of access together.
std::string counts_text(const Counts& counts) {
  struct Kind {
    const char* name;
    std::size_t first;
    std::size_t size;
  };
  constexpr std::array kinds = {Kind{"ld", of_loads, 2},
                                Kind{"st", of_stores, 2},
                                Kind{"atom", of_atomics, 2},
                                Kind{"local ld", of_local_loads, 2},
                                Kind{"local st", of_local_stores, 2},
                                Kind{"shared ld", of_shared_loads, 2},
                                Kind{"shared st", of_shared_stores, 2},
                                Kind{"shared atom", of_shared_atomics, 1}};
  std::string text;
  for (const Kind& kind : kinds) {
    const std::uint64_t first = counts.at(kind.first);
    const std::uint64_t second = kind.size == 2 ? counts.at(kind.first + 1) : 0;
    if (first == 0 && second == 0) continue;
    if (!text.empty()) text += ", ";
    text += kind.size == 2 ? fmt::format("{} {}/{}", kind.name, first, second)
                           : fmt::format("{} {}", kind.name, first);
  }
  return text;
}

/// The largest distance of two floats of the buffers in units in the last place.
std::uint64_t distance_in_units(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  const auto place = [](const std::byte* at) {
    std::int32_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return std::int64_t{bits < 0 ? std::int32_t(0x80000000U) - std::int64_t{bits} : bits};
  };
  std::uint64_t most = 0;
  for (std::size_t at = 0; at + 4 <= a.size(); at += 4) {
    const std::int64_t distance = place(a.data() + at) - place(b.data() + at);
    most = std::max(most, static_cast<std::uint64_t>(std::abs(distance)));
  }
  return most;
}

/// The first bytes that differ.
std::string first_difference(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  std::size_t count = 0;
  std::size_t first = a.size();
  for (std::size_t i = a.size(); i-- > 0;) {
    if (a[i] == b[i]) continue;
    ++count;
    first = i;
  }
  const std::size_t word = first / 8 * 8;
  std::uint64_t ours = 0;
  std::uint64_t theirs = 0;
  const std::size_t size = std::min<std::size_t>(8, a.size() - word);
  std::memcpy(&theirs, a.data() + word, size);
  std::memcpy(&ours, b.data() + word, size);
  return fmt::format("{} of {} bytes differ, the first at {}: {:016x} instead of {:016x}", count,
                     a.size(), first, ours, theirs);
}

}  // namespace

const char* const markdown_header =
    "| configuration | H200 | emulator | memory |\n|---|---|---|---|\n";

std::string markdown_row(const std::string& configuration, const Outcome& hardware,
                         const Outcome& emulated) {
  std::string memory = "equal";
  for (std::size_t i = 0; i < emulated.memory.size(); ++i) {
    if (hardware.memory[i] == emulated.memory[i]) continue;
    if (hardware.buffers[i] == "approximate") {
      memory = fmt::format("within {} units in the last place, both within the PTX ISA's bounds",
                           distance_in_units(hardware.memory[i], emulated.memory[i]));
    } else {
      memory = "differs";
    }
  }
  if (!emulated.failure.empty()) memory = "failed";
  const bool are_equal = hardware.counts == emulated.counts;
  return fmt::format("| {} | {} | {}{} | {} |\n", configuration, counts_text(hardware.counts),
                     counts_text(emulated.counts), are_equal ? "" : " (differs)", memory);
}

std::string differences(const Outcome& hardware, const Outcome& emulated) {
  std::string text;
  if (!hardware.failure.empty()) text += "  hardware: " + hardware.failure + '\n';
  if (!emulated.failure.empty()) text += "  emulator: " + emulated.failure + '\n';
  for (std::size_t i = 0; i < count_names.size(); ++i) {
    if (hardware.counts.at(i) == emulated.counts.at(i)) continue;
    text += fmt::format("  {}: {} on the hardware, {} emulated\n", count_names.at(i),
                        hardware.counts.at(i), emulated.counts.at(i));
  }
  for (std::size_t i = 0; i < emulated.memory.size(); ++i) {
    if (hardware.buffers[i] == "approximate" || hardware.memory[i] == emulated.memory[i]) continue;
    text += fmt::format("  {}: {}\n", hardware.buffers[i],
                        first_difference(hardware.memory[i], emulated.memory[i]));
  }
  return text;
}

}  // namespace sweep::testing
