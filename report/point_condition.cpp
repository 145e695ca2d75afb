#include "report/point_condition.h"

#include "report/parameter_values.h"

namespace sweep {

bool holds(const Expression& condition, const PointRecord& point) {
  const Bindings environment = environment_of(point);
  Diagnostics ignored;
  if (condition.check(scope_of(environment), ignored) != ValueKind::boolean) return false;
  try {
    return condition.evaluate_boolean(environment);
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace sweep
