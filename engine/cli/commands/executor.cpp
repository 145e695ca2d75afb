#include "engine/cli/commands/executor.h"

#include <fmt/ranges.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <system_error>
#include <thread>

#include "engine/cli/commands.h"
#include "engine/cuda/cuda_backend.h"
#include "engine/emulator/cache/device_profile.h"
#include "engine/run/worker.h"
#include "engine/store/record.h"
#include "engine/system/dynamic_library.h"
#include "engine/system/machine_memory.h"
#include "engine/system/near_cores.h"
#include "engine/text/characters.h"
#include "engine/text/read_source.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

/// The operand of 'sweep worker' that makes it a compiler process.
constexpr const char* compiler_worker = "compiler";
/// A second operand of a GPU's 'sweep worker', which then sees the other GPUs too.
constexpr const char* beside_others = "beside-others";

/// The number of the GPU that `--device` names: "auto" for the first one, or a number. Throws
/// UsageError for anything else.
std::size_t device_index(const std::string& name) {
  const auto index = name == "auto" ? 0 : whole_number(name);
  if (index) return *index;
  throw UsageError(
      "--device {}: write auto, emulator, all, replay:FILE, or the numbers of GPUs that 'sweep "
      "devices' lists, with commas between",
      name);
}

/// The folder that a variable names; empty when it is not set or relative.
fs::path folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  const fs::path folder = value != nullptr ? value : "";
  return folder.is_absolute() ? folder : fs::path();
}

/// How `--device` names a recording: "replay:FILE".
constexpr std::string_view replay_prefix = "replay:";

bool is_known(const Sweep& sweep, const std::string& name) {
  return name == "pattern" || std::ranges::any_of(sweep.patterns, [&](const PatternPtr& pattern) {
           return pattern->find_parameter(name) != nullptr;
         });
}

bool varies(const std::vector<RecordedEntry>& entries, const std::string& name) {
  std::set<std::string> values;
  for (const RecordedEntry& entry : entries) {
    const Value* value = entry.configuration.find(name);
    values.insert(value != nullptr ? to_string(*value) : "");
  }
  return values.size() > 1;
}

std::vector<std::string> worker_command_for(const std::string& device, bool sees_others = false) {
  std::vector<std::string> command = {program_path().string(), "worker", device};
  if (sees_others) command.emplace_back(beside_others);
  return command;
}

/// Waits until the GPU is known. Throws DeviceError.
std::unique_ptr<Measurer> start_gpu(GpuProcess gpu, bool sees_others) {
  const auto start = [&](std::unique_ptr<WorkerProcess> process) {
    return std::make_unique<WorkerMeasurer>(worker_command_for(gpu.name, sees_others),
                                            WorkerMeasurer::usual_patience, std::move(process));
  };
  if (!sees_others) {
    try {
      return start(std::move(gpu.process));
    } catch (const DeviceError&) {
      // One that sees all GPUs says what there is, and may find what this one did not.
      sees_others = true;
    }
  }
  gpu.process = nullptr;
  return start(nullptr);
}

/// How `--device` names each GPU of a list: "0,2", or "all" of this machine. Throws UsageError and
/// DeviceError.
std::vector<std::string> gpu_names(const std::string& device) {
  std::vector<std::string> names;
  if (device == "all") {
    const std::size_t count = count_cuda_devices();
    for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
    return names;
  }
  for (const std::string& name : split(device, ',')) {
    const std::size_t index = device_index(name);
    names.push_back(name == "auto" ? name : std::to_string(index));
  }
  std::set<std::string> different(names.begin(), names.end());
  if (different.size() < names.size() || (names.size() > 1 && different.contains("auto"))) {
    throw UsageError("--device {}: name each GPU once, by its number", device);
  }
  return names;
}

