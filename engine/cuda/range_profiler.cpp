#include "engine/cuda/range_profiler.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <list>
#include <optional>

#include "engine/cuda/cupti.h"

namespace sweep {
namespace {

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
    if (!count_or_split(pending, launches, done)) continue;
    const auto got = static_cast<std::size_t>(
        std::ranges::count_if(pending, [&](std::size_t i) { return done[i]; }));
    if (got == 0) {
      throw CounterFailure(CounterFailure::Kind::passing,
                           "the hardware's counters gave nothing: CUPTI has dropped every launch");
    }
    if (got < pending.size()) most_ranges_ = got;
  }
}

/// False when it must be tried again, with as many as it takes now.
bool RangeProfiler::count_or_split(std::span<const std::size_t> wanted,
                                   const CountedLaunches& launches, std::vector<bool>& done) {
  const bool is_fresh = enabled_ == nullptr || !enabled_->was_used();
  try {
    count_in_session(wanted, launches, done);
    return true;
  } catch (const CounterFailure& failure) {
    disable();
    if (failure.kind() == CounterFailure::Kind::too_many_ranges && wanted.size() > 1) {
      most_ranges_ = wanted.size() / 2;
    } else if (is_fresh) {
      throw;
    }
    // What an enabled profiler does not do again, one that is enabled anew may do.
    return false;
  } catch (...) {
    disable();
    throw;
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
