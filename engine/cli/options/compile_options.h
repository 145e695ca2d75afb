#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/cli/options/command_line.h"
#include "engine/jit/program_cache.h"
#include "engine/run/compile_pool.h"

namespace sweep {

/// Processes of this program to compile in, so many of them started at once: a command that is sure
/// to compile asks for some before it reads its files.
std::shared_ptr<CompilerProcesses> compiler_processes(unsigned ahead = 0);

/// Compiling on all cores. `cache` may be null.
CompileSettings compile_settings(
    std::shared_ptr<Nvrtc> nvrtc, int compute_capability, ProgramCache* cache,
    std::shared_ptr<CompilerProcesses> processes = compiler_processes());

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
