#include "engine/cli/compile_cost.h"

#include <fmt/format.h>

#include "engine/text/units.h"

namespace sweep {

std::string describe(const CompileStatistics& statistics, std::string_view gap) {
  constexpr double milli = 1e3;
  const std::size_t all = statistics.configurations + statistics.from_cache;
  const double each = all == 0 ? 0 : statistics.wall_seconds * milli / static_cast<double>(all);
  std::string compiled;
  if (statistics.configurations > 0) {
    compiled = fmt::format("{} in {} by {}, ", count_of(statistics.configurations, "configuration"),
                           count_of(statistics.programs, "program"),
                           count_of(statistics.compilers, "compiler"));
  }
  return fmt::format(
      "{}{} from the cache;{}{:.3f} s from the start to the last, {:.3f} ms a configuration",
      compiled, format_thousands(statistics.from_cache), gap, statistics.wall_seconds, each);
}

}  // namespace sweep