/// Whether programs and results of one are the other's too.
bool is_same_kind(const Device& a, const Device& b) {
  const auto kind = [](const Device& device) {
    return std::tie(device.name, device.compute_capability, device.multiprocessors, device.l2_bytes,
                    device.memory_clock_hz, device.memory_bus_bits);
  };
  return kind(a) == kind(b);
}

/// Ends this process with the other one, even while something is compiled.
void end_with(const Channel& channel) {
  std::thread([socket = channel.socket()] {
    pollfd end{socket, POLLRDHUP, 0};
    while (poll(&end, 1, -1) <= 0) {
    }
    _exit(exit_done);
  }).detach();
}

/// A few bytes of source can make a compiler take all the memory there is. Past a limit NVRTC says
/// that it has none.
void limit_memory() {
  constexpr std::uint64_t most = std::uint64_t{4} << 30U;
  constexpr std::uint64_t least = std::uint64_t{1} << 30U;
  const unsigned processes = std::max(std::thread::hardware_concurrency(), 1U);
  const std::uint64_t share = machine_memory().available / processes;
  // Beside what the process has from its start, which is much under a sanitizer.
  std::uint64_t pages = 0;
  std::ifstream statm("/proc/self/statm");
  for (int field = 0; field < 6; ++field) statm >> pages;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const rlim_t limit = pages * page + std::clamp(share, least, most);
  const rlimit data = {limit, limit};
  if (statm) setrlimit(RLIMIT_DATA, &data);
}

/// What --profile names.
SourcePtr given_profile(const GivenOptions& given) {
  const std::string name = given.text("profile");
  if (const SourcePtr shipped = shipped_profile(name)) return shipped;
  try {
    return read_source(name);
  } catch (const FileError& error) {
    if (!error.is_missing()) throw;
    throw FileError(fmt::format("{}; profiles that come with the program are {}", error.what(),
                                fmt::join(shipped_profile_names(), ", ")),
                    true);
  }
}

/// So many of them, on the same programs.
EmulatorThreads emulators_like(const EmulatorSettings& each, unsigned threads) {
  const auto programs = std::make_shared<LoadedPrograms>();
  const auto make = [each, programs](const std::atomic<bool>& cancelled) {
    EmulatorSettings own = each;
    own.cancelled = &cancelled;
    return std::make_unique<EmulatorBackend>(std::move(own), programs);
  };
  return {make, threads};
}

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const int model : known_models()) names.push_back(dotted(model));
  return names;
}

int given_compute_capability(const GivenOptions& given, const std::string& option) {
  constexpr std::size_t most_digits = 3;
  const std::string text = given.text(option);
  std::string digits = text;
  for (const std::string_view prefix : {"sm_", "compute_"}) {
    if (text.starts_with(prefix)) digits.erase(0, prefix.size());
  }
  // The minor version is one digit, with or without the point before it.
  if (digits.size() > 2 && digits[digits.size() - 2] == '.') digits.erase(digits.size() - 2, 1);
  const bool is_one = digits.size() > 1 && digits.size() <= most_digits && digits[0] != '0' &&
                      std::ranges::all_of(digits, is_digit);
  if (!is_one) {
    const std::string gpu = in_small_letters(text);
    const bool is_gpu = is_among(shipped_profile_names(), gpu);
    throw UsageError("--{} {}: write a compute capability such as 9.0{}", option, text,
                     is_gpu ? "; a GPU is named by --profile " + gpu : "");
  }
  return std::stoi(digits);
}

bool names_recording(const std::string& device) {
  return device.starts_with(replay_prefix);
}

std::string describe_device(const Device& device) {
  constexpr double giga = 1e9;
  constexpr double mega = 1e6;
  if (device.memory_clock_hz == 0) return device.name;
  return fmt::format(
      "{} (compute capability {}, {} SMs, L2 {}, memory {} at {:.0f} MHz x {} bit: "
      "theoretical peak {:.0f} GB/s)",
      device.name, dotted(device.compute_capability), device.multiprocessors,
      format_bytes(device.l2_bytes), format_bytes(device.memory_bytes),
      static_cast<double>(device.memory_clock_hz) / mega, device.memory_bus_bits,
      device.peak_bandwidth() / giga);
}

