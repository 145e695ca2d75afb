#include <boost/test/unit_test.hpp>
#include <numeric>
#include <set>

#include "engine/run/compile_pool.h"
#include "tests/pattern_from_text.h"
#include "tests/rapidcheck_case.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(compile_candidates)

namespace {

const char* const text = R"cuda(/* pattern:
parameters: {STRIDE: 1, BLOCK: 32, N: 64}
buffers: {data: {type: float, length: N, init: "i % 101"}}
launch: {grid: 1, block: BLOCK}
useful: {read: 256}
verify: "data[i] == i % STRIDE"
*/
__global__ void p(float* data) { data[STRIDE * BLOCK] = 1; }
)cuda";

struct Given {
  std::vector<Configuration> configurations;
  std::vector<CompileCandidate> candidates;
};

/// Candidates with these strides and blocks, in this order.
Given given(const std::vector<std::pair<std::int64_t, std::int64_t>>& values) {
  static const PatternPtr pattern = pattern_from_text("p", text);
  Given result;
  CandidateMaker maker;
  for (const auto& [stride, block] : values) {
    result.configurations.push_back(
        resolve(pattern, integers({{"STRIDE", stride}, {"BLOCK", block}})));
    result.candidates.push_back(maker.make(result.configurations.back(), result.candidates.size()));
  }
  return result;
}

std::vector<std::size_t> chosen(const Given& all, std::size_t size) {
  return choose_batch(all.candidates, size);
}

}  // namespace

BOOST_AUTO_TEST_CASE(those_that_share_functions_with_the_first_go_with_it) {
  const Given all = given({{1, 32}, {2, 32}, {3, 32}, {1, 64}, {2, 64}, {1, 96}});
  BOOST_TEST(chosen(all, 3) == (std::vector<std::size_t>{0, 3, 5}),
             boost::test_tools::per_element());
  // Then those of the group that comes next.
  BOOST_TEST(chosen(all, 5) == (std::vector<std::size_t>{0, 1, 3, 4, 5}),
             boost::test_tools::per_element());
  BOOST_TEST(chosen(all, 100).size() == 6U);
}

BOOST_AUTO_TEST_CASE(a_small_part_of_a_group_is_left_to_the_next_batch) {
  std::vector<std::pair<std::int64_t, std::int64_t>> values;
  for (std::int64_t stride = 1; stride <= 3; ++stride) {
    for (std::int64_t block = 1; block <= 31; ++block) values.emplace_back(stride, block);
  }
  const Given all = given(values);
  BOOST_TEST(chosen(all, 64).size() == 62U);
  BOOST_TEST(chosen(all, 80).size() == 62U);
  BOOST_TEST(chosen(all, 90).size() == 90U);
  BOOST_TEST(chosen(all, 20).size() == 20U);
}

BOOST_AUTO_TEST_CASE(a_batch_is_of_one_pattern) {
  Given all = given({{1, 32}, {1, 64}, {1, 96}});
  const PatternPtr other = pattern_from_text(
      "q", std::string(text).replace(std::string(text).find("void p"), 6, "void q"));
  CandidateMaker maker;
  all.candidates[1] = maker.make(resolve(other, {}), 1);
  BOOST_TEST(chosen(all, 10) == (std::vector<std::size_t>{0, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_first_is_always_chosen_and_nothing_twice) {
  testing::check_property(
      [](const std::vector<std::pair<unsigned char, unsigned char>>& values, unsigned char size) {
        std::vector<std::pair<std::int64_t, std::int64_t>> all = {{1, 1}};
        for (const auto& [stride, block] : values) all.emplace_back(1 + stride % 3, 1 + block % 5);
        const std::vector<std::size_t> places = chosen(given(all), size);
        RC_ASSERT(!places.empty());
        RC_ASSERT(places.front() == 0U);
        RC_ASSERT(places.size() <= std::max<std::size_t>(size, 1));
        RC_ASSERT(std::ranges::is_sorted(places));
        RC_ASSERT(std::set<std::size_t>(places.begin(), places.end()).size() == places.size());
      });
}

BOOST_AUTO_TEST_SUITE_END()
