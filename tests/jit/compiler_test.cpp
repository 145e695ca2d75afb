#include "engine/jit/compiler.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/loader/dynamic_library.h"
#include "engine/spec/pattern_library.h"
#include "tests/pattern_from_text.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace {

/// The run-time compiler; null, with a message, where there is none.
std::shared_ptr<const Nvrtc> nvrtc() {
  static const std::shared_ptr<const Nvrtc> library = []() -> std::shared_ptr<const Nvrtc> {
    try {
      return std::make_shared<const Nvrtc>();
    } catch (const LibraryError& error) {
      BOOST_TEST_MESSAGE("skipped: " << error.what());
      return nullptr;
    }
  }();
  return library;
}

boost::test_tools::assertion_result has_nvrtc(boost::unit_test::test_unit_id) {
  return nvrtc() != nullptr;
}

const char* const strided = R"cuda(/* pattern:
parameters: {STRIDE: 1}
buffers:
  data: {type: float, length: 64 * STRIDE, init: "i"}
launch: {grid: 1, block: 64}
useful: {read: 256, write: 256}
verify: "data[i] == i + (i % STRIDE == 0)"
*/
static_assert(STRIDE != 3, "three is out");
__global__ void strided(float* data) {
  data[threadIdx.x * STRIDE] += 1;
}
)cuda";

std::vector<Configuration> strides(std::initializer_list<std::int64_t> values) {
  const PatternPtr pattern = pattern_from_text("strided", strided);
  std::vector<Configuration> result;
  for (const std::int64_t value : values) {
    result.push_back(resolve(pattern, integers({{"STRIDE", value}})));
  }
  return result;
}