void add_emulator_options(CommandLine& line, const std::string& more) {
  line.option("model", "CC",
              "the compute capability whose rules the emulator counts by (default 9.0, or "
              "the GPU's own): 1.0 to 12.1");
  line.option("l1", "on|off", "whether global loads use L1; models 2.x and 3.x");
  line.option("banks", "32|64", "the width of shared memory's banks in bits; models 3.x");
  line.option("profile", "GPU",
              fmt::format("the emulated GPU: {}, or a YAML file with its sizes "
                          "(multiprocessors, l2_bytes, ...) and times{}",
                          fmt::join(shipped_profile_names(), ", "), more));
}

EmulatorSettings given_emulator_settings(const GivenOptions& given, int default_model) {
  std::optional<DeviceProfile> profile;
  if (given.has("profile")) profile = read_profile(given_profile(given));
  if (profile) default_model = profile->compute_capability;
  const int model = given.has("model") ? given_compute_capability(given, "model") : default_model;
  if (find_builtin_profile(model) == nullptr) {
    throw UsageError("--model {}: {} {}", dotted(model),
                     has_rules(model) ? "no GPU of it is known; there are"
                                      : "there are no rules for it; there are for",
                     fmt::join(model_names(), " "));
  }
  const unsigned threads = std::max(std::thread::hardware_concurrency(), 1U);
  EmulatorSettings settings = emulator_settings(model, threads);
  if (given.has("l1") && (model < 20 || model >= 40)) {
    throw UsageError("--l1 is for the models 2.x and 3.x: in others it changes no count");
  }
  if (given.has("banks") && (model < 30 || model >= 40)) {
    throw UsageError("--banks is for the models 3.x: others have one width");
  }
  if (given.has("l1")) settings.model.l1_for_global = given.text("l1") == "on";
  settings.model.banks_of_64_bits = given.text("banks") == "64";
  if (profile) settings.profile = *profile;
  if (given.has("exact")) {
    settings.is_exact = true;
    settings.instruction_limit *= exact_patience;
  }
  settings.print = [](const std::string& text) { std::cerr << text << std::flush; };
  return settings;
}

std::optional<TimingProfile> predicted_gpu(const GivenOptions& given, EmulatorSettings& settings) {
  std::optional<TimingProfile> gpu;
  if (given.has("profile")) {
    gpu = read_timing_profile(given_profile(given));
  } else {
    for (const std::string& name : shipped_profile_names()) {
      const SourcePtr source = shipped_profile(name);
      if (read_profile(source) != settings.profile) continue;
      gpu = read_timing_profile(source);
      break;
    }
  }
  if (!gpu) return gpu;
  gpu->multiprocessors = settings.profile.multiprocessors;
  gpu->l2_bytes = static_cast<double>(settings.profile.l2_bytes);
  settings.samples_caches = true;
  return gpu;
}

std::shared_ptr<CompilerProcesses> compiler_processes(unsigned ahead) {
  auto processes = std::make_shared<CompilerProcesses>(worker_command_for(compiler_worker));
  processes->start_ahead(ahead);
  return processes;
}

std::string describe(const CompileStatistics& statistics, std::string_view gap) {
  constexpr double milli = 1e3;
  const std::size_t all = statistics.configurations + statistics.from_cache;
  const double each = all == 0 ? 0 : statistics.wall_seconds * milli / static_cast<double>(all);
  std::string text;
  if (statistics.configurations > 0) {
    text = fmt::format("{} in {} by {}, ", count_of(statistics.configurations, "configuration"),
                       count_of(statistics.programs, "program"),
                       count_of(statistics.compilers, "compiler"));
  }
  return text + fmt::format(
                    "{} from the cache;{}{:.3f} s from the start to the last, {:.3f} ms a "
                    "configuration",
                    format_thousands(statistics.from_cache), gap, statistics.wall_seconds, each);
}

