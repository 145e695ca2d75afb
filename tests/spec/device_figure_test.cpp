#include <boost/test/unit_test.hpp>

#include "engine/spec/sweep.h"
#include "tests/pattern_from_text.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(device_figure)

namespace {

constexpr const char* pattern_text = R"(/* pattern:
parameters:
  WAVES: 2
  SMS: {default: 7, min: 1, device: multiprocessors}
  FOOTPRINT: {default: 1 Mi, device: l2_bytes}
buffers: {data: {type: int, length: FOOTPRINT / 4}}
launch: {grid: WAVES * SMS, block: 32}
useful: {read: FOOTPRINT}
verify: data[i] == 0
*/
__global__ void p(int* data) {}
)";

Sweep sweep_over(std::vector<Axis> axes) {
  Sweep sweep;
  sweep.patterns = {pattern_from_text("p", pattern_text)};
  sweep.axes = std::move(axes);
  return sweep;
}

std::string shown(const Sweep& sweep) {
  std::string text;
  for (const Axis& axis : sweep.axes) {
    text += axis.names.front() + "=" + to_string(axis.rows.front().front()) + " ";
  }
  return text;
}

constexpr DeviceFigures figures = {132, 4096};

}  // namespace

BOOST_AUTO_TEST_CASE(defaults_become_the_devices_figures) {
  Sweep sweep = sweep_over({});
  BOOST_TEST(apply_device_figures(sweep, figures));
  BOOST_TEST(shown(sweep) == "SMS=132 FOOTPRINT=4096 ");
  BOOST_TEST(!apply_device_figures(sweep, figures));
}

BOOST_AUTO_TEST_CASE(every_figure_has_a_name) {
  const std::vector<std::string_view> expected = {"multiprocessors", "l2_bytes"};
  BOOST_TEST(device_figure_names == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_the_sweep_names_stays) {
  Sweep sweep =
      sweep_over({{{"WAVES", "SMS"}, {{Value(std::int64_t{1}), Value(std::int64_t{9})}}, {}}});
  BOOST_TEST(apply_device_figures(sweep, figures));
  BOOST_TEST(sweep.axes.size() == 2U);
  BOOST_TEST(sweep.axes.back().names.front() == "FOOTPRINT");
}

BOOST_AUTO_TEST_CASE(a_figure_that_is_not_known_leaves_the_default) {
  Sweep sweep = sweep_over({});
  BOOST_TEST(!apply_device_figures(sweep, DeviceFigures{}));
  BOOST_TEST(sweep.axes.empty());
  BOOST_TEST(apply_device_figures(sweep, DeviceFigures{0, 4096}));
  BOOST_TEST(shown(sweep) == "FOOTPRINT=4096 ");
}

BOOST_AUTO_TEST_SUITE_END()
