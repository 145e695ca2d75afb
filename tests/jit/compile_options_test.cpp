#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <ostream>

#include "engine/jit/compiler.h"
#include "engine/text/read_source.h"
#include "tests/contains.h"
#include "tests/nvrtc_fixture.h"
#include "tests/pattern_from_text.h"
#include "tests/temporary_folder.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
namespace {
namespace compile_options {

std::string text_of(const std::string& rules, const std::string& body) {
  return "/* pattern:\nparameters: {K: 1, FAST: false, T: {type: element, default: float}}\n"
         "buffers: {data: {type: float, length: 64}}\nlaunch: {grid: 1, block: 64}\n"
         "useful: 256\nverify: \"true\"\ncompile: " +
         rules + "\n*/\n" + body;
}

const std::string kernel =
    "__global__ void p(float* data) { data[0] = data[K] * data[2] + sqrtf(data[3]); }\n";

std::vector<CompileOutcome> compiled(const std::string& text,
                                     const std::vector<std::int64_t>& values = {1},
                                     int compute_capability = 90) {
  return Compiler(nvrtc(), compute_capability)
      .compile(configurations_with(pattern_from_text("p", text), "K", values));
}

/// The program's text, or the messages.
std::string ptx_of(const CompileOutcome& outcome) {
  const auto* failure = std::get_if<CompileFailure>(&outcome);
  if (failure != nullptr) return render(failure->errors);
  return std::get<CompiledConfiguration>(outcome).program->ptx;
}

struct Effect {
  std::string rules;
  std::string present;
  std::string absent;

  friend std::ostream& operator<<(std::ostream& out, const Effect& row) { return out << row.rules; }
};

const std::vector<Effect> effects = {
    {"{}", "fma.rn.f32", "sqrt.approx"},
    {"{options: --fmad=false}", "mul.rn.f32", "fma.rn.f32"},
    {"{fast_math: true}", "sqrt.approx.ftz", "sqrt.rn"},
    {"{fast_math: K == 1}", "sqrt.approx.ftz", "sqrt.rn"},
    {"{fast_math: FAST}", "sqrt.rn", "sqrt.approx"},
    {"{options: --prec-sqrt=false}", "sqrt.approx", "sqrt.rn"},
    {"{options: -Xptxas -dlcm=cg}", "sqrt.rn", "sqrt.approx"},
    {"{architecture: specific}", ".target sm_90a", "sm_90f"},
    {"{architecture: family}", "p.cu:7:25: error: NVRTC", "sqrt"},
};

struct Body {
  std::string rules;
  std::string body;
  std::string expected = ".visible .entry";

  friend std::ostream& operator<<(std::ostream& out, const Body& row) { return out << row.rules; }
};

const std::vector<Body> bodies = {
    {"{defines: {VARIANT: K + 1}}", "#if VARIANT != 2\n#error not two\n#endif\n"},
    {"{defines: [K]}", "#ifndef K\n#define K 7\n#endif\n#if K != 1\n#error\n#endif\n"},
    {"{defines: {TYPE: T}}", "__device__ TYPE x(TYPE v) { return v; }\n"},
    {"{defines: {OFF: FAST, ON: K == 1}}", "#if defined(OFF) || !ON\n#error\n#endif\n"},
    {"{defines: {BODY: \"'return 1;'\"}}", "__device__ int one() { BODY }\n"},
    {"{defines: {VARIANT: K}}", "#if VARIANT == 1\n#error found it\n#endif\n",
     "p.cu:10:2: error: #error directive: found it"},
};

}  // namespace compile_options
}  // namespace

BOOST_AUTO_TEST_SUITE(compile_options_suite, *boost::unit_test::precondition(has_nvrtc))

BOOST_DATA_TEST_CASE(options_reach_the_compiler, data::make(compile_options::effects), row) {
  using namespace compile_options;
  const std::string ptx = ptx_of(compiled(text_of(row.rules, kernel)).front());
  BOOST_TEST(contains(ptx, row.present), ptx);
  BOOST_TEST(!contains(ptx, row.absent), ptx);
}

BOOST_AUTO_TEST_CASE(a_family_of_architectures_begins_with_10_0) {
  using namespace compile_options;
  const std::string ptx =
      ptx_of(compiled(text_of("{architecture: family}", kernel), {1}, 100).front());
  BOOST_TEST(contains(ptx, ".target sm_100f"), ptx);
}

BOOST_AUTO_TEST_CASE(a_value_that_cannot_be_fails_its_configuration_alone) {
  using namespace compile_options;
  const auto outcomes = compiled(text_of("{max_registers: 254 + K}", kernel), {1, 2, 1});
  BOOST_TEST(contains(ptx_of(outcomes[0]), ".entry"));
  BOOST_TEST(contains(ptx_of(outcomes[1]),
                      "p.cu:7:26: error: 'max_registers' is 256, but a thread has 1 to 255\n"));
  BOOST_TEST(contains(ptx_of(outcomes[2]), ".entry"));
}