std::string describe_alone(const CompileStatistics& statistics) {
  std::string lines;
  for (const auto& [file, configurations] : statistics.alone) {
    lines += fmt::format("{} {} compiled alone, since together they did not compile: {}\n",
                         count_of(configurations, "configuration"),
                         configurations == 1 ? "was" : "were", file);
  }
  return lines;
}

std::optional<CacheSettings> program_cache_settings() {
  CacheSettings settings;
  const char* limit = std::getenv("SWEEP_CACHE_LIMIT");
  if (limit != nullptr && *limit != '\0') {
    const std::optional<std::uint64_t> bytes = parse_bytes(limit);
    if (!bytes) {
      throw UsageError(
          "SWEEP_CACHE_LIMIT is '{}': give bytes, such as 256 Mi or 2 GiB, or 0 for no cache",
          limit);
    }
    settings.limit = *bytes;
  }
  const fs::path cache = folder_in("XDG_CACHE_HOME");
  const fs::path home = folder_in("HOME");
  if (cache.empty() && home.empty()) return std::nullopt;
  settings.folder = (cache.empty() ? home / ".cache" : cache) / "sweep";
  return settings;
}

void add_cache_option(CommandLine& line) {
  line.flag("no-cache", "compile everything anew, and keep nothing of it; see sweep cache --help");
}

std::unique_ptr<ProgramCache> given_program_cache(const GivenOptions& given) {
  if (given.has("no-cache")) return nullptr;
  const std::optional<CacheSettings> settings = program_cache_settings();
  if (!settings || settings->limit == 0) return nullptr;
  return std::make_unique<ProgramCache>(*settings);
}

std::string describe_problem(const ProgramCache* cache) {
  const std::string problem = cache != nullptr ? cache->problem() : std::string();
  return problem.empty() ? problem : fmt::format("note: {}\n", problem);
}

Replay::Replay(const std::filesystem::path& file) : recording_(read_recording(file)) {
  const RecordingOrigin& origin = recording_.origin;
  device_.backend = "replay";
  device_.name = fmt::format("replay of {}", origin.device.empty() ? origin.file : origin.device);
  device_.uuid = origin.file;
  device_.multiprocessors = origin.multiprocessors;
  device_.l2_bytes = origin.l2_bytes;
}

std::size_t Replay::keep_recorded(const Sweep& sweep, Space& space) {
  std::vector<std::string> names;
  for (const std::string& name : parameter_names(recording_.entries)) {
    if (is_known(sweep, name)) {
      names.push_back(name);
    } else if (varies(recording_.entries, name)) {
      throw CommandError(exit_bad_input,
                         "{}: its entries differ in '{}', a parameter that no pattern of this "
                         "sweep has; compare-strategies searches over it as it is",
                         recording_.origin.file, name);
    }
  }
  for (const Axis& axis : sweep.axes) {
    for (const std::string& name : axis.names) {
      if (axis.rows.size() < 2 || is_among(names, name)) continue;
      throw CommandError(
          exit_bad_input,
          "{0}: it does not know '{1}', which this sweep varies; fix it with --set {1}=VALUE",
          recording_.origin.file, name);
    }
  }
  lookup_ = std::make_unique<RecordingLookup>(recording_.entries, std::move(names));
  const std::size_t before = space.configurations.size();
  std::erase_if(space.configurations,
                [&](const Configuration& configuration) { return find(configuration) == nullptr; });
  if (space.configurations.empty()) {
    throw CommandError(exit_bad_input,
                       "{}: none of this sweep's {} configurations is recorded there; fix what "
                       "differs with --set NAME=VALUE",
                       recording_.origin.file, before);
  }
  return before;
}

void Replay::forget_unknown_defaults(const Space& space, std::vector<TuningGroup>& groups) const {
  for (TuningGroup& group : groups) {
    const auto standard = group.default_configuration;
    if (!standard || find(space.configurations[*standard]) != nullptr) continue;
    group.default_configuration.reset();
    group.why_no_default = "the recording does not have it";
  }
}

