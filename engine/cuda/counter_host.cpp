#include "engine/cuda/counter_host.h"

#include <algorithm>

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

void CounterHost::Release::operator()(CUpti_Profiler_Host_Object* object) const {
  Cupti::get().host_deinitialize.attempt([&](auto& end) { end.pHostObject = object; });
}

CounterHost::CounterHost(std::string chip) : chip_(std::move(chip)), object_(make_object()) {}

CounterHost::Object CounterHost::make_object() const {
  const auto made = Cupti::get().host_initialize([&](auto& host) {
    host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    host.pChipName = chip_.c_str();
  });
  return Object(made.pHostObject);
}

bool CounterHost::has(const std::string& counter) const {
  // CUPTI knows a name without its ending, but does not count it.
  if (ending_of(counter) == std::string::npos) return false;
  const auto properties = Cupti::get().metric_properties.attempt([&](auto& asked) {
    asked.pHostObject = object_.get();
    asked.pMetricName = counter.c_str();
  });
  return properties.has_value();
}

std::vector<std::string> CounterHost::base_names() const {
  std::vector<std::string> names;
  for (const CUpti_MetricType type : metric_types) {
    const auto list = Cupti::get().base_metrics.attempt([&](auto& asked) {
      asked.pHostObject = object_.get();
      asked.metricType = type;
    });
    if (list)
      names.insert(names.end(), list->ppMetricNames, list->ppMetricNames + list->numMetrics);
  }
  return names;
}

/// Of the first type that has some.
std::vector<std::string> CounterHost::endings_of(const std::string& base) const {
  for (const CUpti_MetricType type : metric_types) {
    const auto list = Cupti::get().sub_metrics.attempt([&](auto& asked) {
      asked.pHostObject = object_.get();
      asked.metricType = type;
      asked.pMetricName = base.c_str();
    });
    if (list && list->numOfSubmetrics > 0) {
      return {list->ppSubMetrics, list->ppSubMetrics + list->numOfSubmetrics};
    }
  }
  return {};
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

std::vector<std::string> CounterHost::choose(const std::vector<std::string>& counters) {
  if (!counters.empty() && counters == counters_) return {};
  try {
    schedule(counters);
    return {};
  } catch (const CounterFailure&) {
    std::vector<std::string> good;
    std::vector<std::string> bad;
    for (const std::string& counter : counters) {
      const char* name = counter.c_str();
      const Object object = make_object();
      const auto added = Cupti::get().add_metrics.attempt([&](auto& metrics) {
        metrics.pHostObject = object.get();
        metrics.ppMetricNames = &name;
        metrics.numMetrics = 1;
      });
      (added ? good : bad).push_back(counter);
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
  cupti.add_metrics([&](auto& metrics) {
    metrics.pHostObject = object_.get();
    metrics.ppMetricNames = names.data();
    metrics.numMetrics = names.size();
  });
  const auto size = cupti.config_size([&](auto& asked) { asked.pHostObject = object_.get(); });
  std::vector<std::uint8_t> configuration(size.configImageSize);
  cupti.config_image([&](auto& image) {
    image.pHostObject = object_.get();
    image.configImageSize = configuration.size();
    image.pConfigImage = configuration.data();
  });
  const auto passes = cupti.pass_count([&](auto& asked) {
    asked.configImageSize = configuration.size();
    asked.pConfigImage = configuration.data();
  });
  passes_ = passes.numOfPasses;
  configuration_ = std::move(configuration);
  counters_ = counters;
  for (const std::string& counter : counters_) names_.push_back(counter.c_str());
}

std::vector<double> CounterHost::values(std::span<const std::uint8_t> image, std::size_t range) {
  std::vector<double> values(counters_.size());
  Cupti::get().evaluate([&](auto& evaluated) {
    evaluated.pHostObject = object_.get();
    evaluated.pCounterDataImage = image.data();
    evaluated.counterDataImageSize = image.size();
    evaluated.rangeIndex = range;
    evaluated.ppMetricNames = names_.data();
    evaluated.numMetrics = names_.size();
    evaluated.pMetricValues = values.data();
  });
  return values;
}

}  // namespace sweep
