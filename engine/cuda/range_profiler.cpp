#include "engine/cuda/range_profiler.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <list>
#include <optional>
#include <set>

#include "engine/cuda/counter_failure.h"
#include "engine/cuda/counter_host.h"
#include "engine/cuda/cupti.h"

namespace sweep {
namespace {

/// A session with so many ranges costs far less than their launches. Each range beyond adds most of
/// a millisecond to the first session's start.
constexpr std::size_t most_ranges_at_first = 128;

std::string chip_of(const Cupti& cupti, int device) {
  auto chip = SWEEP_CUPTI_PARAMETERS(CUpti_Device_GetChipName);
  chip.deviceIndex = static_cast<std::size_t>(device);
  SWEEP_CUPTI_CALL(cupti, DeviceGetChipName, chip);
  return chip.pChipName;
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

/// The profiler, enabled in a context for as long as this lives. Counting disturbs timing, so that
/// nothing is timed meanwhile.
class RangeProfiler::Enabled {
 public:
  Enabled(const Cupti& cupti, CUcontext context) : cupti_(cupti) {
    auto enable = SWEEP_CUPTI_PARAMETERS(CUpti_RangeProfiler_Enable);
    enable.ctx = context;
    SWEEP_CUPTI_CALL(cupti_, RangeProfilerEnable, enable);
    object_ = enable.pRangeProfilerObject;
  }
  /// An error here repeats one that was thrown, or comes too late to matter.
  ~Enabled() {
    if (is_abandoned) return;
    auto disable = SWEEP_CUPTI_PARAMETERS(CUpti_RangeProfiler_Disable);
    disable.pRangeProfilerObject = object_;
    cupti_.RangeProfilerDisable(&disable);
  }
  Enabled(const Enabled&) = delete;
  Enabled& operator=(const Enabled&) = delete;

  CUpti_RangeProfiler_Object* get() const { return object_; }

  /// What CUPTI is given stays where it is until it is disabled.
  std::list<std::vector<std::uint8_t>> given;
  bool was_used = false;
  bool is_abandoned = false;  ///< the context is lost, and CUPTI not called in it to clean up

 private:
  const Cupti& cupti_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
};

/// Some launches that are counted together, and the image they are counted into.
class RangeProfiler::Session {
 public:
  Session(const Cupti& cupti, Enabled& enabled)
      : cupti_(cupti),
        enabled_(enabled),
        profiler_(enabled.get()),
        image_(enabled.given.emplace_back()) {}
  /// As for Enabled.
  ~Session() {
    if (enabled_.is_abandoned) return;
    if (is_in_range_) {
      auto pop = SWEEP_CUPTI_PARAMETERS(CUpti_RangeProfiler_PopRange);
      pop.pRangeProfilerObject = profiler_;
      cupti_.RangeProfilerPopRange(&pop);
    }
    if (is_started_) {
      auto stop = SWEEP_CUPTI_PARAMETERS(CUpti_RangeProfiler_Stop);
      stop.pRangeProfilerObject = profiler_;
      cupti_.RangeProfilerStop(&stop);
    }
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void configure(CounterHost& host, std::size_t ranges);
  void start();
  /// Whether this was the last pass.
  bool stop();
  /// Prepares and counts launch `i`, or leaves it out.
  void run(std::size_t i, const CountedLaunches& launches, bool is_first_pass,
           std::vector<bool>& left_out);
  bool has_pushed(std::size_t range) const { return pushed_.contains(range); }
  /// The ranges' numbers and their counters' values.
  std::vector<std::pair<std::size_t, std::vector<double>>> decode(CounterHost& host,
                                                                  std::size_t ranges);

 private:
  void push(std::size_t range);
  void pop();
  bool guarded(const std::function<bool(std::size_t)>& step, std::size_t i);
  std::size_t ranges_counted();

  const Cupti& cupti_;
  Enabled& enabled_;
  CUpti_RangeProfiler_Object* profiler_;
  std::vector<std::uint8_t>& image_;
  std::set<std::size_t> pushed_;
  bool is_started_ = false;
  bool is_in_range_ = false;
};

void RangeProfiler::Session::configure(CounterHost& host, std::size_t ranges) {
  auto size = SWEEP_CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize);
  size.pRangeProfilerObject = profiler_;
  size.pMetricNames = host.names();
  size.numMetrics = host.counters().size();
  size.maxNumOfRanges = ranges;
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges);
  SWEEP_CUPTI_CALL(cupti_, RangeProfilerGetCounterDataSize, size);
  image_.resize(size.counterDataSize);
  auto initialize = SWEEP_CUPTI_PARAMETERS(CUpti_RangeProfiler_CounterDataImage_Initialize);
  initialize.pRangeProfilerObject = profiler_;
  initialize.counterDataSize = image_.size();
  initialize.pCounterData = image_.data();
  SWEEP_CUPTI_CALL(cupti_, RangeProfilerCounterDataImageInitialize, initialize);
  auto set = SWEEP_CUPTI_PARAMETERS(CUpti_RangeProfiler_SetConfig);
  set.pRangeProfilerObject = profiler_;
  const std::vector<std::uint8_t>& configuration =
      enabled_.given.emplace_back(host.configuration().begin(), host.configuration().end());
  set.configSize = configuration.size();
  set.pConfig = configuration.data();
  set.counterDataImageSize = image_.size();
  set.pCounterDataImage = image_.data();
  set.range = CUPTI_UserRange;
  set.replayMode = CUPTI_UserReplay;
  set.maxRangesPerPass = ranges;
  set.numNestingLevels = 1;
  set.minNestingLevel = 1;
  set.passIndex = 0;
  set.targetNestingLevel = 1;
  SWEEP_CUPTI_CALL(cupti_, RangeProfilerSetConfig, set);
}

void RangeProfiler::Session::start() {
  auto start = SWEEP_CUPTI_PARAMETERS(CUpti_RangeProfiler_Start);
  start.pRangeProfilerObject = profiler_;
  SWEEP_CUPTI_CALL(cupti_, RangeProfilerStart, start);
  is_started_ = true;
}

bool RangeProfiler::Session::stop() {
  auto stop = SWEEP_CUPTI_PARAMETERS(CUpti_RangeProfiler_Stop);
  stop.pRangeProfilerObject = profiler_;
  is_started_ = false;
  SWEEP_CUPTI_CALL(cupti_, RangeProfilerStop, stop);
  return stop.isAllPassSubmitted != 0;
}

void RangeProfiler::Session::push(std::size_t range) {
  const std::string name = std::to_string(range);
  auto push = SWEEP_CUPTI_PARAMETERS(CUpti_RangeProfiler_PushRange);
  push.pRangeProfilerObject = profiler_;
  push.pRangeName = name.c_str();
  SWEEP_CUPTI_CALL(cupti_, RangeProfilerPushRange, push);
  pushed_.insert(range);
  is_in_range_ = true;
}

void RangeProfiler::Session::pop() {
  auto pop = SWEEP_CUPTI_PARAMETERS(CUpti_RangeProfiler_PopRange);
  pop.pRangeProfilerObject = profiler_;
  is_in_range_ = false;
  SWEEP_CUPTI_CALL(cupti_, RangeProfilerPopRange, pop);
}

bool RangeProfiler::Session::guarded(const std::function<bool(std::size_t)>& step, std::size_t i) {
  try {
    return step(i);
  } catch (...) {
    enabled_.is_abandoned = true;
    throw;
  }
}

void RangeProfiler::Session::run(std::size_t i, const CountedLaunches& launches, bool is_first_pass,
                                 std::vector<bool>& left_out) {
  const bool is_ready = !left_out[i] && guarded(launches.prepare, i);
  if (!is_ready) left_out[i] = true;
  if (!is_ready && is_first_pass) return;
  push(i);
  if (is_ready && !guarded(launches.launch, i)) left_out[i] = true;
  pop();
}

std::size_t RangeProfiler::Session::ranges_counted() {
  auto info = SWEEP_CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataInfo);
  info.pCounterDataImage = image_.data();
  info.counterDataImageSize = image_.size();
  SWEEP_CUPTI_CALL(cupti_, RangeProfilerGetCounterDataInfo, info);
  return info.numTotalRanges;
}

std::vector<std::pair<std::size_t, std::vector<double>>> RangeProfiler::Session::decode(
    CounterHost& host, std::size_t ranges) {
  auto decode = SWEEP_CUPTI_PARAMETERS(CUpti_RangeProfiler_DecodeData);
  decode.pRangeProfilerObject = profiler_;
  SWEEP_CUPTI_CALL(cupti_, RangeProfilerDecodeData, decode);
  std::vector<std::pair<std::size_t, std::vector<double>>> decoded;
  const std::size_t counted = std::min(ranges_counted(), ranges);
  for (std::size_t i = 0; i < counted; ++i) {
    auto info = SWEEP_CUPTI_PARAMETERS(CUpti_RangeProfiler_CounterData_GetRangeInfo);
    info.pCounterDataImage = image_.data();
    info.counterDataImageSize = image_.size();
    info.rangeIndex = i;
    info.rangeDelimiter = "/";
    SWEEP_CUPTI_CALL(cupti_, RangeProfilerCounterDataGetRangeInfo, info);
    if (const auto range = number_in(info.rangeName)) {
      decoded.emplace_back(*range, host.values(image_, i));
    }
  }
  return decoded;
}

RangeProfiler::RangeProfiler(int device, CUcontext context)
    : context_(context), most_ranges_(most_ranges_at_first) {
  const Cupti& cupti = Cupti::get();
  auto initialize = SWEEP_CUPTI_PARAMETERS(CUpti_Profiler_Initialize);
  SWEEP_CUPTI_CALL(cupti, ProfilerInitialize, initialize);
  const std::string chip = chip_of(cupti, device);
  host_ = std::make_unique<CounterHost>(chip);
}

RangeProfiler::~RangeProfiler() = default;

const std::string& RangeProfiler::chip() const {
  return host_->chip();
}

bool RangeProfiler::has(const std::string& counter) const {
  return host_->has(counter);
}

std::string RangeProfiler::suggest(const std::string& counter) const {
  return host_->suggest(counter);
}

std::vector<std::string> RangeProfiler::choose(const std::vector<std::string>& counters) {
  // Other counters are another configuration, which an enabled profiler may not take.
  if (counters != host_->counters()) disable();
  return host_->choose(counters);
}

const std::vector<std::string>& RangeProfiler::counters() const {
  return host_->counters();
}

std::size_t RangeProfiler::passes() const {
  return host_->passes();
}

void RangeProfiler::count(std::size_t count, const CountedLaunches& launches) {
  if (host_->counters().empty()) return;
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
  const bool is_fresh = enabled_ == nullptr || !enabled_->was_used;
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
  if (enabled_ == nullptr) enabled_ = std::make_unique<Enabled>(Cupti::get(), context_);
  Session session(Cupti::get(), *enabled_);
  session.configure(*host_, wanted.size());
  enabled_->was_used = true;
  std::vector<std::size_t> ranges(wanted.begin(), wanted.end());
  std::vector<bool> left_out(done.size(), false);
  const auto has_none = [&] {
    return std::ranges::all_of(ranges, [&](std::size_t i) { return left_out[i]; });
  };
  bool is_last = false;
  for (std::size_t pass = 0; !is_last && !has_none(); ++pass) {
    if (pass > host_->passes()) {
      throw CounterFailure(CounterFailure::Kind::passing,
                           "the hardware's counters gave nothing: CUPTI asks for more passes than "
                           "it has planned");
    }
    session.start();
    for (const std::size_t i : ranges) session.run(i, launches, pass == 0, left_out);
    is_last = session.stop();
    // Every pass has the ranges of the first.
    if (pass == 0) std::erase_if(ranges, [&](std::size_t i) { return !session.has_pushed(i); });
  }
  for (const std::size_t i : wanted) {
    if (left_out[i]) done[i] = true;
  }
  if (has_none()) return;
  for (auto& [range, values] : session.decode(*host_, wanted.size())) {
    if (range >= done.size() || done[range]) continue;
    done[range] = true;
    launches.take(range, std::move(values));
  }
}

}  // namespace sweep