/// The compiler's messages for a pattern whose body or header has a mistake.
std::string errors_of(const std::string& text) {
  const std::vector<Configuration> one = {resolve(pattern_from_text("wrong", text), {})};
  const auto outcomes = Compiler(nvrtc(), 90).compile(one);
  const auto* failure = std::get_if<CompileFailure>(&outcomes.front());
  return failure != nullptr ? render(failure->errors) : std::string("compiled");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(compiler, *boost::unit_test::precondition(has_nvrtc))

BOOST_AUTO_TEST_CASE(configurations_share_one_program_with_cubin_and_ptx) {
  const auto outcomes = Compiler(nvrtc(), 90).compile(strides({1, 2, 4}));
  BOOST_REQUIRE(outcomes.size() == 3U);
  const auto& first = std::get<CompiledConfiguration>(outcomes[0]);
  const auto& last = std::get<CompiledConfiguration>(outcomes[2]);
  BOOST_TEST(first.program.get() == last.program.get());
  BOOST_TEST(!first.program->cubin.empty());
  BOOST_TEST(first.kernel_entry != last.kernel_entry);
  for (const std::string& entry :
       {last.kernel_entry, last.init_entries.at(0), last.check_entries.at(0)}) {
    BOOST_TEST(first.program->ptx.find(".entry " + entry) != std::string::npos);
  }
  BOOST_TEST(first.program->ptx.find(".loc") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(one_that_does_not_compile_does_not_harm_its_neighbours) {
  const auto outcomes = Compiler(nvrtc(), 90).compile(strides({2, 3, 4}));
  BOOST_TEST(std::holds_alternative<CompiledConfiguration>(outcomes[0]));
  BOOST_TEST(std::holds_alternative<CompiledConfiguration>(outcomes[2]));
  const auto* failure = std::get_if<CompileFailure>(&outcomes[1]);
  BOOST_REQUIRE(failure != nullptr);
  BOOST_TEST(
      render(failure->errors)
          .starts_with("strided.cu:9:1: error: static assertion failed with \"three is out\"\n"));
}

BOOST_AUTO_TEST_CASE(several_patterns_can_be_compiled_at_once) {
  std::string other(strided);
  const std::string mark = "void strided";
  other.replace(other.find(mark), mark.size(), "void another");
  std::vector<Configuration> configurations = strides({1, 2});
  configurations.push_back(resolve(pattern_from_text("another", other), {}));
  const auto outcomes = Compiler(nvrtc(), 90).compile(configurations);
  BOOST_REQUIRE(outcomes.size() == 3U);
  const auto& last = std::get<CompiledConfiguration>(outcomes[2]);
  BOOST_TEST(last.kernel_entry.find("another") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(messages_name_the_line_and_column_of_the_body) {
  std::string wrong(strided);
  wrong.replace(wrong.find("+= 1"), 4, "+= x");
  wrong.replace(wrong.find("void strided"), 12, "void wrong");
  BOOST_TEST(errors_of(wrong) ==
             "wrong.cu:11:33: error: identifier \"x\" is undefined\n"
             "    data[threadIdx.x * STRIDE] += x;\n"
             "                                  ^\n");
}

BOOST_AUTO_TEST_CASE(messages_name_the_line_and_column_of_init_and_verify) {
  std::string wrong(strided);
  wrong.replace(wrong.find("void strided"), 12, "void wrong");
  wrong.replace(wrong.find("init: \"i\""), 9, "init: \"y\"");
  wrong.replace(wrong.find("== i +"), 6, "== z +");
  const std::string errors = errors_of(wrong);
  BOOST_TEST(errors.find("wrong.cu:4:51: error: identifier \"y\" is undefined") !=
             std::string::npos);
  BOOST_TEST(errors.find("wrong.cu:7:21: error: identifier \"z\" is undefined") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_struct_of_another_size_than_the_header_says_is_an_error) {
  const std::string errors = errors_of(R"cuda(/* pattern:
structs: {Pair: 12}
buffers: {data: {type: Pair, length: 64, init: "Pair{float(i), 1}"}}
launch: {grid: 1, block: 64}
useful: {read: 64 * sizeof(Pair)}
verify: "data[i].x == i"
*/
struct Pair { float x, y; };
__global__ void wrong(Pair* data) { data[threadIdx.x].y = 2; }
)cuda");
  BOOST_TEST(errors.starts_with("wrong.cu:2:"));
  BOOST_TEST(errors.find("the header's structs give 12 bytes for Pair") != std::string::npos);
}

BOOST_DATA_TEST_CASE(the_shipped_patterns_compile_with_every_element_type,
                     data::make({"copy", "offset", "stride"}), name) {
  const PatternLibrary library({SWEEP_SOURCE_DIR "/patterns"});
  Diagnostics diagnostics;
  const PatternPtr pattern = library.load(name, {}, diagnostics);
  BOOST_REQUIRE_MESSAGE(pattern != nullptr, render(diagnostics));
  std::vector<Configuration> configurations;
  for (const std::string& type : ElementType::names()) {
    Bindings given;
    given.set("T", *ElementType::find(type));
    configurations.push_back(resolve(pattern, given));
  }
  const auto outcomes = Compiler(nvrtc(), 90).compile(configurations);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const auto* failure = std::get_if<CompileFailure>(&outcomes[i]);
    BOOST_TEST(failure == nullptr, to_string(configurations[i]));
    if (failure == nullptr) {
      BOOST_TEST(std::get<CompiledConfiguration>(outcomes[i]).warnings.empty());
    }
  }
}

BOOST_AUTO_TEST_CASE(an_architecture_newer_than_the_compiler_gets_ptx) {
  const auto outcomes = Compiler(nvrtc(), 999).compile(strides({1}));
  const auto& compiled = std::get<CompiledConfiguration>(outcomes.front());
  BOOST_TEST(compiled.program->cubin.empty());
  BOOST_TEST(!compiled.program->ptx.empty());
}

BOOST_AUTO_TEST_CASE(an_architecture_older_than_the_compiler_is_an_error) {
  BOOST_CHECK_THROW(Compiler(nvrtc(), 10), LibraryError);
}

BOOST_AUTO_TEST_SUITE_END()
