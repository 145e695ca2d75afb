#pragma once

#include <boost/program_options.hpp>
#include <memory>
#include <string>

#include "engine/emulator/execution/emulator_backend.h"
#include "engine/run/measurer.h"

namespace sweep {

/// What a run executes on. With a GPU the emulator counts beside it.
struct Machines {
  std::unique_ptr<EmulatorBackend> emulator;
  std::unique_ptr<Measurer> measurer;

  bool is_emulator() const { return measurer->device().backend == "emulator"; }
};

/// The machines that `--device` and the emulator's options name; "auto" without a GPU gives the
/// emulator after saying why. Throws UsageError, DeviceError, and what given_emulator_settings
/// does.
Machines start_machines(const std::string& device, bool is_exact,
                        const boost::program_options::variables_map& values);

}  // namespace sweep
