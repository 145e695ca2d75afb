#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "engine/run/measurer.h"
#include "tests/rapidcheck_case.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(sample_marks)

namespace {

/// Samples of 100 us with these clocks in MHz; 0 is not known.
std::vector<Sample> at_clocks(const std::vector<double>& clocks) {
  std::vector<Sample> samples;
  for (const double clock : clocks) samples.push_back({1e-4, clock * 1e6});
  return samples;
}

std::vector<Sample> of_times(const std::vector<double>& seconds) {
  std::vector<Sample> samples;
  for (const double time : seconds) samples.push_back({time});
  return samples;
}

/// One letter a sample: '.' plain, 'l' low clock, 'o' outlier.
std::string marks_of(const std::vector<Sample>& samples) {
  std::string marks;
  for (const Sample& sample : samples) {
    marks += sample.mark == SampleMark::plain     ? '.'
             : sample.mark == SampleMark::outlier ? 'o'
                                                  : 'l';
  }
  return marks;
}

std::size_t low_clocks(const std::vector<Sample>& samples) {
  return static_cast<std::size_t>(
      std::ranges::count(samples, SampleMark::low_clock, &Sample::mark));
}

struct Case {
  std::vector<double> clocks;
  std::string marks;
  bool changed;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.marks; }
};

const std::vector<Case> cases = {
    {{}, "", false},
    {{0, 0, 0}, "...", false},
    {{1980}, ".", false},
    {{1980, 1980, 1980, 1980}, "....", false},
    {{1980, 1500, 1980, 1980}, ".l..", false},
    {{1500, 1980, 1980}, "l..", false},                // half as many as the others
    {{1500, 1980, 1980, 1500}, "....", true},          // half of all
    {{1500, 1500, 1980, 1980, 1980}, ".....", true},   // too many to be a dip
    {{1980, 1941, 1980, 1980}, "....", false},         // 1.97 % below
    {{1980, 1940, 1980, 1980}, ".l..", false},         // 2.02 % below
    {{0, 1500, 1980, 1980, 0}, ".l...", false},        // what is not known is not low
    {{0, 0, 0, 1500, 1980}, ".....", true},            // of two none is the rule
    {{1500, 1500, 1980, 1500, 1500}, ".....", false},  // above the others is no harm
    {{1500, 1980, 1980, 1500, 1500}, ".....", true},
    {{1980, 1970, 1900, 1800, 1700, 1600, 1500}, ".......", true},  // on the way down
};

}  // namespace

BOOST_DATA_TEST_CASE(samples_below_the_clock_of_the_others_are_marked, data::make(cases), c) {
  std::vector<Sample> samples = at_clocks(c.clocks);
  BOOST_TEST(mark_samples(samples).has_value() == c.changed);
  BOOST_TEST(marks_of(samples) == c.marks);
  BOOST_TEST(figures_of(samples).size() == samples.size() - low_clocks(samples));
}

BOOST_AUTO_TEST_CASE(outliers_lie_beyond_the_fences_and_stay_in_the_figures) {
  std::vector<Sample> samples = of_times({100, 101, 99, 100, 310, 102, 98, 20, 100, 101});
  BOOST_TEST(!mark_samples(samples));
  BOOST_TEST(marks_of(samples) == "....o..o..");
  BOOST_TEST(figures_of(samples).size() == 10U);
}

BOOST_AUTO_TEST_CASE(a_tick_of_the_timer_is_no_outlier) {
  std::vector<Sample> samples = of_times(std::vector<double>(20, 100e-6));
  samples[3].seconds = 100.9e-6;
  samples[7].seconds = 101.1e-6;
  mark_samples(samples);
  BOOST_TEST(marks_of(samples) == ".......o............");
}

BOOST_AUTO_TEST_CASE(a_sample_left_out_says_nothing_about_the_others_times) {
  std::vector<Sample> samples = at_clocks({1980, 1980, 1980, 1980, 1980, 1000});
  samples[5].seconds = 1;
  mark_samples(samples);
  BOOST_TEST(marks_of(samples) == ".....l");
}

BOOST_AUTO_TEST_CASE(notes_name_what_a_reader_should_know) {
  std::vector<Sample> samples = of_times(std::vector<double>(83, 1e-3));
  BOOST_TEST(notes_on_marks(samples, mark_samples(samples)).empty());
  samples[0].seconds = 2e-3;
  samples[40].seconds = 3.1e-3;
  BOOST_TEST(notes_on_marks(samples, mark_samples(samples)).empty());  // 2.4 %
  samples[50].seconds = 1.5e-3;
  samples[60].seconds = 1.5e-3;
  BOOST_TEST(notes_on_marks(samples, mark_samples(samples)) ==
                 std::vector<std::string>{
                     "4 of 83 samples lie far from the others, up to 3.1 times the median"},
             boost::test_tools::per_element());
  samples[70].seconds = 0.42e-3;
  BOOST_TEST(notes_on_marks(samples, mark_samples(samples)) ==
                 std::vector<std::string>{"5 of 83 samples lie far from the others, between 0.42 "
                                          "and 3.1 times the median"},
             boost::test_tools::per_element());

  std::vector<Sample> changing = at_clocks({1980, 1980, 1980, 1980, 1500, 1500, 1500});
  BOOST_TEST(notes_on_marks(changing, mark_samples(changing)) ==
                 std::vector<std::string>{"the clock changed while sampling, between 1500 and 1980 "
                                          "MHz: the figures mix its speeds"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(marks_depend_on_the_samples_alone_and_leave_most_of_them) {
  sweep::testing::check_property([] {
    std::vector<Sample> samples;
    const int count = *rc::gen::inRange(0, 60);
    for (int i = 0; i < count; ++i) {
      const double clock = *rc::gen::element(0.0, 1500e6, 1950e6, 1980e6, 1980e6, 1980e6, 2040e6);
      const double seconds = *rc::gen::element(1.0, 1.0, 1.001, 1.002, 1.1, 3.0);
      const SampleMark before =
          *rc::gen::element(SampleMark::plain, SampleMark::low_clock, SampleMark::outlier);
      samples.push_back({seconds, clock, before});
    }
    const bool has_changed = mark_samples(samples).has_value();
    std::vector<Sample> again = samples;
    mark_samples(again);
    RC_ASSERT(samples == again);
    // Repeats: at most half as many as are part of the figures.
    RC_ASSERT(2 * low_clocks(samples) <= figures_of(samples).size());
    RC_ASSERT(!has_changed || low_clocks(samples) == 0);
    // Which sample came first does not matter.
    std::ranges::reverse(again);
    mark_samples(again);
    std::ranges::reverse(again);
    RC_ASSERT(samples == again);
  });
}

BOOST_AUTO_TEST_SUITE_END()
