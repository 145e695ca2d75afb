#include "engine/cli/terminal/progress.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <limits>

#include "report/display_text.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;

namespace {

/// Standard error goes to a file while this lives.
class CapturedErrors {
 public:
  explicit CapturedErrors(const std::filesystem::path& path) : saved_(dup(STDERR_FILENO)) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
    dup2(file, STDERR_FILENO);
    close(file);
  }
  ~CapturedErrors() {
    dup2(saved_, STDERR_FILENO);
    close(saved_);
  }
  CapturedErrors(const CapturedErrors&) = delete;
  CapturedErrors& operator=(const CapturedErrors&) = delete;

 private:
  int saved_;
};

/// What an action writes to standard error.
std::string errors_of(const std::function<void()>& action) {
  const TemporaryFolder folder;
  {
    const CapturedErrors captured(folder.path() / "err");
    action();
  }
  return read_text_file(folder.path() / "err");
}

Configuration configuration_of(const std::string& name) {
  auto pattern = std::make_shared<Pattern>();
  pattern->name = name;
  return {pattern, {}};
}

PointRecord point_of(std::int64_t stride, double bandwidth) {
  PointRecord point;
  point.key.pattern_name = "stride";
  point.key.parameters.set("STRIDE", stride);
  point.key.parameters.set("BLOCK", std::int64_t{256});
  point.metrics = {{"bandwidth", Origin::measured, bandwidth}};
  return point;
}

BestSoFar best_by_bandwidth() {
  return {{{"bandwidth", Better::higher}}, {"STRIDE"}, {}};
}

struct Watched {
  Terminal terminal;
  double now = 0;
  Progress progress;

  explicit Watched(Terminal shown, bool is_quiet = false, const std::atomic<bool>* stop = nullptr)
      : terminal(shown),
        progress({[this] { return terminal; }, [this] { return now; }, best_by_bandwidth(), stop,
                  is_quiet}) {}

  void add(const PointRecord& point) {
    now += 1;
    progress.on_point(configuration_of("stride"), point);
  }
};

constexpr Terminal live = {true, false, true, 100, 0, true};
constexpr Terminal file = {false, false, false, 80, 0, false};

PointRecord failed_point() {
  PointRecord point;
  point.status = PointStatus::failed;
  point.reason = "it does not end";
  return point;
}

