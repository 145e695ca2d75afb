#include "engine/cli/options/shard.h"

#include <cstdlib>

namespace sweep {
namespace {

/// A number of the job array's; nothing where the environment lacks it or it is none.
std::optional<std::uint64_t> array_number(const EnvironmentLookup& environment, const char* name) {
  const char* value = environment(name);
  return value != nullptr ? whole_number(value) : std::nullopt;
}

/// The place of this task among those of its array, which may begin at any number and go on in
/// steps.
Shard shard_of_array(const EnvironmentLookup& environment) {
  const auto task = array_number(environment, "SLURM_ARRAY_TASK_ID");
  const auto first = array_number(environment, "SLURM_ARRAY_TASK_MIN");
  const auto last = array_number(environment, "SLURM_ARRAY_TASK_MAX");
  const auto count = array_number(environment, "SLURM_ARRAY_TASK_COUNT");
  if (!task || !first || !last || !count) {
    throw UsageError(
        "--shard slurm: this is no task of a Slurm job array; submit it with sbatch --array=1-8, "
        "or name the shard, as in --shard 2/8");
  }
  const std::uint64_t step = array_number(environment, "SLURM_ARRAY_TASK_STEP").value_or(1);
  const bool is_even = step > 0 && *first <= *task && *task <= *last &&
                       (*task - *first) % step == 0 && (*last - *first) / step + 1 == *count;
  if (!is_even) {
    // Tasks that are submitted again would be taken for the whole.
    throw UsageError(
        "--shard slurm: the array's tasks do not go from {} to {} in equal steps; name the shard "
        "by the number that it has in the whole array, as in --shard $SLURM_ARRAY_TASK_ID/8",
        *first, *last);
  }
  return {(*task - *first) / step + 1, *count};
}

}  // namespace

void add_shard_option(CommandLine& line) {
  line.option("shard", "I/N",
              "measure the I-th of N shares of the configurations alone, into NAME.I-of-N.db, for "
              "'sweep merge'; slurm: the share of this task of a Slurm job array");
}

Shard read_shard(const std::string& text, const EnvironmentLookup& environment) {
  if (text == "slurm") return shard_of_array(environment);
  const std::vector<std::string> words = split(text, '/');
  const auto number = whole_number(words.front());
  const auto count = whole_number(words.back());
  if (words.size() != 2 || !number || !count || *count == 0 || *count > most_shards) {
    throw UsageError(
        "--shard {}: write the number of the shard and how many there are, as in --shard 2/8, or "
        "slurm within a Slurm job array",
        text);
  }
  if (*number == 0 || *number > *count) {
    throw UsageError("--shard {}: of {} shards the first is 1/{} and the last {}/{}", text, *count,
                     *count, *count, *count);
  }
  return {*number, *count};
}

Shard given_shard(const GivenOptions& given) {
  if (!given.has("shard")) return {};
  const Shard shard =
      read_shard(given.text("shard"), [](const char* name) { return std::getenv(name); });
  set_process_option("shard", std::to_string(shard.number) + '/' + std::to_string(shard.count));
  return shard;
}

std::string name_of_results(const std::string& sweep, const Shard& shard) {
  if (shard.count == 1) return sweep;
  return fmt::format("{}.{}-of-{}", sweep, shard.number, shard.count);
}

}  // namespace sweep
