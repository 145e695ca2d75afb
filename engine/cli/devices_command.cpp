#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>

#include "engine/cli/command.h"
#include "engine/cli/command_line.h"
#include "engine/cli/compute_capability.h"
#include "engine/cli/device_choice.h"
#include "engine/cuda/devices.h"
#include "engine/emulator/count/model.h"

namespace sweep {

namespace {

void list_gpus() {
  for (const Device& device : cuda_devices()) {
    std::cout << fmt::format("{}: {}\n   {}, driver {}, CUDA {}\n", device.index,
                             describe_device(device), device.uuid,
                             device.driver.empty() ? "unknown" : device.driver, device.cuda);
  }
}

}  // namespace

CommandLine devices_line() {
  return {"sweep devices [OPTIONS]",
          "Lists what a sweep can run on, by the names that --device takes."};
}

int devices_command(const Arguments& arguments) {
  if (!devices_line().parse(arguments)) return exit_done;
  try {
    list_gpus();
  } catch (const DeviceError& error) {
    std::cerr << fmt::format("no GPU: {}\n", error.what());
  }
  std::vector<std::string> models;
  for (const int model : known_models()) models.push_back(dotted(model));
  std::cout << fmt::format(
      "{}: executes the compiled PTX here and counts what its accesses cost\n   models {}\n",
      emulator_name, fmt::join(models, " "));
  return exit_done;
}

}  // namespace sweep
