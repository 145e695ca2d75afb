#pragma once

#include "tests/report/example_results.h"

namespace sweep::testing {

/// What a search by this metric has for its record, without groups.
TuningRecord search_by(const std::string& metric, Origin origin, Better better);

/// A finished run that searched for the highest bandwidth for each of two element types: one
/// winner was told from the others by rounds in turn and beats the default, the other group has no
/// default. Some configurations failed, some were cut off.
RunResults tuned_results();

/// A run without a GPU that searched for the padding with the fewest bank conflicts, of all
/// configurations at once: there are some without any.
RunResults tuned_emulated_results();

/// A run that searched for the shortest time for each of 22 strides, of which one has no winner and
/// one was not searched to its end.
RunResults tuned_results_of_many_groups();

}  // namespace sweep::testing