BOOST_DATA_TEST_CASE(the_body_sees_macros, data::make(compile_options::bodies), row) {
  using namespace compile_options;
  const std::string ptx = ptx_of(compiled(text_of(row.rules, row.body + kernel)).front());
  BOOST_TEST(contains(ptx, row.expected), ptx);
}

BOOST_AUTO_TEST_CASE(configurations_with_the_same_options_share_a_program_in_any_order) {
  using namespace compile_options;
  const auto outcomes = compiled(text_of("{max_registers: 32 + K % 2}", kernel), {1, 2, 3, 4, 5});
  std::vector<const Program*> programs;
  for (const CompileOutcome& outcome : outcomes) {
    programs.push_back(std::get<CompiledConfiguration>(outcome).program.get());
  }
  BOOST_TEST((programs[0] == programs[2] && programs[2] == programs[4]));
  BOOST_TEST((programs[1] == programs[3] && programs[0] != programs[1]));
}

BOOST_AUTO_TEST_CASE(each_configuration_has_its_own_macros_in_files_beside_the_pattern) {
  using namespace compile_options;
  const TemporaryFolder folder;
  folder.write("code.cuh",
               "#pragma once\n#if WIDTH > 2\n__device__ int wide() { return WIDTH * 1000; }\n"
               "#else\n__device__ int wide() { return -WIDTH; }\n#endif\n");
  const auto path =
      folder.write("p.cu", text_of("{defines: {WIDTH: 2 * K}}",
                                   "#include \"code.cuh\"\n"
                                   "__global__ void p(float* data) { data[0] = wide(); }\n"));
  Diagnostics diagnostics;
  const PatternPtr pattern = parse_pattern(read_source(path), path, diagnostics);
  BOOST_REQUIRE_MESSAGE(pattern != nullptr, render(diagnostics));
  const auto outcomes = Compiler(nvrtc(), 90).compile(configurations_with(pattern, "K", {1, 2}));
  const std::string ptx = ptx_of(outcomes[0]);
  BOOST_TEST(ptx == ptx_of(outcomes[1]));
  // The floats -2 and 4000, as bits.
  BOOST_TEST(contains(ptx, "-1073741824"), ptx);
  BOOST_TEST(contains(ptx, "1165623296"), ptx);
}

BOOST_AUTO_TEST_CASE(what_cannot_stand_together_is_compiled_alone_from_then_on) {
  using namespace compile_options;
  const PatternPtr pattern = pattern_from_text(
      "p", text_of("{}", "extern \"C\" __device__ int mine(int x) { return x * K; }\n" + kernel));
  const PatternPtr other = pattern_from_text("q", text_of("{}", "__global__ void q(float*) {}\n"));
  /// Counts the programs.
  struct Counting : ProgramCompiler {
    NvrtcResult compile(const ProgramSource& source) override {
      ++programs;
      return nvrtc()->compile(source);
    }
    int programs = 0;
  };
  Counting counting;
  const Compiler compiler(nvrtc(), 90);
  const auto all_compile = [&](const std::vector<std::int64_t>& values) {
    const auto outcomes = compiler.compile(configurations_with(pattern, "K", values), &counting);
    return std::ranges::all_of(outcomes, [](const CompileOutcome& outcome) {
      return std::holds_alternative<CompiledConfiguration>(outcome);
    });
  };
  BOOST_TEST(compiler.compiled_alone().empty());
  // All, a half, two alone, and then the others alone.
  BOOST_TEST(all_compile({1, 2, 3, 4}));
  BOOST_TEST(counting.programs == 6);
  BOOST_TEST(all_compile({5, 6, 7}));
  BOOST_TEST(counting.programs == 9);
  compiler.compile(configurations_with(other, "K", {1, 2}), &counting);
  BOOST_TEST(counting.programs == 10);
  const std::map<std::string, std::size_t> expected = {{"p.cu", 7}};
  BOOST_TEST((compiler.compiled_alone() == expected));
}

BOOST_AUTO_TEST_CASE(a_mistake_of_one_configuration_leaves_the_others_together) {
  using namespace compile_options;
  const PatternPtr pattern =
      pattern_from_text("p", text_of("{}", "static_assert(K != 1, \"one\");\n" + kernel));
  const Compiler compiler(nvrtc(), 90);
  compiler.compile(configurations_with(pattern, "K", {1, 2, 3, 4}));
  const auto outcomes = compiler.compile(configurations_with(pattern, "K", {5, 6}));
  BOOST_TEST((std::get<CompiledConfiguration>(outcomes[0]).program ==
              std::get<CompiledConfiguration>(outcomes[1]).program));
  BOOST_TEST(compiler.compiled_alone().empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
