#pragma once

#include <functional>
#include <string>

#include "engine/cli/options/command_line.h"
#include "engine/space/shard.h"

namespace sweep {

constexpr std::uint64_t most_shards = 1'000'000;

/// Adds --shard I/N.
void add_shard_option(CommandLine& line);

/// An environment variable's value; null where it is not set.
using EnvironmentLookup = std::function<const char*(const char* name)>;

/// The shard of "2/8", or with "slurm" that of this task of a Slurm job array, which the
/// environment tells. Throws UsageError.
Shard read_shard(const std::string& text, const EnvironmentLookup& environment);

/// The shard that --shard asks for; the whole without it. What the process says of its command line
/// names the shard by its number from then on. Throws UsageError.
Shard given_shard(const GivenOptions& given);

/// "stride.2-of-8"; of the whole the sweep's name.
std::string name_of_results(const std::string& sweep, const Shard& shard);

}  // namespace sweep
