#include <fmt/format.h>

#include <iostream>

#include "engine/cli/command.h"
#include "engine/cli/command_line.h"
#include "engine/cli/device_choice.h"
#include "engine/cuda/devices.h"

namespace sweep {

int devices_command(const Arguments& arguments) {
  const CommandLine line(
      "sweep devices [OPTIONS]",
      "Lists the GPUs that a sweep can run on, with their numbers for --device.");
  if (!line.parse(arguments)) return exit_done;
  for (const Device& device : cuda_devices()) {
    std::cout << fmt::format("{}: {}\n   {}, driver {}, CUDA {}\n", device.index,
                             describe_device(device), device.uuid,
                             device.driver.empty() ? "unknown" : device.driver, device.cuda);
  }
  return exit_done;
}

}  // namespace sweep
