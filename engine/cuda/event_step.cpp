#include "engine/cuda/event_step.h"

#include <algorithm>
#include <vector>

namespace sweep {

double smallest_step(std::span<const double> seconds) {
  constexpr double documented = 0.5e-6;
  constexpr double largest = 1e-6;
  constexpr double rounding = 1e-9;  // of times given as a float in milliseconds
  std::vector<double> sorted(seconds.begin(), seconds.end());
  std::ranges::sort(sorted);
  double step = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double difference = sorted[i] - sorted[i - 1];
    if (difference >= rounding && (step == 0 || difference < step)) step = difference;
  }
  return step == 0 ? documented : std::min(step, largest);
}

double measure_event_step(EventPool& events, StreamGate& gate, ClockStamps& stamps,
                          CUstream stream) {
  constexpr std::size_t pairs = 48;
  constexpr std::size_t most_kernels = 3;
  events.reserve(pairs);
  {
    const GateHold hold(gate, gate.patience);
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      record(events.begin(pair), stream);
      for (std::size_t i = 0; i <= pair % most_kernels; ++i) stamps.queue(0);
      record(events.end(pair), stream);
    }
  }
  synchronize(stream);
  std::vector<double> seconds;
  for (std::size_t pair = 0; pair < pairs; ++pair) seconds.push_back(events.seconds(pair));
  return smallest_step(seconds);
}

}  // namespace sweep
