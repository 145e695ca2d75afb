#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <set>

#include "report/charts/chart.h"
#include "tests/rapidcheck_case.h"

namespace sweep {

std::ostream& operator<<(std::ostream& out, ChartScale scale) {
  return out << static_cast<int>(scale);
}

}  // namespace sweep

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(axis_scales)

namespace {

namespace data = boost::unit_test::data;

struct ScaleCase {
  std::vector<double> values;
  ScaleChoice choice;
  ChartScale expected;
};
std::ostream& operator<<(std::ostream& out, const ScaleCase& scale) {
  for (const double value : scale.values) out << value << ' ';
  return out << "by choice " << static_cast<int>(scale.choice);
}

const auto automatic = ScaleChoice::automatic;

const std::vector<ScaleCase> of_parameters = {
    {{1, 2, 4, 8}, automatic, ChartScale::log2},
    {{128, 256, 512}, automatic, ChartScale::log2},
    {{1, 2}, automatic, ChartScale::linear},
    {{7}, automatic, ChartScale::category},
    {{}, automatic, ChartScale::category},
    {{1, 2, 3, 4, 5, 6}, automatic, ChartScale::linear},
    {{1, 3, 10, 30, 100}, automatic, ChartScale::log2},
    {{1, 10, 100, 1000}, automatic, ChartScale::log10},
    {{100, 110, 120}, automatic, ChartScale::linear},
    {{0, 1, 2, 3}, automatic, ChartScale::linear},
    {{0, 1, 2, 4, 8, 16, 32}, automatic, ChartScale::category},
    {{-8, 0, 8}, automatic, ChartScale::linear},
    {{1, 2, 4}, ScaleChoice::linear, ChartScale::linear},
    {{1, 2, 3}, ScaleChoice::log2, ChartScale::log2},
    {{1, 2, 3}, ScaleChoice::log10, ChartScale::log10},
    {{0, 2, 3}, ScaleChoice::log2, ChartScale::category},
    {{-4, 2, 3}, ScaleChoice::log10, ChartScale::category},
    {{1, 2, 4}, ScaleChoice::category, ChartScale::category},
};

BOOST_DATA_TEST_CASE(a_parameters_scale_follows_its_values, data::make(of_parameters)) {
  BOOST_TEST(scale_of_parameter(sample.values, sample.choice) == sample.expected);
}

BOOST_AUTO_TEST_CASE(figures_get_a_logarithm_where_most_would_be_at_the_foot) {
  const std::vector<double> spread = {1, 2, 3, 4, 1000};
  const std::vector<double> even = {100, 500, 1000};
  const std::vector<double> with_zero = {0, 2, 3, 4, 1000};
  BOOST_TEST(scale_of_figures(spread, automatic, ChartKind::line) == ChartScale::log10);
  BOOST_TEST(scale_of_figures(spread, automatic, ChartKind::bar) == ChartScale::linear);
  BOOST_TEST(scale_of_figures(even, automatic, ChartKind::line) == ChartScale::linear);
  BOOST_TEST(scale_of_figures(with_zero, automatic, ChartKind::line) == ChartScale::linear);
  BOOST_TEST(scale_of_figures(with_zero, ScaleChoice::log2, ChartKind::line) == ChartScale::linear);
  BOOST_TEST(scale_of_figures(even, ScaleChoice::log2, ChartKind::bar) == ChartScale::log2);
  BOOST_TEST(scale_of_figures({}, ScaleChoice::log2, ChartKind::bar) == ChartScale::linear);
}

BOOST_AUTO_TEST_CASE(an_axis_begins_at_zero_unless_all_figures_are_close_together) {
  const std::vector<double> close = {4000, 4200};
  const std::vector<double> wide = {1000, 4200};
  BOOST_TEST(!begins_at_zero(close, ChartKind::line));
  BOOST_TEST(begins_at_zero(close, ChartKind::bar));
  BOOST_TEST(begins_at_zero(wide, ChartKind::line));
}

BOOST_AUTO_TEST_CASE(every_value_stands_within_its_axis_and_some_tick_has_its_label) {
  check_property([] {
    const auto drawn = *rc::gen::nonEmpty<std::vector<std::int32_t>>();
    const std::set<double> values(drawn.begin(), drawn.end());
    const std::vector<double> ascending(values.begin(), values.end());
    ChartAxis axis;
    axis.scale = scale_of_parameter(
        ascending, *rc::gen::element(automatic, ScaleChoice::log2, ScaleChoice::linear));
    for (std::size_t i = 0; i < ascending.size(); ++i) {
      const bool is_category = axis.scale == ChartScale::category;
      axis.ticks.push_back({is_category ? static_cast<double>(i) : ascending[i], "label"});
    }
    DrawnAxis shown = parameter_axis_of(axis);
    for (const ChartTick& tick : axis.ticks) {
      const double share = shown.share_of(tick.at);
      RC_ASSERT(share > 0.0 && share < 1.0);
    }
    fit_labels_below(shown, 400);
    RC_ASSERT(shown.ticks.size() == axis.ticks.size());
    RC_ASSERT(std::ranges::any_of(shown.ticks,
                                  [](const ChartTick& tick) { return !tick.label.empty(); }));
  });
}

BOOST_AUTO_TEST_CASE(labels_without_room_are_left_out_in_round_steps) {
  ChartAxis axis{"STRIDE", ChartScale::linear, {}};
  for (int i = 1; i <= 32; ++i) {
    axis.ticks.push_back({static_cast<double>(i), std::to_string(i)});
  }
  DrawnAxis shown = parameter_axis_of(axis);
  fit_labels_below(shown, 400);
  std::string labels;
  for (const ChartTick& tick : shown.ticks) {
    if (!tick.label.empty()) labels += tick.label + ' ';
  }
  BOOST_TEST(labels == "2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 ");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
