#pragma once

namespace sweep {

/// What a model that has learnt some costs expects of a row: the variance is large where nothing
/// alike was seen.
struct Prediction {
  double mean = 0;
  double variance = 0;
};

}  // namespace sweep
