#include "engine/cli/list_runs.h"

#include "engine/cli/find_database.h"
#include "engine/store/store.h"
#include "engine/text/units.h"
#include "report/provenance.h"
#include "report/terminal_table.h"

namespace sweep {
namespace {

std::string state_of(const RunRecord& run) {
  switch (run.state) {
    case RunState::finished:
      return "finished";
    case RunState::interrupted:
      return "interrupted";
    case RunState::running:
      break;
  }
  return "not finished";
}

}  // namespace

std::string list_runs(const std::string& database, std::size_t width, bool color) {
  const Store store(find_database(database), Store::Mode::read_only);
  TableModel table;
  table.key_columns = {{"run", true},    {"started", false}, {"state", false},
                       {"points", true}, {"failed", true},   {"device", false}};
  table.remark_heading = "command";
  for (const RunRecord& run : store.runs()) {
    const PointCounts counts = store.count_points(run.id);
    TableModel::Row row;
    row.keys = {std::to_string(run.id),
                readable_time(run.started),
                state_of(run),
                format_thousands(counts.points),
                format_thousands(counts.failed),
                run.provenance.device.name};
    row.remark = run.provenance.command;
    table.rows.push_back(std::move(row));
  }
  return terminal_table(table, width, color);
}

}  // namespace sweep
