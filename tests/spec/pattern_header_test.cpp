#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "engine/spec/pattern.h"
#include "tests/spec/copy_pattern.h"
#include "tests/spec/spec_case.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(pattern_header)

namespace {

using namespace sweep::testing;
using sweep::Expression;
using sweep::PatternPtr;
using sweep::ValueKind;

// The design's own example.
const std::string stride = R"cu(/* pattern:
summary: Increment one element; neighbouring threads are STRIDE elements apart.
parameters:
  T:      {type: element, default: float}
  STRIDE: {default: 1, min: 0, help: distance between neighbouring threads in elements}
  BLOCK:  {default: 256, min: 32, max: 1024, help: threads per block}
  N:      {default: 64 Mi, help: threads in the grid}
require:
  - N % BLOCK == 0
buffers:
  data: {type: T, length: N * max(STRIDE, 1), init: "T(i % 251)"}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * sizeof(T), write: N * sizeof(T)}
verify: "data[i] == T(i % 251) + T(STRIDE > 0 && i % STRIDE == 0)"
*/
__global__ void stride(T* data) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  data[i * STRIDE] += T(1);
}
)cu";

std::string texts(const std::vector<Expression>& expressions) {
  std::string result;
  for (const Expression& expression : expressions) result += '[' + expression.text() + ']';
  return result;
}

/// The copy pattern with `to` in place of `from`.
PatternPtr variant(const std::string& from, const std::string& to) {
  return good_pattern(edited(copy_pattern, from, to));
}

/// "NAME KIND DEFAULT" of the parameter that `line` declares, which may use T, N and BLOCK.
std::string declared(const std::string& line) {
  const PatternPtr pattern = variant("require:", line + "\nrequire:");
  const sweep::Parameter& last = pattern->parameters.back();
  return last.name + ", " + std::string(describe(last.kind)) + ", " +
         to_string(*resolve(pattern, {}).parameters.find(last.name));
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_designs_example_is_read_whole) {
  const PatternPtr pattern = good_pattern(stride, "patterns/stride");
  BOOST_TEST(pattern->name == "stride");
  BOOST_TEST(pattern->path == "patterns/stride.cu");
  BOOST_TEST(pattern->summary ==
             "Increment one element; neighbouring threads are STRIDE elements apart.");
  BOOST_TEST(pattern->parameter_names() == (std::vector<std::string>{"T", "STRIDE", "BLOCK", "N"}),
             boost::test_tools::per_element());
  const sweep::Parameter& block = *pattern->find_parameter("BLOCK");
  BOOST_TEST((block.kind == ValueKind::integer));
  BOOST_TEST(block.min.value() == 32);
  BOOST_TEST(block.max.value() == 1024);
  BOOST_TEST(block.help == "threads per block");
  BOOST_TEST(block.where.line == 6u);
  const sweep::Parameter& threads = *pattern->find_parameter("N");
  BOOST_TEST(threads.default_value.evaluate_integer({}) == 64 << 20);
  BOOST_TEST(!threads.min.has_value());
  BOOST_TEST(!threads.max.has_value());
  BOOST_TEST((pattern->find_parameter("T")->kind == ValueKind::element));
  BOOST_TEST(texts(pattern->require) == "[N % BLOCK == 0]");
  BOOST_TEST_REQUIRE(pattern->buffers.size() == 1u);
  const sweep::Buffer& buffer = pattern->buffers.front();
  BOOST_TEST(buffer.name == "data");
  BOOST_TEST(buffer.type == "T");
  BOOST_TEST(buffer.length.text() == "N * max(STRIDE, 1)");
  BOOST_TEST(buffer.init.value().text == "T(i % 251)");
  BOOST_TEST(buffer.init.value().where.line == 11u);
  BOOST_TEST(buffer.init.value().where.column == 54u);
  BOOST_TEST(texts(pattern->steps.front().launch.grid) == "[N / BLOCK]");
  BOOST_TEST(texts(pattern->steps.front().launch.block) == "[BLOCK]");
  BOOST_TEST(pattern->steps.front().launch.shared.evaluate_integer({}) == 0);
  BOOST_TEST(pattern->useful.read.text() == "N * sizeof(T)");
  BOOST_TEST(pattern->useful.write.text() == "N * sizeof(T)");
  BOOST_TEST(pattern->useful.shared.evaluate_integer({}) == 0);
  BOOST_TEST_REQUIRE(pattern->verify.size() == 1u);
  BOOST_TEST(pattern->verify.front().buffer == "data");
  BOOST_TEST(pattern->verify.front().condition.text ==
             "data[i] == T(i % 251) + T(STRIDE > 0 && i % STRIDE == 0)");
  BOOST_TEST(pattern->body_line == 15u);
  BOOST_TEST(pattern->body == stride.substr(stride.find("*/") + 2));
}

