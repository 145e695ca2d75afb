#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "engine/cli/commands.h"
#include "engine/cli/options/device_options.h"
#include "engine/cuda/cuda_backend.h"
#include "engine/run/runner.h"
#include "report/json_records.h"

namespace sweep {
namespace {

void list_gpus(bool as_json) {
  for (const Device& device : cuda_devices()) {
    if (as_json) {
      nlohmann::ordered_json line = {{"device", std::to_string(device.index)}};
      line.update(json_of(device));
      std::cout << json_line(line) << std::endl;
      continue;
    }
    std::cout << fmt::format("{}: {}\n   {}, driver {}, CUDA {}\n", device.index,
                             describe_device(device), device.uuid,
                             device.driver.empty() ? "unknown" : device.driver, device.cuda);
  }
}

void list_emulator(bool as_json) {
  const std::vector<std::string> models = model_names();
  if (as_json) {
    const nlohmann::ordered_json line = {
        {"device", emulator_name}, {"backend", "emulator"}, {"models", models}};
    std::cout << json_line(line) << std::endl;
    return;
  }
  std::cout << fmt::format(
      "{}: executes the compiled PTX here and counts what its accesses cost\n   models {}\n",
      emulator_name, fmt::join(models, " "));
}

}  // namespace

CommandLine devices_line() {
  CommandLine line("sweep devices [OPTIONS]",
                   "Lists what a sweep can run on, by the names that --device takes.");
  line.flag("json",
            "one JSON object a line: \"device\" is what --device takes; sizes are in bytes, "
            "peak_bandwidth in B/s");
  return line;
}

int devices_command(const GivenOptions& given) {
  const bool as_json = given.has("json");
  try {
    list_gpus(as_json);
  } catch (const DeviceError& error) {
    std::cerr << fmt::format("no GPU: {}\n", error.what());
  }
  list_emulator(as_json);
  return exit_done;
}

}  // namespace sweep
