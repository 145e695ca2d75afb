#include "engine/store/metric_list_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "engine/store/figures_json.h"

namespace sweep {
namespace {

std::string_view unit_of(const Metric& metric) {
  const MetricDefinition* definition = find_metric(metric.name);
  return definition != nullptr ? definition->unit : std::string_view();
}

}  // namespace

MetricListTable::MetricListTable(sqlite::Database& database)
    : database_(database),
      select_(database, R"sql(
          SELECT list_id, name, origin, unit FROM metric_list WHERE list_id > ?
          ORDER BY list_id, ordinal)sql"),
      next_id_(database, "SELECT 1 + coalesce(max(list_id), 0) FROM metric_list"),
      insert_(database, R"sql(
          INSERT INTO metric_list (list_id, ordinal, name, origin, unit)
          VALUES (?, ?, ?, ?, ?))sql") {}

std::int64_t MetricListTable::id_of(const std::vector<Metric>& metrics) {
  if (metrics.empty()) return 0;
  if (const std::int64_t* met = find(metrics)) return *met;
  read_new_lists();
  if (const std::int64_t* met = find(metrics)) return *met;
  return insert(metrics);
}

std::vector<Metric> MetricListTable::metrics(std::int64_t id, const std::string& values) {
  if (id != 0 && !lists_.contains(id)) read_new_lists();
  const auto found = lists_.find(id);
  static const List empty;
  const List& list = found != lists_.end() ? found->second : empty;
  std::vector<double> numbers;
  try {
    numbers = values_from_json(values);
  } catch (const std::invalid_argument& error) {
    database_.fail_as_damaged(error.what());
  }
  if (numbers.size() != list.size()) {
    database_.fail_as_damaged(fmt::format("a point has {} values for the {} metrics of list {}",
                                          numbers.size(), list.size(), id));
  }
  std::vector<Metric> metrics;
  metrics.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    metrics.push_back({list[i].name, list[i].origin, numbers[i]});
  }
  return metrics;
}

bool MetricListTable::is_of(const List& list, const std::vector<Metric>& metrics) {
  return std::ranges::equal(list, metrics, [](const Entry& entry, const Metric& metric) {
    return entry.name == metric.name && entry.origin == metric.origin &&
           entry.unit == unit_of(metric);
  });
}

const std::int64_t* MetricListTable::find(const std::vector<Metric>& metrics) const {
  for (const auto& [id, list] : lists_) {
    if (is_of(list, metrics)) return &id;
  }
  return nullptr;
}

// Not remembered: the transaction may be taken back, and the number given to another list.
std::int64_t MetricListTable::insert(const std::vector<Metric>& metrics) {
  const sqlite::ResetAtEnd reset(next_id_);
  next_id_.step();
  const std::int64_t id = next_id_.integer(0);
  std::int64_t ordinal = 0;
  for (const Metric& metric : metrics) {
    insert_.bind(id, ordinal++, metric.name, to_string(metric.origin), unit_of(metric)).run();
  }
  return id;
}

/// What another connection, or this one, added since.
void MetricListTable::read_new_lists() {
  const sqlite::ResetAtEnd reset(select_);
  select_.bind(lists_.empty() ? std::int64_t{0} : lists_.rbegin()->first);
  while (select_.step()) {
    const std::string name = select_.text(2);
    const auto origin = find_origin(name);
    if (!origin) {
      database_.fail_as_damaged(fmt::format("a metric has the unknown origin '{}'", name));
    }
    lists_[select_.integer(0)].push_back({select_.text(1), *origin, select_.text(3)});
  }
}

}  // namespace sweep
