#include "engine/cuda/range_profiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>

#include "engine/cuda/range_profiler.h"
#include "engine/system/dynamic_library.h"
#include "tests/cuda/scripted_cupti.h"

using namespace sweep;
using sweep::testing::CuptiScript;
using Kind = CounterFailure::Kind;

BOOST_AUTO_TEST_SUITE(range_profiler)

namespace {

/// The library's script, as new. The engine finds the library where the environment says.
CuptiScript& new_script() {
  ::setenv("SWEEP_CUDA_HOME", SWEEP_SCRIPTED_CUPTI, 1);
  const auto library = DynamicLibrary::open(SWEEP_SCRIPTED_CUPTI "/lib64/libcupti.so.13");
  BOOST_REQUIRE(library.has_value());
  CuptiScript& script = *library->function<CuptiScript*()>("cupti_script")();
  script = CuptiScript();
  return script;
}

CUcontext some_context() {
  static int context = 0;
  return reinterpret_cast<CUcontext>(&context);
}

/// Counts two counters.
struct TwoCounters : RangeProfiler {
  TwoCounters() : RangeProfiler(0, some_context()) {
    BOOST_TEST(choose({"a__x.sum", "b__x.sum"}).empty());
  }
};

/// What became of each launch: its last value, or "-".
class Recorder {
 public:
  explicit Recorder(std::size_t count) : values_(count, "-") {
    launches.prepare = [this](std::size_t i) {
      prepared += fmt::format(" {}", i);
      return prepare == nullptr || prepare(i);
    };
    launches.launch = [this](std::size_t i) {
      launched += fmt::format(" {}", i);
      return launch == nullptr || launch(i);
    };
    launches.take = [this](std::size_t i, const std::vector<double>& values) {
      values_.at(i) = fmt::format("{}", values.back());
    };
  }
  /// Counts all launches.
  void count_on(RangeProfiler& profiler) { profiler.count(values_.size(), launches); }
  std::string values() const { return fmt::format("{}", fmt::join(values_, " ")); }
  bool has_all() const { return std::ranges::find(values_, "-") == values_.end(); }

  CountedLaunches launches;
  std::function<bool(std::size_t)> prepare;
  std::function<bool(std::size_t)> launch;
  std::string prepared;
  std::string launched;

