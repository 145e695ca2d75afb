#include "engine/store/merge.h"

#include <csignal>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/cli/options/output.h"
#include "engine/cli/options/sources.h"
#include "engine/cli/terminal/progress.h"
#include "engine/store/store.h"
#include "report/findings.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

CommandLine merge_line() {
  CommandLine line(
      "sweep merge [OPTIONS] FILE.db ... -o ALL.db",
      "Makes one results database of those that the shards of a sweep wrote ('sweep run\n"
      "--shard'), for 'sweep report', and for 'sweep run', which reuses its points.\n"
      "What does not belong together is refused; each point keeps where it comes from.\n"
      "Shards that are missing are named, and can be merged into ALL.db later.");
  line.option("output,o", "FILE", "the database to write; what it holds already is kept");
  line.flag("quiet,q", "print errors and what is missing alone");
  line.operands({"DATABASE..."}, 1,
                "merge what? for example: sweep merge results/stride.*-of-8.db -o "
                "results/stride.db");
  return line;
}

/// What to tell people of the merged run.
void tell(const fs::path& output, const std::vector<std::string>& notes, bool is_quiet) {
  const Store store(output, Store::Mode::read_only);
  const RunRecord run = store.runs().back();
  const std::size_t points = store.count_points(run.id).points;
  for (const std::string& note : notes) std::cerr << note << '\n';
  for (const std::string& lack : describe_missing_parts(run, points)) std::cerr << lack << '\n';
  if (is_quiet) return;
  std::cerr << fmt::format("{}: {}, {}\nsweep report {} makes the report of it\n", output.string(),
                           count_of(points, "point"), describe_parts(run),
                           shell_quoted({output.string()}));
}

int merge_main(const GivenOptions& given) {
  const auto output = given_output(given);
  if (!output) {
    throw UsageError("merge into which database? for example: sweep merge {} -o all.db",
                     shell_quoted(given.operands()));
  }
  check_operand("merge", Operand::database, output->string());
  std::vector<fs::path> sources;
  for (const std::string& operand : given.operands()) {
    check_operand("merge", Operand::database, operand);
    sources.push_back(find_database(operand));
  }
  const bool is_quiet = given.has("quiet");
  // A file that may not grow is an error of the write.
  std::signal(SIGXFSZ, SIG_IGN);
  if (output->has_parent_path()) make_output_folder(output->parent_path());
  try {
    StepProgress progress("merging", sources.size(), is_quiet);
    const MergeRequest request = {sources, *output, process_command(), stop_flag(),
                                  [&] { progress.step(); }};
    const std::vector<std::string> notes = merge_databases(request);
    tell(*output, notes, is_quiet);
  } catch (const MergeRefused& error) {
    throw CommandError(exit_bad_input, error.what());
  } catch (const MergeStopped&) {
    return complain(stopped_exit_code(), fmt::format("stopped; {} is as it was", output->string()));
  } catch (const StoreError& error) {
    if (error.fault() != StoreFault::failing) throw;
    throw CommandError(exit_io, "{}; {} is as it was, and the same command begins anew",
                       error.what(), output->string());
  }
  return exit_done;
}

}  // namespace

const Command merge_command = {"merge", "make one results database of a sweep's shards", merge_line,
                               merge_main};

}  // namespace sweep
