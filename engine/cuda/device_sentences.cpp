#include "engine/cuda/device_sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sweep {

std::vector<std::string> throttle_reasons(std::uint64_t bits, bool applications_clocks_lower) {
  struct Reason {
    std::uint64_t bit;
    const char* words;
  };
  constexpr std::uint64_t applications_clocks = 0x2;
  // nvmlClocksEventReason...; 0x1 is an idle device.
  constexpr std::array<Reason, 8> reasons = {{
      {applications_clocks, "applications clocks setting"},
      {0x4, "power limit"},
      {0x8, "hardware slowdown"},
      {0x10, "synchronised with another GPU's boost"},
      {0x20, "temperature limit"},
      {0x40, "hardware thermal slowdown"},
      {0x80, "hardware power brake"},
      {0x100, "display clock setting"},
  }};
  std::vector<std::string> words;
  for (const Reason& reason : reasons) {
    if ((bits & reason.bit) == 0) continue;
    if (reason.bit == applications_clocks && !applications_clocks_lower) continue;
    words.emplace_back(reason.words);
  }
  return words;
}

std::vector<std::string> other_processes(std::span<const ComputeProcess> processes, unsigned own) {
  const auto is_own = [&](const ComputeProcess& process) { return process.pid == own; };
  std::vector<std::string> sentences;
  if (std::ranges::none_of(processes, is_own)) {
    if (processes.size() > 1) {
      const std::size_t others = processes.size() - 1;
      sentences.push_back(others == 1
                              ? "another process computes on this GPU"
                              : fmt::format("{} other processes compute on this GPU", others));
    }
    return sentences;
  }
  for (const ComputeProcess& process : processes) {
    if (is_own(process)) continue;
    sentences.push_back(
        process.name.empty()
            ? fmt::format("the process {} computes on this GPU too", process.pid)
            : fmt::format("{} (process {}) computes on this GPU too", process.name, process.pid));
  }
  return sentences;
}

}  // namespace sweep