const std::vector<TextCase> parameter_forms = {
    // The short form is the default alone, and says what kind it is.
    {"  P: 256", "P, an integer, 256"},
    {"  P: 64 Mi", "P, an integer, 67108864"},
    {"  P: 0x10", "P, an integer, 16"},
    {"  P: -4", "P, an integer, -4"},
    {"  P: true", "P, a boolean, true"},
    {"  P: double", "P, an element type, double"},
    {"  P: unsigned", "P, an element type, uint32_t"},
    {"  P: \"float4\"", "P, an element type, float4"},
    {"  P: {default: 256}", "P, an integer, 256"},
    {"  P: {type: integer, default: 256}", "P, an integer, 256"},
    {"  P: {type: boolean, default: false}", "P, a boolean, false"},
    {"  P: {type: element, default: half}", "P, an element type, half"},
    {"  P:\n    default: 256\n    help: threads", "P, an integer, 256"},
    // Defaults may use what is declared above.
    {"  P: N / BLOCK", "P, an integer, 16"},
    {"  P: N * sizeof(T)", "P, an integer, 16384"},
    {"  P: N > BLOCK", "P, a boolean, true"},
    {"  P: T", "P, an element type, float"},
    {"  P: {default: \"max(N, BLOCK)\", min: 1 Ki, max: 8 * 1024}", "P, an integer, 4096"},
    {"  P: {default: max(N, BLOCK), min: 1}", "P, an integer, 4096"},
    {"  P: \"T == float ? 1 : 2\"", "P, an integer, 1"},
    {"  P: >-\n    N /\n    BLOCK", "P, an integer, 16"},
};

BOOST_DATA_TEST_CASE(a_parameter_has_many_forms, data::make(parameter_forms)) {
  BOOST_TEST(declared(sample.text) == sample.expected);
}

BOOST_AUTO_TEST_CASE(bounds_are_inclusive_and_constant) {
  const PatternPtr pattern =
      variant("BLOCK: {default: 256}", "BLOCK: {default: 256, min: 256, max: 256}");
  BOOST_TEST(pattern->find_parameter("BLOCK")->min.value() == 256);
  BOOST_TEST(pattern->find_parameter("BLOCK")->max.value() == 256);
  BOOST_TEST(variant("min: 1,", "min: -(1 << 10),")->find_parameter("N")->min.value() == -1024);
}

BOOST_AUTO_TEST_CASE(a_struct_has_a_size_that_expressions_can_use) {
  const PatternPtr pattern = good_pattern(R"cu(/* pattern:
parameters: {T: float, N: 1 Ki}
structs: {Particle: 7 * sizeof(T), Pair: 2 * sizeof(Particle)}
require: sizeof(Pair) == 2 * sizeof(Particle)
buffers:
  data: {type: Particle, length: N, init: "Particle{}"}
launch: {grid: 1, block: 32, shared: 32 * sizeof(Pair)}
useful: N * sizeof(Particle)
verify: "true"
*/
struct Particle { T values[7]; };
struct Pair { Particle a, b; };
__global__ void move(struct Particle* __restrict__ data) {}
)cu",
                                          "move");
  BOOST_TEST_REQUIRE(pattern->structs.size() == 2u);
  BOOST_TEST(pattern->structs[0].name == "Particle");
  const sweep::Bindings environment = environment_of(resolve(pattern, {}));
  BOOST_TEST(pattern->useful.read.evaluate_integer(environment) == 28 * 1024);
  BOOST_TEST(pattern->steps.front().launch.shared.evaluate_integer(environment) == 32 * 56);
}

