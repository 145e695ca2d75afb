// Stands in for range_profiler.cpp where the headers of CUPTI's range profiler are not there.
#include "engine/cuda/counter_failure.h"
#include "engine/cuda/range_profiler.h"

namespace sweep {

class CounterHost {};
class RangeProfiler::Enabled {};

namespace {

[[noreturn]] void refuse() {
  throw CounterFailure(CounterFailure::Kind::lasting,
                       "the hardware's counters cannot be read: this program was built without the "
                       "headers of CUPTI's range profiler; build it with a CUDA Toolkit 12.6 or "
                       "newer that has them (NVIDIA's package cuda-cupti-dev-12-6 or newer)");
}

}  // namespace

RangeProfiler::RangeProfiler(int /*device*/, CUcontext context)
    : context_(context), most_ranges_(0) {
  refuse();
}

RangeProfiler::~RangeProfiler() = default;

const std::string& RangeProfiler::chip() const {
  refuse();
}

bool RangeProfiler::has(const std::string& /*counter*/) const {
  refuse();
}

std::string RangeProfiler::suggest(const std::string& /*counter*/) const {
  refuse();
}

std::vector<std::string> RangeProfiler::choose(const std::vector<std::string>& /*counters*/) {
  refuse();
}

const std::vector<std::string>& RangeProfiler::counters() const {
  refuse();
}

std::size_t RangeProfiler::passes() const {
  refuse();
}

void RangeProfiler::count(std::size_t /*count*/, const CountedLaunches& /*launches*/) {
  refuse();
}

void RangeProfiler::disable() {}

}  // namespace sweep
