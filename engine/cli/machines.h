#pragma once

#include <boost/program_options.hpp>
#include <memory>
#include <string>

#include "engine/emulator/execution/emulator_backend.h"
#include "engine/run/measurer.h"
#include "engine/run/runner.h"

namespace sweep {

/// What a run executes on. With a GPU the emulator counts beside it.
struct Machines {
  EmulatorSettings settings;
  std::unique_ptr<EmulatorBackend> emulator;  ///< where it measures
  std::unique_ptr<Measurer> measurer;

  bool is_emulator() const { return emulator != nullptr; }
  /// The emulators that count beside a GPU; none where the emulator itself measures.
  CounterThreads emulators_beside() const;
};

/// The machines that `--device` and the emulator's options name; "auto" without a GPU gives the
/// emulator after saying why. Throws UsageError, DeviceError, and what given_emulator_settings
/// does.
Machines start_machines(const std::string& device, bool is_exact,
                        const boost::program_options::variables_map& values);

}  // namespace sweep
