#include "engine/cuda/range_profiler.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <list>

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

/// CUPTI's name of the chip, after making CUPTI ready.
std::string chip_of(int device) {
  Cupti::get().initialize([](auto&) {});
  const auto chip = Cupti::get().chip_name(
      [&](auto& asked) { asked.deviceIndex = static_cast<std::size_t>(device); });
  return chip.pChipName;
}

/// For calls that take nothing but the profiler.
auto only(CUpti_RangeProfiler_Object* profiler) {
  return [profiler](auto& parameters) { parameters.pRangeProfilerObject = profiler; };
}

std::optional<std::size_t> number_in(const char* name) {
  std::size_t number = 0;
  if (name == nullptr) return std::nullopt;
  const char* end = name + std::strlen(name);
  const auto [stopped, error] = std::from_chars(name, end, number);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return number;
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

std::string CounterHost::suggest(const std::string& counter) const {
  const std::string base = counter.substr(0, ending_of(counter));
  const std::string ending = counter.substr(base.size());
  std::vector<std::string> bases;
  std::vector<std::string> names;
  for (const CUpti_MetricType type : metric_types) {
    const auto list = Cupti::get().base_metrics.attempt([&](auto& asked) {
      asked.pHostObject = object_.get();
      asked.metricType = type;
    });
    for (std::size_t i = 0; list && i < list->numMetrics; ++i) {
      bases.emplace_back(list->ppMetricNames[i]);
    }
  }
  if (std::ranges::find(bases, base) != bases.end()) {
    // The endings of the first type that has some.
    for (const CUpti_MetricType type : metric_types) {
      const auto list = Cupti::get().sub_metrics.attempt([&](auto& asked) {
        asked.pHostObject = object_.get();
        asked.metricType = type;
        asked.pMetricName = base.c_str();
      });
      for (std::size_t i = 0; list && i < list->numOfSubmetrics; ++i) {
        names.push_back(base + list->ppSubMetrics[i]);
      }
      if (!names.empty()) break;
    }
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

/// The profiler, enabled in a context for as long as this lives, and the session in which it counts
/// some launches together. Counting disturbs timing, so that nothing is timed meanwhile.
class RangeProfiler::Enabled {
 public:
  explicit Enabled(CUcontext context)
      : object_(cupti_.enable([&](auto& enable) { enable.ctx = context; }).pRangeProfilerObject) {}
  /// An error here repeats one that was thrown, or comes too late to matter.
  ~Enabled() {
    if (is_abandoned_) return;
    if (is_in_range_) cupti_.pop_range.attempt(only(object_));
    if (is_started_) cupti_.stop.attempt(only(object_));
    cupti_.disable.attempt(only(object_));
  }
  Enabled(const Enabled&) = delete;
  Enabled& operator=(const Enabled&) = delete;

  bool was_used() const { return was_used_; }

  /// Begins a session with a new image that the host's counters are counted into.
  void configure(CounterHost& host, std::size_t ranges) {
    const auto size = cupti_.data_size([&](auto& asked) {
      asked.pRangeProfilerObject = object_;
      asked.pMetricNames = host.names();
      asked.numMetrics = host.counters().size();
      asked.maxNumOfRanges = ranges;
      asked.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges);
    });
    image_ = &given_.emplace_back(size.counterDataSize);
    cupti_.initialize_image([&](auto& image) {
      image.pRangeProfilerObject = object_;
      image.counterDataSize = image_->size();
      image.pCounterData = image_->data();
    });
    const std::vector<std::uint8_t>& configuration =
        given_.emplace_back(host.configuration().begin(), host.configuration().end());
    cupti_.set_config([&](auto& set) {
      set.pRangeProfilerObject = object_;
      set.configSize = configuration.size();
      set.pConfig = configuration.data();
      set.counterDataImageSize = image_->size();
      set.pCounterDataImage = image_->data();
      set.range = CUPTI_UserRange;
      set.replayMode = CUPTI_UserReplay;
      set.maxRangesPerPass = ranges;
      set.numNestingLevels = 1;
      set.minNestingLevel = 1;
      set.passIndex = 0;
      set.targetNestingLevel = 1;
    });
    was_used_ = true;
  }

  void start() {
    cupti_.start(only(object_));
    is_started_ = true;
  }

  /// Whether this was the last pass.
  bool stop() {
    is_started_ = false;
    return cupti_.stop(only(object_)).isAllPassSubmitted != 0;
  }

  /// Prepares and counts launch `i`, or leaves it out. False where it has no range: in the first
  /// pass, one that cannot be prepared.
  bool run(std::size_t i, const CountedLaunches& launches, bool is_first_pass,
           std::vector<bool>& left_out) {
    const bool is_ready = !left_out[i] && attempt(launches.prepare, i);
    if (!is_ready) left_out[i] = true;
    if (!is_ready && is_first_pass) return false;
    const std::string name = std::to_string(i);
    cupti_.push_range([&](auto& push) {
      push.pRangeProfilerObject = object_;
      push.pRangeName = name.c_str();
    });
    is_in_range_ = true;
    if (is_ready && !attempt(launches.launch, i)) left_out[i] = true;
    is_in_range_ = false;
    cupti_.pop_range(only(object_));
    return true;
  }

  /// The numbers and the values of the ranges that were counted, at most `ranges`.
  std::vector<std::pair<std::size_t, std::vector<double>>> decode(CounterHost& host,
                                                                  std::size_t ranges) {
    cupti_.decode(only(object_));
    const auto info = cupti_.data_info([&](auto& asked) {
      asked.pCounterDataImage = image_->data();
      asked.counterDataImageSize = image_->size();
    });
    std::vector<std::pair<std::size_t, std::vector<double>>> decoded;
    for (std::size_t i = 0; i < std::min<std::size_t>(info.numTotalRanges, ranges); ++i) {
      const auto range = cupti_.range_info([&](auto& asked) {
        asked.pCounterDataImage = image_->data();
        asked.counterDataImageSize = image_->size();
        asked.rangeIndex = i;
        asked.rangeDelimiter = "/";
      });
      if (const auto number = number_in(range.rangeName)) {
        decoded.emplace_back(*number, host.values(*image_, i));
      }
    }
    return decoded;
  }

 private:
  /// A step that throws has lost the context, and CUPTI is not called in it again to clean up.
  bool attempt(const std::function<bool(std::size_t)>& step, std::size_t i) {
    is_abandoned_ = true;
    const bool succeeds = step(i);
    is_abandoned_ = false;
    return succeeds;
  }

  const Cupti& cupti_ = Cupti::get();
  CUpti_RangeProfiler_Object* object_;
  /// What CUPTI is given stays where it is until it is disabled.
  std::list<std::vector<std::uint8_t>> given_;
  std::vector<std::uint8_t>* image_ = nullptr;
  bool was_used_ = false;
  bool is_started_ = false;
  bool is_in_range_ = false;
  bool is_abandoned_ = false;
};

RangeProfiler::RangeProfiler(int device, CUcontext context)
    : CounterHost(chip_of(device)), context_(context) {}

RangeProfiler::~RangeProfiler() = default;

std::vector<std::string> RangeProfiler::choose(const std::vector<std::string>& wanted) {
  // Other counters are another configuration, which an enabled profiler may not take.
  if (wanted != counters()) disable();
  return CounterHost::choose(wanted);
}

void RangeProfiler::count(std::size_t count, const CountedLaunches& launches) {
  if (counters().empty()) return;
  std::vector<bool> done(count, false);  // counted, or left out
  for (;;) {
    std::vector<std::size_t> pending;
    for (std::size_t i = 0; i < count && pending.size() < most_ranges_; ++i) {
      if (!done[i]) pending.push_back(i);
    }
    if (pending.empty()) return;
    const bool is_fresh = enabled_ == nullptr || !enabled_->was_used();
    try {
      count_in_session(pending, launches, done);
    } catch (const CounterFailure& failure) {
      disable();
      if (failure.kind() == CounterFailure::Kind::too_many_ranges && pending.size() > 1) {
        most_ranges_ = pending.size() / 2;
      } else if (is_fresh) {
        throw;
      }
      // What an enabled profiler does not do again, one that is enabled anew may do.
      continue;
    } catch (...) {
      disable();
      throw;
    }
    const auto got = static_cast<std::size_t>(
        std::ranges::count_if(pending, [&](std::size_t i) { return done[i]; }));
    if (got == 0) {
      throw CounterFailure(CounterFailure::Kind::passing,
                           "the hardware's counters gave nothing: CUPTI has dropped every launch");
    }
    if (got < pending.size()) most_ranges_ = got;
  }
}

void RangeProfiler::disable() {
  enabled_.reset();
}

void RangeProfiler::count_in_session(std::span<const std::size_t> wanted,
                                     const CountedLaunches& launches, std::vector<bool>& done) {
  if (enabled_ == nullptr) enabled_ = std::make_unique<Enabled>(context_);
  enabled_->configure(*this, wanted.size());
  std::vector<std::size_t> ranges(wanted.begin(), wanted.end());
  std::vector<bool> left_out(done.size(), false);
  const auto has_none = [&] {
    return std::ranges::all_of(ranges, [&](std::size_t i) { return left_out[i]; });
  };
  bool is_last = false;
  for (std::size_t pass = 0; !is_last && !has_none(); ++pass) {
    if (pass > passes()) {
      throw CounterFailure(CounterFailure::Kind::passing,
                           "the hardware's counters gave nothing: CUPTI asks for more passes than "
                           "it has planned");
    }
    enabled_->start();
    // Every pass has the ranges of the first.
    std::vector<std::size_t> counted;
    for (const std::size_t i : ranges) {
      if (enabled_->run(i, launches, pass == 0, left_out)) counted.push_back(i);
    }
    is_last = enabled_->stop();
    ranges = std::move(counted);
  }
  for (const std::size_t i : wanted) {
    if (left_out[i]) done[i] = true;
  }
  if (has_none()) return;
  for (auto& [range, values] : enabled_->decode(*this, wanted.size())) {
    if (range >= done.size() || done[range]) continue;
    done[range] = true;
    launches.take(range, std::move(values));
  }
}

}  // namespace sweep
