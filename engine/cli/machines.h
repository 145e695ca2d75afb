#pragma once

#include <boost/program_options.hpp>
#include <memory>
#include <string>

#include "engine/emulator/execution/emulator_backend.h"
#include "engine/run/measurer.h"
#include "engine/run/runner.h"
#include "engine/run/worker_process.h"

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

/// Emulators that count, so many at a time.
CounterThreads emulators_of(const EmulatorSettings& settings, unsigned threads);

/// A process that begins to start the GPU that `--device` names; null where it names none or there
/// can be no process. Throws UsageError for a name that it does not know.
std::unique_ptr<WorkerProcess> begin_gpu(const std::string& device);

/// The machines that `--device` and the emulator's options name; "auto" without a GPU gives the
/// emulator after saying why. `gpu` is what begin_gpu gave. Throws UsageError, DeviceError, and
/// what given_emulator_settings does.
Machines start_machines(const std::string& device, std::unique_ptr<WorkerProcess> gpu,
                        bool is_exact, const boost::program_options::variables_map& values);

}  // namespace sweep
