#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/cli/options/command_line.h"
#include "engine/emulator/execution/emulator_backend.h"
#include "engine/recording/recording.h"
#include "engine/recording/recording_lookup.h"
#include "engine/run/measurer.h"
#include "engine/run/runner.h"
#include "engine/run/worker_process.h"
#include "engine/space/tuning_groups.h"

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
                        bool is_exact, const GivenOptions& given);

/// How `--device` names a recording: "replay:FILE".
constexpr std::string_view replay_prefix = "replay:";

/// Recorded results in the place of a device.
class Replay {
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

  /// A measurer that stands for the recorded device, and measures nothing.
  std::unique_ptr<Measurer> measurer() const;

 private:
  const RecordedEntry* find(const Configuration& configuration) const;

  Recording recording_;
  std::unique_ptr<RecordingLookup> lookup_;  ///< by the names that the sweep knows
};

}  // namespace sweep
