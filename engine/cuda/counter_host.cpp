#include "engine/cuda/counter_host.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/cuda/counter_failure.h"
#include "engine/cuda/cupti.h"
#include "engine/text/diagnostic.h"

namespace sweep {
namespace {

constexpr std::array metric_types = {CUPTI_METRIC_TYPE_COUNTER, CUPTI_METRIC_TYPE_RATIO,
                                     CUPTI_METRIC_TYPE_THROUGHPUT};

/// Where the ending of "dram__bytes_read.sum" begins: after the part that names the unit, which
/// may have points of its own.
std::size_t ending_of(const std::string& counter) {
  const std::size_t mark = counter.find("__");
  return mark == std::string::npos ? std::string::npos : counter.find('.', mark);
}

}  // namespace

/// CUPTI's object. Metrics can only be added to it, and one that it refuses spoils it.
class CounterHost::Object {
 public:
  Object(const Cupti& cupti, const std::string& chip) : cupti_(cupti) {
    auto host = SWEEP_CUPTI_PARAMETERS(CUpti_Profiler_Host_Initialize);
    host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    host.pChipName = chip.c_str();
    host.pCounterAvailabilityImage = nullptr;
    SWEEP_CUPTI_CALL(cupti_, ProfilerHostInitialize, host);
    handle_ = host.pHostObject;
  }
  ~Object() {
    auto end = SWEEP_CUPTI_PARAMETERS(CUpti_Profiler_Host_Deinitialize);
    end.pHostObject = handle_;
    cupti_.ProfilerHostDeinitialize(&end);
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  CUpti_Profiler_Host_Object* get() const { return handle_; }

  CUptiResult add(const char** names, std::size_t count) const {
    auto metrics = SWEEP_CUPTI_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics);
    metrics.pHostObject = handle_;
    metrics.ppMetricNames = names;
    metrics.numMetrics = count;
    return cupti_.ProfilerHostConfigAddMetrics(&metrics);
  }

 private:
  const Cupti& cupti_;
  CUpti_Profiler_Host_Object* handle_ = nullptr;
};

CounterHost::CounterHost(std::string chip) : chip_(std::move(chip)), object_(make_object()) {}

CounterHost::~CounterHost() = default;

std::unique_ptr<CounterHost::Object> CounterHost::make_object() const {
  return std::make_unique<Object>(Cupti::get(), chip_);
}

bool CounterHost::has(const std::string& counter) const {
  // CUPTI knows a name without its ending, but does not count it.
  if (ending_of(counter) == std::string::npos) return false;
  auto properties = SWEEP_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetMetricProperties);
  properties.pHostObject = object_->get();
  properties.pMetricName = counter.c_str();
  return Cupti::get().ProfilerHostGetMetricProperties(&properties) == CUPTI_SUCCESS;
}

std::vector<std::string> CounterHost::base_names() const {
  std::vector<std::string> names;
  for (const CUpti_MetricType type : metric_types) {
    auto list = SWEEP_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetBaseMetrics);
    list.pHostObject = object_->get();
    list.metricType = type;
    if (Cupti::get().ProfilerHostGetBaseMetrics(&list) != CUPTI_SUCCESS) continue;
    for (std::size_t i = 0; i < list.numMetrics; ++i) names.emplace_back(list.ppMetricNames[i]);
  }
  return names;
}

std::vector<std::string> CounterHost::endings_of(const std::string& base) const {
  std::vector<std::string> endings;
  for (const CUpti_MetricType type : metric_types) {
    auto list = SWEEP_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetSubMetrics);
    list.pHostObject = object_->get();
    list.metricType = type;
    list.pMetricName = base.c_str();
    if (Cupti::get().ProfilerHostGetSubMetrics(&list) != CUPTI_SUCCESS) continue;
    for (std::size_t i = 0; i < list.numOfSubmetrics; ++i) {
      endings.emplace_back(list.ppSubMetrics[i]);
    }
    if (!endings.empty()) break;
  }
  return endings;
}

std::string CounterHost::suggest(const std::string& counter) const {
  const std::string base = counter.substr(0, ending_of(counter));
  const std::string ending = counter.substr(base.size());
  const std::vector<std::string> bases = base_names();
  std::vector<std::string> names;
  if (std::ranges::find(bases, base) != bases.end()) {
    for (const std::string& known : endings_of(base)) names.push_back(base + known);
    if (ending.empty() && !names.empty()) {
      const auto sum = std::ranges::find(names, base + ".sum");
      return "did you mean '" + (sum != names.end() ? *sum : names.front()) + "'?";
    }
  } else {
    for (const std::string& known : bases) names.push_back(known + ending);
  }
  return did_you_mean(counter, names);
}

bool CounterHost::can_count(const std::string& counter) const {
  const char* name = counter.c_str();
  return make_object()->add(&name, 1) == CUPTI_SUCCESS;
}

std::vector<std::string> CounterHost::choose(const std::vector<std::string>& counters) {
  if (!counters.empty() && counters == counters_) return {};
  try {
    schedule(counters);
    return {};
  } catch (const CounterFailure&) {
    std::vector<std::string> good;
    std::vector<std::string> bad;
    for (const std::string& counter : counters) {
      (can_count(counter) ? good : bad).push_back(counter);
    }
    if (bad.empty()) throw;
    schedule(good);
    return bad;
  }
}

/// The counters are added in one call: CUPTI plans the passes of each call by itself, and more
/// calls need more passes.
void CounterHost::schedule(const std::vector<std::string>& counters) {
  const Cupti& cupti = Cupti::get();
  counters_.clear();
  names_.clear();
  configuration_.clear();
  passes_ = 0;
  object_ = make_object();
  if (counters.empty()) return;
  std::vector<const char*> names;
  for (const std::string& counter : counters) names.push_back(counter.c_str());
  cupti.check(object_->add(names.data(), names.size()), "cuptiProfilerHostConfigAddMetrics");
  auto size = SWEEP_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize);
  size.pHostObject = object_->get();
  SWEEP_CUPTI_CALL(cupti, ProfilerHostGetConfigImageSize, size);
  std::vector<std::uint8_t> configuration(size.configImageSize);
  auto image = SWEEP_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImage);
  image.pHostObject = object_->get();
  image.configImageSize = configuration.size();
  image.pConfigImage = configuration.data();
  SWEEP_CUPTI_CALL(cupti, ProfilerHostGetConfigImage, image);
  auto passes = SWEEP_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetNumOfPasses);
  passes.configImageSize = configuration.size();
  passes.pConfigImage = configuration.data();
  SWEEP_CUPTI_CALL(cupti, ProfilerHostGetNumOfPasses, passes);
  passes_ = passes.numOfPasses;
  configuration_ = std::move(configuration);
  counters_ = counters;
  for (const std::string& counter : counters_) names_.push_back(counter.c_str());
}

std::vector<double> CounterHost::values(std::span<const std::uint8_t> image, std::size_t range) {
  std::vector<double> values(counters_.size());
  auto evaluate = SWEEP_CUPTI_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues);
  evaluate.pHostObject = object_->get();
  evaluate.pCounterDataImage = image.data();
  evaluate.counterDataImageSize = image.size();
  evaluate.rangeIndex = range;
  evaluate.ppMetricNames = names_.data();
  evaluate.numMetrics = names_.size();
  evaluate.pMetricValues = values.data();
  SWEEP_CUPTI_CALL(Cupti::get(), ProfilerHostEvaluateToGpuValues, evaluate);
  return values;
}

}  // namespace sweep
