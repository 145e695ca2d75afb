#pragma once

#include <boost/program_options.hpp>
#include <memory>
#include <optional>
#include <string>

#include "engine/cli/command_line.h"
#include "engine/jit/program_cache.h"

namespace sweep {

/// The cache of compiled programs by the environment: in $XDG_CACHE_HOME/sweep, without it in
/// $HOME/.cache/sweep, with the limit of $SWEEP_CACHE_LIMIT; a limit of 0 switches it off. Nothing
/// when neither variable names a folder by its whole path: the XDG specification has others
/// ignored. Throws UsageError for a limit that is none.
std::optional<CacheSettings> program_cache_settings();

/// Adds --no-cache.
void add_cache_option(CommandLine& line);

/// The cache to compile with; null with --no-cache and where there is none or it is switched off.
/// Throws UsageError.
std::unique_ptr<ProgramCache> given_program_cache(
    const boost::program_options::variables_map& values);

/// A line that says what is wrong with the cache's disk; empty when nothing is. The cache may be
/// null.
std::string describe_problem(const ProgramCache* cache);

}  // namespace sweep
