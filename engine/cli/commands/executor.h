#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/cli/options/command_line.h"
#include "engine/emulator/execution/emulator_backend.h"
#include "engine/recording/recording.h"
#include "engine/run/measurer.h"
#include "engine/run/runner.h"
#include "engine/run/worker_process.h"
#include "engine/space/enumerate.h"

namespace sweep {

/// Recorded results in the place of a device, which measure nothing.
class Replay : public Measurer {
 public:
  /// Reads the recording. Throws FileError and StoreError.
  explicit Replay(const std::filesystem::path& file);

  /// Whether the engine's emulator recorded it, which takes the sweep's values for it.
  bool is_emulated() const { return recording_.origin.is_emulated; }

  /// Leaves only those configurations of the space that are recorded; gives how many there were.
  /// Throws CommandError when none is, and when the sweep varies what the recording does not know
  /// or the recording's entries differ in a parameter that the sweep does not know. Comes before
  /// what looks configurations up.
  std::size_t keep_recorded(const Sweep& sweep, Space& space);

  /// Takes away default configurations that are not recorded.
  void forget_unknown_defaults(const Space& space, std::vector<TuningGroup>& groups) const;

  /// What is recorded of a configuration; a failed point when nothing is.
  PointRecord point(const Configuration& configuration) const;

  const Device& device() const override { return device_; }
  const std::vector<std::string>& disturbances() override { return disturbances_; }
  Measurement measure(const Workload&, const MeasureRules&, const std::function<void()>&) override {
    throw std::logic_error("a recording measures nothing");
  }
  CounterResults count(std::span<const Workload>, const CounterRequest&) override {
    throw std::logic_error("a recording counts nothing");
  }

 private:
  const RecordedEntry* find(const Configuration& configuration) const;

  Device device_;
  std::vector<std::string> disturbances_;
  Recording recording_;
  std::unique_ptr<RecordingLookup> lookup_;  ///< by the names that the sweep knows
};

/// What takes a while to start, and so begins before the sweep is read.
struct StartedAhead {
  std::unique_ptr<WorkerProcess> gpu;  ///< null where there is none to start, or no process
  std::shared_ptr<CompilerProcesses> compilers;
};
/// Throws UsageError for a device that it does not know.
StartedAhead start_ahead(const std::string& device);

/// What a run executes on: a GPU, beside which the emulator counts, the emulator, or a recording in
/// their place.
struct Executor {
  EmulatorSettings settings = {};
  std::unique_ptr<EmulatorBackend> emulator = {};  ///< where it measures
  std::unique_ptr<Measurer> measurer = {};
  Replay* replay = nullptr;           ///< the measurer, if it is one
  std::shared_ptr<Nvrtc> nvrtc = {};  ///< null: nothing is compiled
  std::shared_ptr<CompilerProcesses> compilers = {};

  bool is_emulated() const { return replay ? replay->is_emulated() : emulator != nullptr; }
  /// The emulators that count beside a GPU; none where there is no GPU.
  CounterThreads emulators_beside() const;
};

/// What `--device` and the emulator's options name; "auto" without a GPU gives the emulator after
/// saying why. Throws UsageError, DeviceError, and what given_emulator_settings and Replay do.
Executor start_executor(const std::string& device, StartedAhead ahead, const GivenOptions& given);

/// Emulators that count, so many at a time.
CounterThreads emulators_of(const EmulatorSettings& settings, unsigned threads);

}  // namespace sweep
