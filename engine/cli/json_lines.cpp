#include "engine/cli/json_lines.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "engine/cli/compute_capability.h"
#include "report/json_value.h"

namespace sweep {

using nlohmann::ordered_json;

void print_json_line(const ordered_json& object) {
  std::cout << json_line(object) + '\n' << std::flush;
}

ordered_json json_of(const Device& device) {
  constexpr double mega = 1e6;
  constexpr double giga = 1e9;
  ordered_json object = {{"backend", device.backend},
                         {"name", device.name},
                         {"compute_capability", dotted(device.compute_capability)}};
  const auto add = [&](const char* name, const auto& value) {
    if (value != std::decay_t<decltype(value)>{}) object[name] = value;
  };
  add("uuid", device.uuid);
  add("multiprocessors", device.multiprocessors);
  add("l2_bytes", device.l2_bytes);
  add("memory_bytes", device.memory_bytes);
  add("memory_clock_mhz", static_cast<double>(device.memory_clock_hz) / mega);
  add("memory_bus_bits", device.memory_bus_bits);
  add("peak_bandwidth", device.peak_bandwidth() / giga);
  add("driver", device.driver);
  add("cuda", device.cuda);
  return object;
}

}  // namespace sweep
