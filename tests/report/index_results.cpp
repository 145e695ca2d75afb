#include "tests/report/index_results.h"

#include "tests/report/compare/compared_runs.h"
#include "tests/report/page_results.h"

namespace sweep::testing {

RunIndex example_index() {
  RunIndex index;
  index.folder = "nightly";
  IndexedSeries& series = index.series.emplace_back();
  series.sweep = hostile_text();
  series.device = "NVIDIA H200";
  RunHistory history;
  for (const double time : {100.0, 150.0}) {
    ComparedRun run = run_of("a <b>.db:1", {timed_point({{"STRIDE", integer(1)}}, time),
                                            timed_point({{"STRIDE", integer(2)}}, 400)});
    run.results.layout = {};
    IndexedRun& indexed = series.runs.emplace_back(indexed_run(run.results));
    indexed.page = "runs/a b-1.html";
    history.add(std::move(run));
  }
  series.steps = history.steps();
  series.regression = history.regression();
  series.regression_comparison = "compare/a-1-now.html";
  index.unread = {{"x.db", "is no database | <script>"}};
  return index;
}

}  // namespace sweep::testing
