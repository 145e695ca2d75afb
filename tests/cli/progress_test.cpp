#include "engine/cli/progress.h"

#include <fcntl.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <functional>

#include "report/display_text.h"
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

/// A point every second.
void show_points(const Terminal& terminal, const std::string& name, std::size_t count) {
  double now = 0;
  Progress progress(terminal, [&] { return now; });
  progress.on_start(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    now += 1;
    PointRecord point;
    point.metrics = {{"bandwidth", Origin::measured, 1234}};
    progress.on_point(configuration_of(name), point);
  }
  progress.finish();
}

std::string shown(const Terminal& terminal, const std::string& name, std::size_t count) {
  return errors_of([&] { show_points(terminal, name, count); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(progress)

BOOST_AUTO_TEST_CASE(a_live_line_is_written_over_and_taken_away) {
  const std::string text = shown({true, false, true, 80}, "stride", 2);
  BOOST_TEST(text ==
             "\r\033[K1/2 points, 1.0/s, 1.0 s left | 1234 GB/s: stride"
             "\r\033[K2/2 points, 1.0/s, 0 ms left | 1234 GB/s: stride\r\033[K");
}

BOOST_AUTO_TEST_CASE(elsewhere_there_is_a_plain_line_now_and_then) {
  const std::string plain =
      "10/20 points, 1.0/s, 10 s left | 1234 GB/s: stride\n"
      "20/20 points, 1.0/s, 0 ms left | 1234 GB/s: stride\n";
  BOOST_TEST(shown({false, false, false, 80}, "stride", 20) == plain);
  BOOST_TEST(shown({true, false, false, 80}, "stride", 20) == plain, "a terminal that is dumb");
}

BOOST_AUTO_TEST_CASE(without_times_the_outcome_is_a_count) {
  const std::vector<std::pair<Metric, std::string>> outcomes = {
      {{"load_sectors_per_request", Origin::emulated, 4.5}, "4.500 sectors per load request"},
      {{"store_sectors_per_request", Origin::emulated, 4}, "4.000 sectors per store request"},
      {{"shared_conflicts", Origin::emulated, 31}, "31.00 bank conflicts"},
      {{"instructions", Origin::emulated, 31}, "ok"}};
  for (const auto& [metric, outcome] : outcomes) {
    PointRecord point;
    point.metrics = {metric};
    const std::string text = errors_of([&point] {
      double now = 0;
      Progress progress({true, false, true, 100}, [&] { return now; });
      progress.on_start(1, 0);
      now = 1;
      progress.on_point(configuration_of("stride"), point);
    });
    BOOST_TEST(text == "\r\033[K1/1 points, 1.0/s, 0 ms left | " + outcome + ": stride");
  }
}

BOOST_AUTO_TEST_CASE(the_live_line_is_cut_between_characters) {
  for (std::size_t width = 40; width < 70; ++width) {
    std::string line = shown({true, false, true, width}, "größenänderungsgeschwindigkeit", 1);
    line = line.substr(4, line.rfind('\r') - 4);
    const std::string whole =
        "1/1 points, 1.0/s, 0 ms left | 1234 GB/s: größenänderungsgeschwindigkeit";
    BOOST_TEST(display_width(line) == width - 1);
    BOOST_TEST(whole.starts_with(line));
    BOOST_TEST((static_cast<unsigned char>(whole[line.size()]) & 0xc0) != 0x80);
  }
}

BOOST_AUTO_TEST_CASE(notes_stay_and_stages_are_written_over_in_a_terminal) {
  const auto text_in = [](const Terminal& terminal) {
    return errors_of([&] {
      Progress progress(terminal, [] { return 0.0; });
      progress.on_start(1, 0);
      progress.on_stage("comparing the best 4 configurations of stride");
      progress.on_note("the device is warm");
      progress.on_stage("reading the hardware's counters of 12 points");
      progress.finish();
    });
  };
  BOOST_TEST(text_in({true, false, true, 40}) ==
             "\r\033[Kcomparing the best 4 configurations of "
             "\r\033[Knote: the device is warm\n"
             "\r\033[Kreading the hardware's counters of 12 p\r\033[K");
  BOOST_TEST(text_in({false, false, false, 80}) ==
             "comparing the best 4 configurations of stride\nnote: the device is warm\n"
             "reading the hardware's counters of 12 points\n");
}

BOOST_AUTO_TEST_CASE(errors_that_cannot_be_written_are_no_reason_to_stop) {
  const CapturedErrors captured("/dev/full");
  BOOST_CHECK_NO_THROW(show_points({true, false, true, 80}, "stride", 3));
  BOOST_CHECK_NO_THROW(show_points({false, false, false, 80}, "stride", 30));
}

BOOST_AUTO_TEST_SUITE_END()