/// What a terminal shows of what was written, line by line: carriage returns and the two ways to
/// clear are followed, colours are not shown.
std::vector<std::string> screen(const std::string& written) {
  std::vector<std::string> lines = {""};
  std::size_t at = 0;
  for (std::size_t i = 0; i < written.size(); ++i) {
    std::string& line = lines.back();
    if (written[i] == '\r') {
      at = 0;
    } else if (written[i] == '\n') {
      lines.emplace_back();
      at = 0;
    } else if (written[i] == '\x1b') {
      const std::size_t end = written.find_first_of("KJm", i);
      if (written[end] != 'm') line.resize(at);
      i = end;
    } else {
      line.resize(std::max(line.size(), at + 1), ' ');
      line[at++] = written[i];
    }
  }
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(progress)

BOOST_AUTO_TEST_CASE(a_live_line_is_written_over_and_taken_away) {
  const std::string text = errors_of([] {
    Watched watched(live);
    watched.progress.on_start(4, 0);
    watched.add(point_of(1, 1000));
    watched.add(point_of(2, 2000));
    watched.progress.finish();
    watched.progress.tick();
  });
  BOOST_TEST(text ==
             "\r1/4 points | best 1000 GB/s: STRIDE=1\033[K\r"
             "\r2/4 points | about 2 s left | 1.0/s | best 2000 GB/s: STRIDE=2\033[K\r"
             "\r\033[J");
}

BOOST_AUTO_TEST_CASE(elsewhere_there_is_a_plain_line_now_and_then) {
  const Terminal dumb = {true, false, false, 80, 0, false};
  for (const Terminal& terminal : {file, dumb}) {
    const std::string text = errors_of([&] {
      Watched watched(terminal);
      watched.progress.on_start(20, 0);
      for (std::int64_t i = 1; i <= 20; ++i) watched.add(point_of(i, 1234));
      watched.progress.finish();
    });
    BOOST_TEST(text ==
               "10/20 points | about 10 s left | 1.0/s | best 1234 GB/s: STRIDE=1\n"
               "20/20 points | 1.0/s | best 1234 GB/s: STRIDE=1\n");
  }
}

BOOST_AUTO_TEST_CASE(points_of_former_runs_are_not_to_do_but_may_be_the_best) {
  const std::string text = errors_of([] {
    Watched watched(live);
    watched.progress.on_start(10, 2);
    for (std::int64_t i = 1; i <= 2; ++i) watched.progress.on_reuse(point_of(i, 4000));
    watched.add(point_of(3, 1000));
    watched.progress.on_reuse(point_of(4, 1));
    watched.add(point_of(5, 1000));
  });
  BOOST_TEST(screen(text).front() ==
             "2 of 10 points are there from earlier runs (--fresh measures anew)");
  BOOST_TEST(contains(text, "\r1/8 points | best 4000 GB/s: STRIDE=1"));
  BOOST_TEST(contains(text, "\r2/7 points | about 5 s left"), "what a search finds on the way");
}

BOOST_AUTO_TEST_CASE(a_live_line_fits_whatever_the_width) {
  PointRecord point = point_of(1, 1234);
  point.key.parameters.set("STRIDE", std::string("größenänderungsgeschwindigkeit"));
  for (std::size_t width = 1; width < 140; ++width) {
    for (const bool unicode : {false, true}) {
      const std::string text = errors_of([&] {
        Watched watched({true, true, true, width, 0, unicode});
        watched.progress.on_start(1000, 0);
        for (int i = 0; i < 3; ++i) watched.add(point);
        watched.now += 1;
        watched.progress.on_compiler_wait(true);
        watched.progress.tick();
      });
      for (const std::string& line : screen(text)) BOOST_TEST(columns_of(line) < width);
      if (width > 100) BOOST_TEST(contains(text, "geschwindigkeit"));
    }
  }
}

BOOST_AUTO_TEST_CASE(what_matters_most_stays_in_a_narrow_terminal) {
  const auto shown = [](std::size_t width) {
    const std::string text = errors_of([&] {
      Watched watched({true, false, true, width, 0, true});
      watched.progress.on_start(10, 0);
      watched.add(failed_point());
      watched.add(point_of(1, 1234));
      watched.add(point_of(123456, 5678));
    });
    return screen(text).back();
  };
  BOOST_TEST(shown(100) ==
             "3/10 points | about 7 s left | 1 failed | 1.0/s | best 5678 GB/s: STRIDE=123456");
  BOOST_TEST(shown(72) ==
             "3/10 points | about 7 s left | 1 failed | best 5678 GB/s: STRIDE=123456");
  BOOST_TEST(shown(66) == "3/10 points | about 7 s left | 1 failed | best 5678 GB/s: STRIDE…");
  BOOST_TEST(shown(50) == "3/10 points | about 7 s left | 1 failed");
  BOOST_TEST(shown(32) == "3/10 points | about 7 s left");
  BOOST_TEST(shown(20) == "3/10 points");
}

BOOST_AUTO_TEST_CASE(a_terminal_that_changes_its_width_keeps_nothing_of_the_line) {
  const std::string text = errors_of([] {
    Watched watched(live);
    watched.progress.on_start(10, 0);
    watched.add(point_of(1, 1234));
    watched.terminal.width = 20;
    watched.progress.tick();
    watched.progress.tick();
  });
  BOOST_TEST(text ==
             "\r1/10 points | best 1234 GB/s: STRIDE=1\033[K\r"
             "\r\033[J1/10 points\033[K\r");
}

BOOST_AUTO_TEST_CASE(notes_stay_and_stages_are_written_over_in_a_terminal) {
  const auto text_in = [](const Terminal& terminal) {
    return errors_of([&] {
      Watched watched(terminal);
      watched.progress.on_start(1, 0);
      watched.progress.on_stage("comparing the best 4 configurations of stride");
      watched.progress.on_note("the device is warm");
      watched.progress.on_stage("reading the hardware's counters of 12 points");
      watched.progress.finish();
    });
  };
  const std::vector<std::string> lines = screen(text_in(live));
  BOOST_TEST(lines == (std::vector<std::string>{"note: the device is warm", ""}),
             boost::test_tools::per_element());
  BOOST_TEST(contains(text_in(live), "0/1 points | reading the hardware's counters of 12 points"));
  BOOST_TEST(text_in(file) ==
             "comparing the best 4 configurations of stride\nnote: the device is warm\n"
             "reading the hardware's counters of 12 points\n");
}

BOOST_AUTO_TEST_CASE(waiting_for_the_compiler_is_shown_while_it_lasts) {
  const std::string text = errors_of([] {
    Watched watched(live);
    watched.progress.on_start(10, 0);
    watched.progress.on_compiler_wait(true);
    watched.progress.on_compiler_wait(false);
    watched.add(point_of(1, 1234));
    watched.progress.on_compiler_wait(true);
    watched.progress.on_compiler_wait(false);
    watched.progress.on_compiler_wait(true);
    watched.progress.tick();
  });
  BOOST_TEST(text ==
             "\r0/10 points | waiting for the compiler\033[K\r"
             "\r0/10 points\033[K\r"
             "\r1/10 points | best 1234 GB/s: STRIDE=1\033[K\r"
             "\r1/10 points | waiting for the compiler | best 1234 GB/s: STRIDE=1\033[K\r");
}

BOOST_AUTO_TEST_CASE(each_of_several_gpus_is_shown) {
  Device first;
  Device second;
  second.index = 2;
  const std::string text = errors_of([&] {
    Watched watched({true, false, true, 100, 0, true});
    watched.progress.on_start(10, 0);
    watched.progress.on_device(first, 0, "waits for the compiler");
    watched.progress.on_device(second, 1, "");
    watched.add(point_of(1, 1234));
  });
  BOOST_TEST(screen(text).back() ==
             "1/10 points | GPU 0 0 waits for the compiler, GPU 2 1 | best 1234 GB/s: STRIDE=1");
}

BOOST_AUTO_TEST_CASE(a_stop_is_announced_once_and_ends_the_live_line) {
  const std::atomic<bool> stop = true;
  const std::string text = errors_of([&] {
    Watched watched(live, false, &stop);
    watched.progress.on_start(10, 0);
    watched.progress.on_compiler_wait(true);
    watched.progress.tick();
    watched.progress.tick();
    watched.add(point_of(1, 1234));
    watched.progress.finish();
  });
  const std::vector<std::string> lines = screen(text);
  BOOST_TEST(lines.size() == 2U);
  BOOST_TEST(lines.front().starts_with("Stopping when the point under way is done"));
  BOOST_TEST(lines.back().empty());
}

BOOST_AUTO_TEST_CASE(quiet_leaves_failures_and_warnings) {
  const std::string text = errors_of([] {
    Watched watched(live, true);
    watched.progress.on_start(3, 1);
    watched.progress.on_compiler_wait(true);
    watched.add(point_of(1, 1234));
    watched.progress.on_note("the device is warm");
    watched.progress.on_stage("comparing");
    watched.add(failed_point());
    watched.progress.tick();
    watched.progress.finish();
  });
  BOOST_TEST(text == "failed: stride\n  it does not end\n");
}

BOOST_AUTO_TEST_CASE(each_mistake_is_shown_once_and_at_the_end_how_many_points_it_stopped) {
  const std::string text = errors_of([] {
    Watched watched(file, true);
    watched.progress.on_start(1230, 0);
    for (int i = 0; i < 1228; ++i) watched.add(failed_point());
    PointRecord other = failed_point();
    for (const char* figures : {"0x1000 of 64", "0x20 of 64"}) {
      other.reason = fmt::format("p.cu:3:5: error: too much: {} B\n  a line\n", figures);
      watched.add(other);
    }
    watched.progress.finish();
  });
  BOOST_TEST(text ==
             "failed: stride\n  it does not end\n"
             "failed: stride\n  p.cu:3:5: error: too much: 0x1000 of 64 B\n    a line\n"
             "1,228 of 1,230 configurations failed, as stride and stride: it does not end\n"
             "2 of 1,230 configurations failed, as stride and stride: p.cu:3:5: error: too much: "
             "0x1000 of 64 B\n");
}

BOOST_AUTO_TEST_CASE(of_many_mistakes_the_first_are_shown) {
  const std::string text = errors_of([] {
    Watched watched(file, true);
    watched.progress.on_start(30, 0);
    for (int i = 0; i < 30; ++i) {
      PointRecord point = failed_point();
      point.reason = fmt::format("reason {}", i);
      watched.add(point);
    }
    watched.progress.finish();
  });
  BOOST_TEST(std::ranges::count(text, '\n') == 21);
  BOOST_TEST(
      text.ends_with("  reason 9\npoints failed for other reasons too; the report lists "
                     "them all\n"));
}

BOOST_AUTO_TEST_CASE(errors_that_cannot_be_written_are_no_reason_to_stop) {
  const CapturedErrors captured("/dev/full");
  for (const Terminal& terminal : {live, file}) {
    Watched watched(terminal);
    watched.progress.on_start(30, 0);
    BOOST_CHECK_NO_THROW(for (std::int64_t i = 0; i < 30; ++i) watched.add(point_of(i, 1)));
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(pace)

BOOST_AUTO_TEST_CASE(a_steady_pace_is_foretold_exactly_and_counts_down) {
  Pace pace;
  BOOST_TEST(!pace.rate());
  pace.add(100);
  BOOST_TEST(!pace.seconds_left(10, 100), "the first point waits for compilers");
  for (int i = 1; i <= 20; ++i) pace.add(100 + 0.5 * i);
  BOOST_TEST(*pace.rate() == 2, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(*pace.seconds_left(40, 110) == 20, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(*pace.seconds_left(40, 110.25) == 19.75, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(*pace.seconds_left(40, 200) == 19.5, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(*pace.seconds_left(0, 110) == 0);
}

BOOST_AUTO_TEST_CASE(one_slow_point_changes_little_and_a_slower_pace_is_learnt) {
  Pace pace;
  double now = 0;
  for (int i = 0; i < 100; ++i) pace.add(now += 1);
  const double before = *pace.seconds_left(100, now);
  pace.add(now += 10);
  BOOST_TEST(*pace.seconds_left(100, now) < 1.4 * before);
  for (int i = 0; i < 100; ++i) pace.add(now += 4);
  BOOST_TEST(*pace.seconds_left(100, now) > 3.2 * before);
  BOOST_TEST(*pace.seconds_left(100, now) <= 4.1 * before);
}

BOOST_AUTO_TEST_CASE(points_without_a_time_between_them_have_no_rate) {
  Pace pace;
  pace.add(1);
  pace.add(1);
  BOOST_TEST(!pace.rate());
  BOOST_TEST(!pace.seconds_left(5, 1));
}

BOOST_AUTO_TEST_CASE(times_left_are_rounded) {
  const std::vector<std::pair<double, std::string>> cases = {
      {0, "a moment left"},           {0.9, "a moment left"},      {1.4, "about 1 s left"},
      {19.4, "about 19 s left"},      {22, "about 20 s left"},     {119, "about 2 min left"},
      {137, "about 2 min 20 s left"}, {1301, "about 22 min left"}, {4000, "about 1 h 5 min left"}};
  for (const auto& [seconds, words] : cases) BOOST_TEST(describe_left(seconds) == words);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(best_so_far)

BOOST_AUTO_TEST_CASE(more_or_less_is_better_as_the_metric_has_it) {
  for (const Better better : {Better::higher, Better::lower}) {
    BestSoFar best({{"bandwidth", better}}, {"STRIDE"}, {});
    BOOST_TEST(best.describe().empty());
    for (const double figure : {2.0, 1.0, 3.0, 2.5}) {
      best.add(point_of(static_cast<std::int64_t>(figure), figure));
    }
    BOOST_TEST(best.describe() == (better == Better::higher ? "best 3.000 GB/s: STRIDE=3"
                                                            : "best 1.000 GB/s: STRIDE=1"));
    BOOST_TEST(!contains(best.describe(false), "STRIDE"));
  }
}

BOOST_AUTO_TEST_CASE(failed_and_cut_off_points_and_others_metrics_are_left_out) {
  BestSoFar best({{"time", Better::lower}, {"bandwidth", Better::higher}}, {"STRIDE"}, {});
  best.add(failed_point());
  best.add(point_of(1, 5));
  PointRecord cut_off = point_of(2, 9);
  cut_off.stopped_by = "cut-off";
  best.add(cut_off);
  PointRecord other = point_of(3, 9);
  other.metrics = {{"time", Origin::measured, 1}};
  best.add(other);
  best.add(point_of(4, std::numeric_limits<double>::quiet_NaN()));
  BOOST_TEST(best.describe() == "best 5.000 GB/s: STRIDE=1");
}

BOOST_AUTO_TEST_CASE(each_group_of_a_search_has_a_best_of_its_own) {
  BestSoFar best({{"load_efficiency", Better::higher}}, {"STRIDE", "BLOCK"}, {"STRIDE"});
  const auto add = [&best](std::int64_t stride, double figure) {
    PointRecord point = point_of(stride, 0);
    point.metrics = {{"load_efficiency", Origin::emulated, figure}};
    best.add(point);
  };
  add(1, 90);
  add(2, 50);
  BOOST_TEST(best.describe() == "best of STRIDE=2 50.00 % load_efficiency: BLOCK=256");
  add(1, 80);
  BOOST_TEST(best.describe() == "best of STRIDE=1 90.00 % load_efficiency: BLOCK=256");
}

BOOST_AUTO_TEST_SUITE_END()
