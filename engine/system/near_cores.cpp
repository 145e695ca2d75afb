#include "engine/system/near_cores.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>

namespace sweep {

std::vector<unsigned> read_core_list(const std::string& text) {
  std::vector<unsigned> cores;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto read = [&](unsigned& number) {
    const auto [rest, error] = std::from_chars(at, end, number);
    at = rest;
    return error == std::errc() && number < CPU_SETSIZE;
  };
  while (at != end) {
    unsigned first = 0;
    if (!read(first)) return {};
    unsigned last = first;
    if (at != end && *at == '-' && (++at, !read(last))) return {};
    for (unsigned core = first; core <= last; ++core) cores.push_back(core);
    if (at != end && *at++ != ',') return {};
  }
  return cores;
}

void use_cores_near(const std::string& pci_address, const std::filesystem::path& devices) {
  if (pci_address.empty()) return;
  std::string name = pci_address;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  std::ifstream file(devices / name / "local_cpulist");
  std::string text;
  std::getline(file, text);
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return;
  cpu_set_t near;
  CPU_ZERO(&near);
  for (const unsigned core : read_core_list(text)) {
    if (CPU_ISSET(core, &usable)) CPU_SET(core, &near);
  }
  if (CPU_COUNT(&near) >= 2) sched_setaffinity(0, sizeof near, &near);
}

}  // namespace sweep
