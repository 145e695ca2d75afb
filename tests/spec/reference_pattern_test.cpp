#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/contains.h"
#include "tests/pattern_from_text.h"
#include "tests/referenced_pattern.h"
#include "tests/spec/spec_case.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(reference_pattern)

namespace {

using namespace sweep;
using namespace sweep::testing;

const std::string given_verify = "verify: {out: {reference: out}}\n";
const std::string given_reference =
    "{kernel: \"plain<int>\", arguments: [in, out, N], grid: \"ceil_div(N, 32)\", block: 32}";

std::vector<std::string> buffers_of(const Pattern& pattern) {
  std::vector<std::string> names;
  for (const Buffer& buffer : pattern.buffers) names.push_back(buffer.name);
  return names;
}

/// "out == out" for each buffer and the reference's that it is compared with.
std::string compared(const Pattern& pattern) {
  std::string text;
  for (const Verification& each : pattern.verify) {
    text += fmt::format("{} == {};", each.buffer, each.reference);
  }
  return text;
}

/// What stands in the place of `verify`, and what is compared then.
const std::vector<TextCase> comparisons = {
    {given_verify, "out == out;"},
    {"", "out == out;"},
    {"verify: {out: {tolerance: {relative: 1e-5}}}\n", "out == out;"},
    {"verify: {out: {reference: in}}\n", "out == in;"},
    {"verify: {out: \"out[i] == 2 * in[i]\"}\n", "out == ;"},
};

/// Edits of the text, and the parameters that the reference depends on then.
const std::vector<EditCase> dependences = {
    {"// Whatever BLOCK is.", "// Whatever it is.", "N SCALE"},
    {"int n) {", "int n) {  // not BLOCK", "N SCALE"},
    {"if (i < n)", "if (i < n && BLOCK > 0)", "BLOCK N SCALE"},
    {"in: {type: int, length: N,", "in: {type: int, length: N + BLOCK,", "BLOCK N SCALE"},
    {"\"scaled(i)\"", "\"1\"", "N"},
    {"grid: \"ceil_div(N, 32)\"", "grid: N / BLOCK", "BLOCK N SCALE"},
    {"arguments: [in, out, N], grid", "arguments: [in, out, 256], grid", "N SCALE"},
    {"constexpr int block", "#define BOTH(a, b) a##b\nconstexpr int block", "BLOCK N SCALE WRONG"},
    {"require:", "compile: {fast_math: BLOCK > 1, max_registers: WRONG + 33}\nrequire:", "N SCALE"},
    {"require:", "compile: {defines: {WIDTH: BLOCK}}\nrequire:", "N SCALE"},
};

const std::vector<EditCase> mistakes = {
    {"{out: {reference: out}}", "{out: reference}",
     "13:15+9 'verify' takes the reference's buffer here | write {reference: out}"},
    {"plain<int>", "plian<int>",
     "12:22+10 there is no kernel 'plian' in this file, nor in one that it includes | did you mean "
     "'plain'?"},
    {"[in, out, N], grid", "[in, out], grid",
     "12:47+2 the kernel takes 3 parameters, but the header gives 2 | it is template <typename T> "
     "plain(const T* in, T* "
     "out, int n)"},
    {"block: 32}", "blok: 32}", "12:85+4 the reference has no key 'blok' | did you mean 'block'?"},
    {", block: 32}", ", steps: []}",
     "12:22+10 'kernel' stands in each of the steps | steps: [{kernel: scan, arguments: [in, out], "
     "grid: N / BLOCK, block: BLOCK}]\n"
     "12:46+1 'arguments' stands in each of the steps | steps: [{kernel: scan, arguments: [in, "
     "out], grid: N / BLOCK, block: BLOCK}]\n"
     "12:67+15 'grid' stands in each of the steps | steps: [{kernel: scan, arguments: [in, out], "
     "grid: N / BLOCK, block: BLOCK}]\n"
     "12:92+1 'steps' must be a list of launches | steps: [{kernel: scan, arguments: [in, out], "
     "grid: N / BLOCK, block: BLOCK}]"},
    {"{reference: out}", "{reference: uot}",
     "13:27+3 there is no buffer 'uot' | did you mean 'out'?"},
    {"{reference: out}", "{reference: scratch}",
     "13:27+7 the reference's 'scratch' has 4 elements of type int, but 'out' has 256 of type int "
     "| BLOCK=64 N=256 SCALE=3 WRONG=-1"},
    {"{reference: out}", "{reference: out, equals: 1}",
     "13:15+1 verify of 'out' needs 'equals', 'file' or 'reference', and one alone | for example "
     "{equals: \"2 * i\", tolerance: {relative: 1e-5}}, or {file: out.npy, tolerance: ...}"},
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_reference_has_what_its_kernels_need) {
  const PatternPtr pattern = good_pattern(referenced_pattern, "doubled");
  BOOST_REQUIRE(pattern->reference != nullptr);
  const Pattern& reference = *pattern->reference;
  BOOST_TEST(buffers_of(reference) == (std::vector<std::string>{"in", "out"}),
             boost::test_tools::per_element());
  BOOST_TEST(contains(reference.body, "plain(const T* in"));
  BOOST_TEST(contains(reference.body, "int scaled(int i)"));
  BOOST_TEST(!contains(reference.body, "doubled"));
  BOOST_TEST(!contains(reference.body, "constexpr int block"), reference.body);
  BOOST_TEST(reference.body.size() == pattern->body.size());
  BOOST_TEST(reference.verify.empty());
  // The configurations are not compiled with the reference's kernel.
  BOOST_TEST(!contains(pattern->body, "plain"));
  BOOST_TEST(contains(pattern->body, "doubled"));
}

BOOST_DATA_TEST_CASE(it_depends_on_the_parameters_that_these_name, data::make(dependences)) {
  const PatternPtr pattern =
      good_pattern(edited(referenced_pattern, sample.from, sample.to), "doubled");
  BOOST_TEST(fmt::format("{}", fmt::join(pattern->reference->parameter_names(), " ")) ==
             sample.expected);
}

BOOST_AUTO_TEST_CASE(configurations_with_equal_inputs_have_equal_references) {
  const PatternPtr pattern = good_pattern(referenced_pattern, "doubled");
  const auto reference = [&](std::int64_t block, std::int64_t n) {
    const Bindings given = integers({{"BLOCK", block}, {"N", n}});
    return to_string(reference_of(resolve(pattern, given)).parameters);
  };
  BOOST_TEST(reference(32, 256) == "N=256 SCALE=3");
  BOOST_TEST(reference(64, 256) == reference(32, 256));
  BOOST_TEST(reference(32, 512) != reference(32, 256));
}

BOOST_DATA_TEST_CASE(verify_says_what_is_compared, data::make(comparisons)) {
  const std::string text = edited(referenced_pattern, given_verify, sample.text);
  BOOST_TEST(compared(*good_pattern(text, "doubled")) == sample.expected);
}

BOOST_AUTO_TEST_CASE(a_reference_may_have_steps) {
  const std::string steps =
      "{steps: [{kernel: \"plain<int>\", arguments: [in, out, N], grid: N, block: 32, repeat: {K: "
      "{from: 1, to: 2}}}, {kernel: \"plain<int>\", arguments: [out, in, 1], grid: 1, block: 1}]}";
  const std::string text =
      edited(edited(referenced_pattern, given_reference, steps), given_verify, "");
  const PatternPtr pattern = good_pattern(text, "doubled");
  BOOST_TEST(pattern->reference->steps.size() == 2U);
  BOOST_TEST(pattern->steps.size() == 1U);
  // The kernel takes `in` as const.
  BOOST_TEST(compared(*pattern) == "out == out;");
}

BOOST_AUTO_TEST_CASE(a_text_says_where_the_pattern_comes_from) {
  const std::string text =
      edited(edited(referenced_pattern, "reference: " + given_reference, "reference: A paper"),
             given_verify, "verify: {out: \"true\"}\n");
  const PatternPtr pattern = good_pattern(text, "doubled");
  BOOST_TEST(pattern->origin == "A paper");
  BOOST_TEST(pattern->reference == nullptr);
  BOOST_TEST(
      pattern_messages(edited(text, "{out: \"true\"}", "{out: {reference: out}}"), "doubled") ==
      "13:27+3 the pattern has no reference to compare with | reference: {kernel: "
      "plain_matmul, grid: ceil_div(M * N, 256), block: 256}");
}

BOOST_DATA_TEST_CASE(mistakes_are_named_at_their_places, data::make(mistakes)) {
  BOOST_TEST(pattern_messages(edited(referenced_pattern, sample.from, sample.to), "doubled") ==
             sample.expected);
}

BOOST_AUTO_TEST_SUITE_END()
