#pragma once

#include <filesystem>
#include <memory>

#include "engine/backend/backend.h"
#include "engine/cli/options/command_line.h"
#include "engine/emulator/execution/emulator_backend.h"
#include "engine/jit/program_cache.h"
#include "engine/predict/timing_profile.h"
#include "engine/recording/recording.h"
#include "engine/run/compile_pool.h"
#include "engine/run/measurer.h"
#include "engine/run/runner.h"
#include "engine/run/worker_process.h"
#include "engine/space/enumerate.h"

namespace sweep {

/// The compute capabilities that the emulator knows, dotted.
std::vector<std::string> model_names();
/// "9.0" or "90" as 90, "10.0" or "100" as 100. Throws UsageError that names the option.
int given_compute_capability(const GivenOptions& given, const std::string& option);

/// What `--device` calls the engine's own machine.
constexpr const char* emulator_name = "emulator";

/// Whether `--device` names recorded results: "replay:FILE".
bool names_recording(const std::string& device);

/// "NVIDIA H200 (compute capability 9.0, 132 SMs, ...)"
std::string describe_device(const Device& device);

/// The options that say what the emulator is to be like: --model, --l1, --banks, --profile, whose
/// help ends in `more`.
void add_emulator_options(CommandLine& line, const std::string& more = {});

/// The compute capability that is emulated unless something else is asked for.
constexpr int usual_model = 90;

/// With --exact every block is executed, and one may take so many times as many instructions
/// before it counts as one that does not end.
constexpr std::uint64_t exact_patience = 100;

/// Throws UsageError, and InputError or FileError for the profile's file. `default_model` is used
/// where no --model is given: major * 10 + minor.
EmulatorSettings given_emulator_settings(const GivenOptions& given,
                                         int default_model = usual_model);

/// The constants of the GPU that --profile names, else of the first shipped one with these sizes;
/// nothing where they are not known. Has the emulator follow the caches where they are. Throws
/// InputError and FileError.
std::optional<TimingProfile> predicted_gpu(const GivenOptions& given, EmulatorSettings& settings);

/// Processes of this program to compile in, so many of them started at once: a command that is sure
/// to compile asks for some before it reads its files.
std::shared_ptr<CompilerProcesses> compiler_processes(unsigned ahead = 0);

/// What compiling cost: "24 configurations in 5 programs by 2 compilers, 0 from the cache; 0.933 s
/// from the start to the last, 38.868 ms a configuration". `gap` stands between its two halves.
std::string describe(const CompileStatistics& statistics, std::string_view gap = " ");
/// A line for each pattern whose configurations do not compile together.
std::string describe_alone(const CompileStatistics& statistics);

/// The cache of compiled programs by the environment: in $XDG_CACHE_HOME/sweep, without it in
/// $HOME/.cache/sweep, with the limit of $SWEEP_CACHE_LIMIT; a limit of 0 switches it off. Nothing
/// when neither variable names a folder by its whole path: the XDG specification has others
/// ignored. Throws UsageError for a limit that is none.
std::optional<CacheSettings> program_cache_settings();

/// Adds --no-cache.
void add_cache_option(CommandLine& line);
/// The cache to compile with; null with --no-cache and where there is none or it is switched off.
/// Throws UsageError.
std::unique_ptr<ProgramCache> given_program_cache(const GivenOptions& given);

/// A line that says what is wrong with the cache's disk; empty when nothing is. The cache may be
/// null.
std::string describe_problem(const ProgramCache* cache);

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

/// A GPU's process.
struct GpuProcess {
  std::string name;                        ///< as `--device` names the GPU
  std::unique_ptr<WorkerProcess> process;  ///< null where it could not be started
};
/// What takes a while to start, and so begins before the sweep is read.
struct StartedAhead {
  std::vector<GpuProcess> gpus;
  std::shared_ptr<CompilerProcesses> compilers;
  bool sees_others = false;  ///< whether each GPU is to reach the others' memory
};
/// Throws UsageError for a device that it does not know, and DeviceError where it is to start all
/// GPUs and there is none.
StartedAhead start_ahead(const std::string& device);

/// GPUs of one kind, which measure together.
using GpuKind = std::vector<std::unique_ptr<Measurer>>;
/// Waits until the GPUs are known; none, after saying why, where "auto" finds none. Of all GPUs
/// those that do not start are left out, after saying so. `sees_others`: whether each is to reach
/// the others' memory, for which its process begins anew. Throws DeviceError.
std::vector<GpuKind> start_gpus(const std::string& device, std::vector<GpuProcess> processes,
                                bool sees_others);

/// What a run executes on: a GPU, beside which the emulator counts, the emulator, or a recording in
/// their place.
struct Executor {
  EmulatorSettings settings = {};
  std::unique_ptr<EmulatorBackend> emulator = {};  ///< where it measures
  std::unique_ptr<Measurer> measurer = {};
  GpuKind further = {};               ///< that measure at the same time
  Replay* replay = nullptr;           ///< the measurer, if it is one
  std::shared_ptr<Nvrtc> nvrtc = {};  ///< null: nothing is compiled
  std::shared_ptr<CompilerProcesses> compilers = {};
  std::optional<TimingProfile> predicted_gpu = {};  ///< whose times follow from the counts

  bool is_emulated() const { return replay ? replay->is_emulated() : emulator != nullptr; }
  /// The emulators that count beside GPUs; none where there is none.
  EmulatorThreads emulators_beside() const;
  /// Those that measure so many points in its place, as many at a time as there are cores and
  /// memory for; none where one is to have all of it.
  EmulatorThreads emulators_in_place(std::size_t points) const;
};

/// What `--device` and the emulator's options name; "auto" without a GPU gives the emulator after
/// saying why. If it `predicts`, times are predicted for the GPU that --profile names, or without a
/// GPU and --exact for the model's own. Throws UsageError, DeviceError, and what
/// given_emulator_settings and Replay do.
Executor start_executor(const std::string& device, StartedAhead ahead, const GivenOptions& given,
                        bool predicts = false);
/// The same on these GPUs, without any on the emulator.
Executor start_executor(const std::string& device, GpuKind gpus,
                        std::shared_ptr<CompilerProcesses> compilers, const GivenOptions& given,
                        bool predicts = false);

/// What a run of the sweep that begins now comes from, but for what the runner knows itself.
Provenance provenance_now(const Sweep& sweep, std::uint64_t seed);

/// Emulators that count what a GPU times, so many at a time.
EmulatorThreads counting_emulators(const EmulatorSettings& settings, unsigned threads);

}  // namespace sweep
