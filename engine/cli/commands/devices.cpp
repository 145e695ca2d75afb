#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "engine/cli/command.h"
#include "engine/cli/json_lines.h"
#include "engine/cli/options/command_line.h"
#include "engine/cli/options/device_options.h"
#include "engine/cuda/cuda_backend.h"
#include "engine/emulator/count/model.h"
#include "report/json_records.h"

namespace sweep {
namespace {

void list_gpus(bool as_json) {
  for (const Device& device : cuda_devices()) {
    if (as_json) {
      nlohmann::ordered_json line = {{"device", std::to_string(device.index)}};
      line.update(json_of(device));
      print_json_line(line);
      continue;
    }
    std::cout << fmt::format("{}: {}\n   {}, driver {}, CUDA {}\n", device.index,
                             describe_device(device), device.uuid,
                             device.driver.empty() ? "unknown" : device.driver, device.cuda);
  }
}

void list_emulator(bool as_json) {
  std::vector<std::string> models;
  for (const int model : known_models()) models.push_back(dotted(model));
  if (as_json) {
    const nlohmann::ordered_json line = {
        {"device", emulator_name}, {"backend", "emulator"}, {"models", models}};
    print_json_line(line);
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
  line.options()("json",
                 "one JSON object a line: \"device\" is what --device takes; sizes are in bytes, "
                 "peak_bandwidth in B/s");
  return line;
}

int devices_command(const Arguments& arguments) {
  const auto options = devices_line().parse(arguments);
  if (!options) return exit_done;
  const bool as_json = options->count("json") != 0;
  try {
    list_gpus(as_json);
  } catch (const DeviceError& error) {
    std::cerr << fmt::format("no GPU: {}\n", error.what());
  }
  list_emulator(as_json);
  return exit_done;
}

}  // namespace sweep