BOOST_AUTO_TEST_CASE(arguments_follow_the_buffers) {
  const PatternPtr pattern = good_pattern(R"cu(/* pattern:
parameters: {N: 1 Ki}
buffers: {data: {type: float, length: N}}
arguments:
  n: {value: N}
  bytes: {type: uint64_t, value: N * 4}
  factor: {type: double, value: 2}
launch: {grid: 1, block: 32}
useful: {shared: N}
verify: {data: "true"}
*/
__global__ void scale(float data[], const int n, size_t bytes, double factor) {}
)cu",
                                          "scale");
  BOOST_TEST_REQUIRE(pattern->arguments.size() == 3u);
  BOOST_TEST(pattern->arguments[0].name == "n");
  BOOST_TEST(pattern->arguments[0].type == "int32_t");
  BOOST_TEST(pattern->arguments[1].type == "uint64_t");
  BOOST_TEST(pattern->arguments[1].value.text() == "N * 4");
  BOOST_TEST(pattern->arguments[2].type == "double");
  BOOST_TEST(pattern->useful.shared.text() == "N");
  BOOST_TEST(pattern->useful.read.evaluate_integer({}) == 0);
  BOOST_TEST(!pattern->buffers[0].init.has_value());
}

BOOST_AUTO_TEST_CASE(a_pattern_may_have_no_parameters) {
  const PatternPtr pattern = good_pattern(R"cu(/* pattern:
buffers: {data: {type: int, length: 1}}
launch: {grid: 1, block: 1}
useful: 4
verify: data[i] == 1
*/ __global__ void one(int* data) { *data = 1; })cu",
                                          "one");
  BOOST_TEST(pattern->parameters.empty());
  BOOST_TEST(pattern->verify.front().condition.text == "data[i] == 1");
  BOOST_TEST(pattern->body_line == 6u);
}

const std::vector<TextCase> extents = {
    {"grid: N / BLOCK", "[N / BLOCK]"},
    {"grid: 16", "[16]"},
    {"grid: [16]", "[16]"},
    {"grid: [N / BLOCK, 2]", "[N / BLOCK][2]"},
    {"grid: [\"max(N, 1)\", 2, 3]", "[max(N, 1)][2][3]"},
    {"grid: [max(N, 1), 2, 3]", "[max(N, 1)][2][3]"},
};

BOOST_DATA_TEST_CASE(an_extent_is_a_number_or_up_to_three, data::make(extents)) {
  BOOST_TEST(texts(variant("grid: N / BLOCK", sample.text)->steps.front().launch.grid) ==
             sample.expected);
}

BOOST_AUTO_TEST_CASE(requirements_are_one_or_a_list) {
  BOOST_TEST(texts(variant("[N % BLOCK == 0]", "N % BLOCK == 0")->require) == "[N % BLOCK == 0]");
  BOOST_TEST(texts(variant("[N % BLOCK == 0]", "[N > 1, N > 2]")->require) == "[N > 1][N > 2]");
  BOOST_TEST(texts(variant("require: [N % BLOCK == 0]\n", "")->require) == "");
  BOOST_TEST(texts(variant("require: [N % BLOCK == 0]", "require:")->require) == "");
}

