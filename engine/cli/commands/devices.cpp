#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "engine/cli/commands.h"
#include "engine/cli/options/execution_options.h"
#include "engine/cuda/cuda_backend.h"
#include "engine/run/runner.h"
#include "report/json_records.h"

namespace sweep {

namespace {

CommandLine devices_line() {
  CommandLine line("sweep devices [OPTIONS]",
                   "Lists what a sweep can run on, by the names that --device takes.");
  line.flag("json",
            "one JSON object a line: \"device\" is what --device takes; sizes are in bytes, "
            "peak_bandwidth in B/s");
  return line;
}

int devices_main(const GivenOptions& given) {
  const bool as_json = given.has("json");
  try {
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
  } catch (const DeviceError& error) {
    std::cerr << fmt::format("no GPU: {}\n", error.what());
  }
  const nlohmann::ordered_json line = {
      {"device", emulator_name}, {"backend", "emulator"}, {"models", model_names()}};
  if (as_json) {
    std::cout << json_line(line) << std::endl;
  } else {
    std::cout << fmt::format(
        "{}: executes the compiled PTX here and counts what its accesses cost\n   models {}\n",
        emulator_name, fmt::join(model_names(), " "));
  }
  return exit_done;
}

}  // namespace

const Command devices_command = {"devices",
                                 "list what a sweep can run on: the GPUs and the emulator",
                                 devices_line, devices_main};

}  // namespace sweep
