#include "engine/spec/reading_order.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace sweep {

Diagnostics in_reading_order(const Diagnostics& diagnostics) {
  std::map<const Source*, std::size_t> ranks;
  for (const Diagnostic& diagnostic : diagnostics.list()) {
    ranks.try_emplace(diagnostic.where.source.get(), ranks.size());
  }
  std::vector<Diagnostic> sorted = diagnostics.list();
  std::ranges::stable_sort(sorted, {}, [&](const Diagnostic& diagnostic) {
    const Location& where = diagnostic.where;
    return std::tuple(ranks.at(where.source.get()), where.line, where.column);
  });
  Diagnostics result;
  for (Diagnostic& diagnostic : sorted) result.add(std::move(diagnostic));
  return result;
}

}  // namespace sweep
