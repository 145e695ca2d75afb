#pragma once

#include "engine/search/strategy.h"

namespace sweep {

// A model learns the costs so far from the parameters, and the row with the greatest expected
// improvement (Jones, Schonlau and Welch, 1998) is proposed, out of random rows and those near the
// best. Once rows have failed, a forest learns which, and the improvement counts as much as the row
// is likely not to fail. The longer nothing gets better, the more proposals are random rows. A
// search begins with a row near the middle of the ordered parameters and rows that lie far from
// each other. Where costs are predicted, every second of these is one of the best predicted, and
// the prediction is one more thing to learn from.

/// The model is a `RegressionForest`.
std::unique_ptr<Strategy> forest_search(const SearchSpace& space, std::uint64_t seed);

/// The model is a `GaussianProcess` blended with a `RegressionForest`; it learns anew from each
/// answer, some milliseconds a time.
std::unique_ptr<Strategy> bayesian_search(const SearchSpace& space, std::uint64_t seed);

}  // namespace sweep
