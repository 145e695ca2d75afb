#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/cli/options/command_line.h"
#include "engine/emulator/execution/emulator_backend.h"
#include "engine/jit/program_cache.h"
#include "engine/run/compile_pool.h"

namespace sweep {

/// "9.0" from 90.
std::string dotted(int compute_capability);

/// The compute capabilities that the emulator knows, dotted.
std::vector<std::string> model_names();

/// "9.0" or "90" as 90, "10.0" or "100" as 100. Throws UsageError that names the option.
int given_compute_capability(const GivenOptions& given, const std::string& option);

/// What `--device` calls the engine's own machine.
constexpr const char* emulator_name = "emulator";

/// The number of the GPU that `--device` names: "auto" for the first one, or a number. Throws
/// UsageError for anything else.
std::size_t device_index(const std::string& name);

/// That GPU. Throws DeviceError when it is not there.
Device choose_device(const std::string& name);

/// "NVIDIA H200 (compute capability 9.0, 132 SMs, ...)"
std::string describe_device(const Device& device);

// The options that say what the emulator is to be like: --model, --l1, --banks, --profile.

void add_emulator_options(CommandLine& line);

/// The compute capability that is emulated unless something else is asked for.
constexpr int usual_model = 90;

/// With --exact every block is executed, and one may take so many times as many instructions
/// before it counts as one that does not end.
constexpr std::uint64_t exact_patience = 100;

/// Throws UsageError, and InputError or FileError for the profile's file. `default_model` is used
/// where no --model is given: major * 10 + minor.
EmulatorSettings given_emulator_settings(const GivenOptions& given,
                                         int default_model = usual_model);

/// Processes of this program to compile in, so many of them started at once: a command that is sure
/// to compile asks for some before it reads its files.
std::shared_ptr<CompilerProcesses> compiler_processes(unsigned ahead = 0);

/// The operand of 'sweep worker' that makes it a compiler process.
constexpr const char* compiler_worker = "compiler";

/// What compiling cost: "24 configurations in 5 programs by 2 compilers, 0 from the cache; 0.933 s
/// from the start to the last, 38.868 ms a configuration". `gap` stands between its two halves.
std::string describe(const CompileStatistics& statistics, std::string_view gap = " ");

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

}  // namespace sweep
