#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/cuda/device_monitor.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(device_sentences)

namespace {

std::string joined(const std::vector<std::string>& sentences) {
  return fmt::format("{}", fmt::join(sentences, "; "));
}

}  // namespace

BOOST_DATA_TEST_CASE(throttle_bits_become_words,
                     data::make({0x0, 0x1, 0x2, 0x4, 0x5, 0x48, 0x1f0}) ^
                         data::make({"", "", "", "power limit", "power limit",
                                     "hardware slowdown; hardware thermal slowdown",
                                     "synchronised with another GPU's boost; temperature limit; "
                                     "hardware thermal slowdown; hardware power brake; display "
                                     "clock setting"}),
                     bits, words) {
  BOOST_TEST(joined(throttle_reasons(static_cast<std::uint64_t>(bits), false)) == words);
}

BOOST_AUTO_TEST_CASE(applications_clocks_are_a_reason_where_they_lower_the_clocks) {
  BOOST_TEST(joined(throttle_reasons(0x6, true)) == "applications clocks setting; power limit");
  BOOST_TEST(joined(throttle_reasons(0x6, false)) == "power limit");
}

BOOST_AUTO_TEST_CASE(every_process_but_ours_is_named) {
  const std::vector<ComputeProcess> three = {{7, "python3"}, {42, "sweep"}, {9, ""}};
  BOOST_TEST(joined(other_processes(three, 42)) ==
             "python3 (process 7) computes on this GPU too; "
             "the process 9 computes on this GPU too");
}

BOOST_AUTO_TEST_CASE(within_a_container_one_process_is_ours) {
  const std::vector<ComputeProcess> one = {{7000, ""}};
  const std::vector<ComputeProcess> two = {{7000, ""}, {7001, ""}};
  const std::vector<ComputeProcess> three = {{7000, ""}, {7001, ""}, {7002, ""}};
  BOOST_TEST(joined(other_processes({}, 42)) == "");
  BOOST_TEST(joined(other_processes(one, 42)) == "");
  BOOST_TEST(joined(other_processes(two, 42)) == "another process computes on this GPU");
  BOOST_TEST(joined(other_processes(three, 42)) == "2 other processes compute on this GPU");
}

BOOST_AUTO_TEST_CASE(others_that_compute_are_told_from_those_that_only_could) {
  const std::vector<ComputeProcess> three = {{7, "python3"}, {42, "sweep"}, {9, ""}};
  const auto others = [&](unsigned own, const std::vector<unsigned>& computing) {
    return joined(others_among(three, own, computing));
  };
  BOOST_TEST(others(42, {}) == "");
  BOOST_TEST(others(42, {42}) == "");
  BOOST_TEST(others(42, {42, 7}) == "python3 (process 7)");
  BOOST_TEST(others(42, {7, 9, 7}) == "python3 (process 7); the process 9");
  BOOST_TEST(others(42, {5}) == "");  // it has ended
  BOOST_TEST(others(1, {7}) == "");
  BOOST_TEST(others(1, {7, 42}) == "another process");
  BOOST_TEST(others(1, {7, 42, 9}) == "2 other processes");
}

BOOST_AUTO_TEST_CASE(a_link_of_pci_express_has_the_peak_of_its_lanes) {
  const auto close = boost::test_tools::tolerance(1e-3);
  BOOST_TEST(pcie_peak(3, 16) == 15.754e9, close);
  BOOST_TEST(pcie_peak(5, 16) == 63.015e9, close);
  BOOST_TEST(pcie_peak(6, 8) == 60.5e9, close);
  BOOST_TEST(pcie_peak(0, 16) == 0);
  BOOST_TEST(pcie_peak(7, 16) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