BOOST_AUTO_TEST_CASE(verify_names_a_buffer_for_each_condition) {
  const PatternPtr both = variant("{out: \"out[i]", "{in: \"in[i] == i\", out: \"out[i]");
  BOOST_TEST_REQUIRE(both->verify.size() == 2u);
  BOOST_TEST(both->verify[0].buffer == "in");
  BOOST_TEST(both->verify[0].condition.text == "in[i] == i");
  BOOST_TEST(both->verify[1].buffer == "out");
  BOOST_TEST(both->verify[1].condition.where.line == 15u);
  BOOST_TEST(both->verify[1].condition.where.column == 34u);
}

BOOST_AUTO_TEST_CASE(cuda_may_stand_in_a_block_scalar) {
  const PatternPtr pattern = variant("verify: {out: \"out[i] == T(i % 101)\"}",
                                     "verify:\n"
                                     "  out: |\n"
                                     "    out[i] ==\n"
                                     "      T(i % 101)");
  const sweep::CudaExpression& condition = pattern->verify.front().condition;
  BOOST_TEST(condition.text == "out[i] ==\n  T(i % 101)\n");
  BOOST_TEST(condition.where.line == 17u);
  BOOST_TEST(condition.where.column == 5u);
}

BOOST_AUTO_TEST_CASE(texts_are_kept_as_they_are) {
  const PatternPtr pattern = variant("summary: Copy an array\n",
                                     "summary: Copy; an array\n"
                                     "help: >-\n  Two\n  lines: of text\n"
                                     "reference: Guide, \"Copy\"\n");
  BOOST_TEST(pattern->summary == "Copy; an array");
  BOOST_TEST(pattern->help == "Two lines: of text");
  BOOST_TEST(pattern->origin == "Guide, \"Copy\"");
}

const std::vector<std::string> beginnings = {
    "",
    "\n\n",
    "  \t",
    "// One line\n",
    "// One\n// Two\n\n",
    "\xEF\xBB\xBF",
    "\xEF\xBB\xBF// One\n\n",
};

BOOST_DATA_TEST_CASE(blanks_and_line_comments_may_stand_before_the_header, data::make(beginnings)) {
  const std::string text = sample + copy_pattern;
  BOOST_TEST_INFO(text.substr(0, 40));
  BOOST_TEST(pattern_messages(text) == "");
  const auto lines = static_cast<std::size_t>(std::ranges::count(sample, '\n'));
  BOOST_TEST(good_pattern(text)->body_line == lines + 16);
  // Places count what stands before.
  const std::string broken = edited(text, "grid: N / BLOCK", "grid: X / BLOCK");
  BOOST_TEST(pattern_messages(broken) ==
             std::to_string(lines + 13) +
                 ":16+1 there is no parameter 'X' | the names known here are: T, N, BLOCK");
}

BOOST_AUTO_TEST_CASE(lines_may_end_as_on_windows) {
  std::string text = copy_pattern;
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
    text.insert(at, 1, '\r');
  }
  BOOST_TEST(pattern_messages(text) == "");
  const PatternPtr pattern = good_pattern(text);
  BOOST_TEST(pattern->summary == "Copy an array");
  BOOST_TEST(pattern->body_line == 16u);
  BOOST_TEST(texts(pattern->require) == "[N % BLOCK == 0]");
  BOOST_TEST(pattern_messages(edited(text, ", int scale)", ", int factor)")) == "");
  BOOST_TEST(pattern_messages(edited(text, "T* out, int", "int* out, int")) ==
             "17:35+8 'out' is passed as 'T*', but this parameter has the type 'int*' | the header "
             "describes copy(T* in, T* out, int32_t scale)");
}

BOOST_AUTO_TEST_CASE(a_kernels_parameters_may_have_names_of_their_own) {
  BOOST_TEST(pattern_messages(edited(copy_pattern, "const T* in, T* out, int scale",
                                     "const T *a, T *__restrict__ b, int32_t c")) == "");
  BOOST_TEST(pattern_messages(edited(copy_pattern, "const T* in, T* out, int scale",
                                     "const T*, T*, int")) == "");
}

BOOST_AUTO_TEST_SUITE_END()