 private:
  std::vector<std::string> values_;
};

std::string calls(const CuptiScript& script) {
  return fmt::format("{}", fmt::join(script.calls, ", "));
}

/// The failure of counting `recorder`'s launches.
CounterFailure failure_of(RangeProfiler& profiler, Recorder& recorder) {
  try {
    recorder.count_on(profiler);
  } catch (const CounterFailure& failure) {
    return failure;
  }
  return {Kind::passing, "none"};
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_pass_runs_every_launch_in_a_range_of_its_own) {
  CuptiScript& script = new_script();
  script.passes = 2;
  TwoCounters profiler;
  BOOST_TEST(profiler.passes() == 2U);
  script.calls.clear();
  Recorder recorder(2);
  recorder.count_on(profiler);
  BOOST_TEST(recorder.values() == "1 1001");
  BOOST_TEST(recorder.prepared == " 0 1 0 1");
  BOOST_TEST(recorder.launched == " 0 1 0 1");
  BOOST_TEST(calls(script) ==
             "Enable, Size, Image, Config 2, Start, Push 0, Pop, Push 1, Pop, Stop, Start, Push 0, "
             "Pop, Push 1, Pop, Stop, Decode, Evaluate, Evaluate");
  profiler.disable();
  BOOST_TEST(script.calls.back() == "Disable");
  BOOST_TEST(!script.is_misused);
}

BOOST_AUTO_TEST_CASE(the_profiler_is_enabled_once_for_all_sessions) {
  CuptiScript& script = new_script();
  script.most_ranges = 100;
  {
    TwoCounters profiler;
    Recorder recorder(128);
    recorder.count_on(profiler);
    const auto enabled = std::ranges::count(script.calls, "Enable");
    recorder.count_on(profiler);
    BOOST_TEST(std::ranges::count(script.calls, "Enable") == enabled);
    // Other counters are another configuration.
    BOOST_TEST(profiler.choose({"c__z.sum"}).empty());
    BOOST_TEST(!script.is_enabled);
    recorder.count_on(profiler);
    BOOST_TEST(recorder.values().ends_with(" 127000"));
    BOOST_TEST(std::ranges::count(script.calls, "Enable") == enabled + 1);
    profiler.disable();
    profiler.disable();
    BOOST_TEST(!script.is_enabled);
    Recorder another(1);
    another.count_on(profiler);
    BOOST_TEST(script.is_enabled);
  }
  BOOST_TEST(!script.is_enabled);
  BOOST_TEST(!script.is_misused);
}

BOOST_AUTO_TEST_CASE(a_profiler_that_counts_only_once_is_enabled_anew) {
  CuptiScript& script = new_script();
  script.most_sessions = 1;
  TwoCounters profiler;
  Recorder recorder(600);
  recorder.count_on(profiler);
  BOOST_TEST(recorder.has_all());
  BOOST_TEST(recorder.prepared.find(" 0 1 ") == recorder.prepared.rfind(" 0 1 "));
  BOOST_TEST(std::ranges::count(script.calls, "Enable") == 5);
  BOOST_TEST(!script.is_misused);
}

BOOST_AUTO_TEST_CASE(without_counters_nothing_runs) {
  CuptiScript& script = new_script();
  RangeProfiler profiler(0, some_context());
  BOOST_TEST(profiler.choose({}).empty());
  Recorder recorder(1);
  recorder.count_on(profiler);
  BOOST_TEST(recorder.prepared == "");
  BOOST_TEST(calls(script) == "Initialize");
}

BOOST_AUTO_TEST_CASE(more_launches_than_a_session_takes_are_split) {
  CuptiScript& script = new_script();
  script.most_ranges = 100;
  TwoCounters profiler;
  Recorder recorder(600);
  recorder.count_on(profiler);
  BOOST_TEST(recorder.has_all());
  BOOST_TEST(recorder.values().ends_with(" 599001"));
  BOOST_TEST(!script.is_misused);
}

BOOST_AUTO_TEST_CASE(dropped_launches_are_counted_again) {
  CuptiScript& script = new_script();
  script.kept_ranges = 3;
  TwoCounters profiler;
  Recorder recorder(8);
  recorder.count_on(profiler);
  BOOST_TEST(recorder.values() == "1 1001 2001 3001 4001 5001 6001 7001");
  BOOST_TEST(recorder.launched == " 0 1 2 3 4 5 6 7 3 4 5 6 7");
  BOOST_TEST(!script.is_misused);
  script.kept_ranges = 0;
  Recorder again(2);
  BOOST_TEST(std::string(failure_of(profiler, again).what()).find("dropped") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_launch_that_cannot_be_prepared_or_does_not_run_is_left_out) {
  CuptiScript& script = new_script();
  script.passes = 2;
  TwoCounters profiler;
  Recorder recorder(4);
  recorder.prepare = [](std::size_t i) { return i != 1; };
  recorder.launch = [](std::size_t i) { return i != 2; };
  recorder.count_on(profiler);
  BOOST_TEST(recorder.values() == "1 - - 3001");
  BOOST_TEST(recorder.prepared == " 0 1 2 3 0 3");
  BOOST_TEST(!script.is_misused);
  Recorder none(2);
  none.prepare = [](std::size_t) { return false; };
  none.count_on(profiler);
  BOOST_TEST(none.values() == "- -");
  BOOST_TEST(!script.is_misused);
  BOOST_TEST(!script.is_started);
}

BOOST_AUTO_TEST_CASE(a_launch_that_fails_in_a_later_pass_has_no_figures) {
  CuptiScript& script = new_script();
  script.passes = 3;
  TwoCounters profiler;
  Recorder recorder(3);
  recorder.prepare = [&](std::size_t i) { return i != 1 || script.passes_done == 0; };
  recorder.count_on(profiler);
  BOOST_TEST(recorder.values() == "1 - 2001");
  BOOST_TEST(!script.is_misused);
}

BOOST_AUTO_TEST_CASE(after_a_lost_context_cupti_is_not_called) {
  CuptiScript& script = new_script();
  TwoCounters profiler;
  script.calls.clear();
  Recorder recorder(3);
  recorder.launch = [](std::size_t i) -> bool {
    if (i == 1) throw std::runtime_error("illegal address");
    return true;
  };
  BOOST_CHECK_THROW(recorder.count_on(profiler), std::runtime_error);
  BOOST_TEST(calls(script) == "Enable, Size, Image, Config 3, Start, Push 0, Pop, Push 1");
}

BOOST_AUTO_TEST_CASE(a_call_that_fails_ends_the_session_cleanly) {
  for (const std::string call :
       {"Size", "Image", "Config", "Start", "Push", "Pop", "Stop", "Decode", "Evaluate"}) {
    CuptiScript& script = new_script();
    TwoCounters profiler;
    script.failures[call] = 999;
    Recorder recorder(2);
    const CounterFailure failure = failure_of(profiler, recorder);
    BOOST_TEST(std::string(failure.what()).find("CUPTI_ERROR_SCRIPTED") != std::string::npos, call);
    BOOST_TEST(!script.is_misused, call);
    BOOST_TEST(!script.is_started, call);
    BOOST_TEST(!script.is_enabled, call);
    // The next time it may work.
    script.failures.clear();
    recorder.count_on(profiler);
    BOOST_TEST(recorder.values() == "1 1001");
  }
}

BOOST_AUTO_TEST_CASE(a_missing_permission_is_a_lasting_failure) {
  constexpr int insufficient_privileges = 35;
  CuptiScript& script = new_script();
  script.failures["Initialize"] = insufficient_privileges;
  try {
    const RangeProfiler profiler(0, some_context());
    BOOST_ERROR("it must not start");
  } catch (const CounterFailure& failure) {
    BOOST_TEST((failure.kind() == Kind::lasting));
  }
  script.failures = {{"Enable", insufficient_privileges}};
  TwoCounters profiler;
  Recorder recorder(2);
  BOOST_TEST((failure_of(profiler, recorder).kind() == Kind::lasting));
}

BOOST_AUTO_TEST_CASE(passes_without_end_are_a_failure) {
  CuptiScript& script = new_script();
  TwoCounters profiler;
  script.passes = 1000;
  Recorder recorder(1);
  BOOST_TEST(std::string(failure_of(profiler, recorder).what()).find("more passes") !=
             std::string::npos);
  BOOST_TEST(!script.is_enabled);
}

BOOST_AUTO_TEST_SUITE_END()
