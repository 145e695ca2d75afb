#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "report/compare/run_comparison.h"
#include "tests/contains.h"
#include "tests/report/compare/compared_runs.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(configuration_match)

namespace {

using Points = std::vector<StoredPoint>;

StoredPoint point(Parameters parameters) {
  return ok_point("p", parameters, {});
}

/// "0-0 1-x x-1": the places of each configuration in the two runs.
std::string places(const Matching& matching) {
  std::string text;
  for (const ConfigurationComparison& match : matching.configurations) {
    if (!text.empty()) text += ' ';
    text += match.before ? std::to_string(*match.before) : "x";
    text += '-';
    text += match.after ? std::to_string(*match.after) : "x";
  }
  return text;
}

std::string message_of(const Points& before, const Points& after, const ComparisonRequest& rules) {
  try {
    match_configurations(before, after, rules);
  } catch (const ComparisonError& error) {
    return error.what();
  } catch (const InputError& error) {
    return render(error.diagnostics());
  }
  return "no error";
}

const Points blocks = {point({{"BLOCK", integer(128)}}), point({{"BLOCK", integer(256)}})};

BOOST_AUTO_TEST_CASE(pattern_and_parameters_decide_whatever_their_order) {
  const Points before = {point({{"T", element("float")}, {"BLOCK", integer(1)}}),
                         point({{"T", element("float")}, {"BLOCK", integer(2)}}),
                         ok_point("q", {{"T", element("float")}, {"BLOCK", integer(1)}}, {})};
  const Points after = {point({{"BLOCK", integer(3)}, {"T", element("float")}}),
                        point({{"BLOCK", integer(1)}, {"T", element("float")}})};
  const Matching matching = match_configurations(before, after, {});
  BOOST_TEST(places(matching) == "0-1 1-x 2-x x-0");
  BOOST_REQUIRE(matching.notes.size() == 1);
  BOOST_TEST(
      matching.notes[0] ==
      "the spaces differ: 1 configuration in both, 2 only in A, 1 only in B; pattern: q only "
      "in A; BLOCK: 2 only in A and 3 only in B");
}

BOOST_AUTO_TEST_CASE(what_both_runs_compute_from_others_is_no_part_of_a_configuration) {
  const auto computed = [](std::int64_t block, std::int64_t n) {
    StoredPoint stored = point({{"BLOCK", integer(block)}, {"N", integer(n)}});
    stored.point.derived = {"N"};
    return stored;
  };
  const Points before = {computed(1, 64), computed(2, 128)};
  Points after = {computed(1, 32), computed(2, 64)};
  const Matching matching = match_configurations(before, after, {});
  BOOST_TEST(places(matching) == "0-0 1-1");
  BOOST_TEST(matching.configurations[0].parameters.find("N") == nullptr);
  // What one of them was given counts.
  for (StoredPoint& stored : after) stored.point.derived.clear();
  BOOST_TEST(places(match_configurations(before, after, {})) == "0-x 1-x x-0 x-1");
  after[1].point.key.parameters.set("N", integer(128));
  BOOST_TEST(places(match_configurations(before, after, {})) == "0-x 1-1 x-0");
}

BOOST_AUTO_TEST_CASE(values_of_another_kind_are_other_values) {
  const Points before = {point({{"X", integer(1)}})};
  const Points after = {point({{"X", Value(true)}})};
  BOOST_TEST(places(match_configurations(before, after, {})) == "0-x x-0");
}

BOOST_AUTO_TEST_CASE(a_constant_parameter_of_one_side_is_left_out) {
  const Points after = {point({{"PAD", integer(0)}, {"BLOCK", integer(256)}}),
                        point({{"PAD", integer(0)}, {"BLOCK", integer(128)}})};
  const Matching matching = match_configurations(blocks, after, {});
  BOOST_TEST(places(matching) == "0-1 1-0");
  BOOST_REQUIRE(matching.notes.size() == 1);
  BOOST_TEST(contains(matching.notes[0], "only B has the parameter PAD of p, which is 0 there"));
  BOOST_TEST(contains(match_configurations(after, blocks, {}).notes.at(0), "only A has"));
}

BOOST_AUTO_TEST_CASE(a_parameter_of_one_side_that_varies_has_to_be_chosen) {
  const Points after = {point({{"PAD", integer(0)}, {"BLOCK", integer(256)}}),
                        point({{"PAD", integer(1)}, {"BLOCK", integer(256)}})};
  const Matching matching = match_configurations(blocks, after, {});
  BOOST_TEST(places(matching) == "0-x 1-x x-0 x-1");
  BOOST_TEST(contains(matching.notes.at(0), "--where \"PAD == 0\""));
  ComparisonRequest rules;
  rules.where = {condition("PAD == 1")};
  const Matching chosen = match_configurations(blocks, after, rules);
  BOOST_TEST(places(chosen) == "0-x 1-1");
  BOOST_TEST(contains(chosen.notes.at(0), "'PAD == 1' does not restrict A"));
}

BOOST_AUTO_TEST_CASE(ignored_parameters_may_differ) {
  const Points before = {point({{"BLOCK", integer(1)}, {"N", integer(1 << 20)}}),
                         point({{"BLOCK", integer(2)}, {"N", integer(1 << 20)}})};
  const Points after = {point({{"BLOCK", integer(1)}, {"N", integer(64)}}),
                        point({{"BLOCK", integer(2)}, {"N", integer(64)}})};
  const Matching none_matches = match_configurations(before, after, {});
  BOOST_TEST(places(none_matches) == "0-x 1-x x-0 x-1");
  BOOST_TEST(contains(none_matches.notes.at(1), "N of p is 1 Mi in A and 64 in B"));
  BOOST_TEST(contains(none_matches.notes.at(1), "--ignore N"));
  ComparisonRequest rules;
  rules.ignored = {"N"};
  BOOST_TEST(places(match_configurations(before, after, rules)) == "0-0 1-1");
  rules.ignored = {"BLOCK"};
  BOOST_TEST(contains(message_of(before, after, rules), "A has several configurations"));
  rules.ignored = {"BLOC"};
  BOOST_TEST(contains(message_of(before, after, rules), "did you mean 'BLOCK'?"));
}

BOOST_AUTO_TEST_CASE(patterns_and_parameters_may_have_got_new_names) {
  const Points after = {ok_point("fast_p", {{"THREADS", integer(128)}}, {}),
                        ok_point("fast_p", {{"THREADS", integer(256)}}, {})};
  ComparisonRequest rules;
  rules.renamed = {{"p", "fast_p"}, {"BLOCK", "THREADS"}};
  const Matching matching = match_configurations(blocks, after, rules);
  BOOST_TEST(places(matching) == "0-0 1-1");
  BOOST_TEST(matching.configurations[0].pattern == "fast_p");
  rules.renamed = {{"x", "y"}};
  BOOST_TEST(contains(message_of(blocks, after, rules), "A has no pattern or parameter x"));
}

BOOST_AUTO_TEST_CASE(conditions_choose_and_mistakes_in_them_are_told) {
  ComparisonRequest rules;
  rules.where = {condition("pattern == 'p'"), condition("BLOCK > 128")};
  BOOST_TEST(places(match_configurations(blocks, blocks, rules)) == "1-1");
  rules.where = {condition("BLOK > 128")};
  BOOST_TEST(contains(message_of(blocks, blocks, rules), "did you mean 'BLOCK'?"));
  rules.where = {condition("BLOCK + 1")};
  BOOST_TEST(contains(message_of(blocks, blocks, rules), "a condition is true or false"));
  rules.where = {condition("BLOCK && true")};
  BOOST_TEST(contains(message_of(blocks, blocks, rules), "error"));
  rules.where = {condition("BLOCK == 7")};
  BOOST_TEST(contains(message_of(blocks, blocks, rules), "leaves no configuration of A"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