const RecordedEntry* Replay::find(const Configuration& configuration) const {
  const auto places =
      lookup_->find(with_pattern(configuration.pattern->name, configuration.parameters));
  return places.empty() ? nullptr : &recording_.entries[places.front()];
}

PointRecord Replay::point(const Configuration& configuration) const {
  const RecordedEntry* found = find(configuration);
  if (found == nullptr) return {{}, PointStatus::failed, "it is not in the recording", {}, {}, {}};
  return {{}, found->status, found->reason, {}, {}, found->metrics};
}

StartedAhead start_ahead(const std::string& device) {
  constexpr unsigned most_compilers = 4;
  if (names_recording(device)) return {};
  const unsigned compilers = std::min(std::thread::hardware_concurrency(), most_compilers);
  StartedAhead ahead;
  if (device != emulator_name) {
    for (const std::string& name : gpu_names(device)) ahead.gpus.push_back({name, nullptr});
  }
  for (GpuProcess& gpu : ahead.gpus) {
    try {
      gpu.process = std::make_unique<WorkerProcess>(worker_command_for(gpu.name));
    } catch (const std::system_error&) {
      // It is tried again, and said, where it is needed.
    }
  }
  ahead.compilers = compiler_processes(compilers);
  return ahead;
}

std::vector<GpuKind> start_gpus(const std::string& device, std::vector<GpuProcess> processes,
                                bool sees_others) {
  std::vector<GpuKind> kinds;
  std::string last_reason;
  for (GpuProcess& gpu : processes) {
    std::unique_ptr<Measurer> measurer;
    try {
      measurer = start_gpu({gpu.name, std::move(gpu.process)}, sees_others);
    } catch (const DeviceError& error) {
      if (device != "auto" && device != "all") throw;
      last_reason = error.what();
      std::cerr << (device == "auto"
                        ? fmt::format("  no GPU ({})\n", last_reason)
                        : fmt::format("  without GPU {} ({})\n", gpu.name, last_reason));
      continue;
    }
    const auto kind = std::ranges::find_if(kinds, [&](const GpuKind& one) {
      return is_same_kind(one.front()->device(), measurer->device());
    });
    (kind == kinds.end() ? kinds.emplace_back() : *kind).push_back(std::move(measurer));
  }
  if (kinds.empty() && device == "all") throw DeviceError(last_reason);
  return kinds;
}

Executor start_executor(const std::string& device, StartedAhead ahead, const GivenOptions& given,
                        bool predicts) {
  if (ahead.gpus.size() > 1) {
    throw UsageError("--device {}: 'sweep run' alone measures on several GPUs; name one", device);
  }
  std::vector<GpuKind> gpus = start_gpus(device, std::move(ahead.gpus), ahead.sees_others);
  return start_executor(device, gpus.empty() ? GpuKind() : std::move(gpus.front()),
                        std::move(ahead.compilers), given, predicts);
}

Executor start_executor(const std::string& device, GpuKind gpus,
                        std::shared_ptr<CompilerProcesses> compilers, const GivenOptions& given,
                        bool predicts) {
  Executor executor;
  if (names_recording(device)) {
    const std::string file = device.substr(replay_prefix.size());
    if (file.empty()) throw UsageError("--device replay: names no file; write replay:FILE");
    auto replay = std::make_unique<Replay>(file);
    executor.replay = replay.get();
    executor.measurer = std::move(replay);
    return executor;
  }
  executor.nvrtc = std::make_shared<Nvrtc>();
  executor.compilers = std::move(compilers);
  executor.settings = given_emulator_settings(given);
  const bool has_gpu = !gpus.empty();
  if (has_gpu) {
    executor.measurer = std::move(gpus.front());
    gpus.erase(gpus.begin());
    executor.further = std::move(gpus);
  }
  if (has_gpu && !given.has("model")) {
    const Device& gpu = executor.measurer->device();
    if (has_rules(gpu.compute_capability)) {
      executor.settings = given_emulator_settings(given, gpu.compute_capability);
      if (!given.has("profile")) {
        DeviceProfile& profile = executor.settings.profile;
        profile.name = gpu.name;
        profile.multiprocessors = static_cast<unsigned>(gpu.multiprocessors);
        profile.l2_bytes = gpu.l2_bytes;
      }
    }
  }
  const bool is_usual = !has_gpu && device == "auto" && !given.has("exact");
  if (predicts && (is_usual || given.has("profile"))) {
    executor.predicted_gpu = predicted_gpu(given, executor.settings);
  }
  if (!has_gpu) {
    executor.emulator = std::make_unique<EmulatorBackend>(executor.settings);
    executor.measurer = std::make_unique<LocalMeasurer>(*executor.emulator);
  }
  return executor;
}

Provenance provenance_now(const Sweep& sweep, std::uint64_t seed) {
  std::array<char, 256> host{};
  Provenance provenance;
  provenance.sweep_name = sweep.name;
  provenance.sweep_text = sweep.source->text;
  provenance.command = process_command();
  provenance.engine_version = SWEEP_VERSION;
  provenance.host = gethostname(host.data(), host.size() - 1) == 0 ? host.data() : "";
  provenance.seed = seed;
  for (const PatternPtr& pattern : sweep.patterns) {
    std::vector<std::string> derived = derived_parameters(*pattern, sweep.axes);
    if (!derived.empty()) provenance.derived[pattern->name] = std::move(derived);
  }
  return provenance;
}

EmulatorThreads counting_emulators(const EmulatorSettings& settings, unsigned threads) {
  EmulatorSettings each = settings;
  each.threads = 1;
  each.tells_resources = false;
  return emulators_like(each, threads);
}

EmulatorThreads Executor::emulators_beside() const {
  if (replay || emulator) return {};
  // Each thread that measures and its worker process have a core each to themselves.
  const unsigned taken = 2 * static_cast<unsigned>(1 + further.size());
  const unsigned cores = std::thread::hardware_concurrency();
  return counting_emulators(settings, cores > taken ? cores - taken : 1);
}

EmulatorThreads Executor::emulators_in_place(std::size_t points) const {
  // With --exact one may need the whole memory; otherwise hardly one more than this.
  constexpr std::uint64_t most_bytes = std::uint64_t{2} << 30U;
  if (emulator == nullptr || settings.is_exact) return {};
  const std::uint64_t most =
      std::min<std::uint64_t>({settings.threads, points, machine_memory().available / most_bytes});
  if (most < 2) return {};
  EmulatorSettings each = settings;
  each.threads = settings.threads / static_cast<unsigned>(most);
  return emulators_like(each, static_cast<unsigned>(most));
}

int worker_command(const Arguments& arguments) {
  const bool sees_others = arguments.size() == 2 && arguments[1] == beside_others;
  if (arguments.size() != 1 && !sees_others) {
    throw UsageError("'worker' is started by 'sweep run' alone");
  }
  const std::string& device = arguments.front();
  const bool compiles = device == compiler_worker;
  Channel channel(WorkerProcess::child_channel);
  // A worker must not outlive the process it works for, however that one ends.
  end_with(channel);
  if (!compiles) {
    const auto find = [&] {
      const std::size_t index = device_index(device);
      if (!sees_others) see_only(index);
      Device found = cuda_device(index);
      use_cores_near(pci_address(found));
      return found;
    };
    serve_jobs(channel, {find, make_cuda_backend});
    return exit_done;
  }
  // What ends the compiling is the process that it is for: a signal that all processes of a job get
  // would otherwise end a compiler first, and cost a point.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  limit_memory();
  Nvrtc compiler;
  serve_programs(channel, compiler);
  return exit_done;
}

}  // namespace sweep
