#include "engine/jit/compiler.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "engine/spec/pattern.h"
#include "engine/system/dynamic_library.h"
#include "engine/text/read_source.h"
#include "tests/contains.h"
#include "tests/nvrtc_fixture.h"
#include "tests/pattern_from_text.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace compiler {
namespace {

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

std::vector<Configuration> strides(const std::vector<std::int64_t>& values) {
  return configurations_with(pattern_from_text("strided", strided), "STRIDE", values);
}

/// The compiler's messages for a pattern whose body or header has a mistake.
std::string errors_of(const std::string& text) {
  const std::vector<Configuration> one = {resolve(pattern_from_text("wrong", text), {})};
  const auto outcomes = Compiler(nvrtc(), 90).compile(one);
  const auto* failure = std::get_if<CompileFailure>(&outcomes.front());
  return failure != nullptr ? render(failure->errors) : std::string("compiled");
}

/// A pattern of 64 elements `data` of type T with this init, verification and body.
std::string small_pattern(const std::string& type, const std::string& init,
                          const std::string& verify, const std::string& body) {
  return "/* pattern:\nparameters: {K: 1}\nbuffers:\n  data: {type: " + type +
         ", length: 64, init: \"" + init + "\"}\nlaunch: {grid: 1, block: 64}\n" +
         "useful: {read: 256}\nverify: \"" + verify + "\"\n*/\n" + body;
}

/// What stands in the way of compiling a batch of three; "one program" when nothing does.
std::string errors_of_batch(const std::string& text) {
  const auto outcomes =
      Compiler(nvrtc(), 90)
          .compile(configurations_with(pattern_from_text("wrong", text), "K", {1, 2, 3}));
  std::string errors;
  for (const CompileOutcome& outcome : outcomes) {
    if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
      errors += render(failure->errors);
    }
  }
  if (!errors.empty()) return errors;
  const bool is_shared = std::get<CompiledConfiguration>(outcomes.front()).program ==
                         std::get<CompiledConfiguration>(outcomes.back()).program;
  return is_shared ? "one program" : "several programs";
}

/// NVRTC, which counts its runs.
struct CountingCompiler : ProgramCompiler {
  NvrtcResult compile(const ProgramSource& source) override {
    ++runs;
    return nvrtc()->compile(source);
  }
  std::size_t runs = 0;
};

const char* const empty_kernel = "__global__ void wrong(float* data) {}\n";

}  // namespace
}  // namespace compiler

BOOST_AUTO_TEST_SUITE(compiler, *boost::unit_test::precondition(has_nvrtc))

BOOST_AUTO_TEST_CASE(configurations_share_one_program_with_cubin_and_ptx) {
  const auto outcomes = Compiler(nvrtc(), 90).compile(strides({1, 2, 4}));
  BOOST_REQUIRE(outcomes.size() == 3U);
  const auto& first = std::get<CompiledConfiguration>(outcomes[0]);
  const auto& last = std::get<CompiledConfiguration>(outcomes[2]);
  BOOST_TEST(first.program.get() == last.program.get());
  BOOST_TEST(!first.program->cubin.empty());
  BOOST_TEST(first.entries.steps.front().kernel != last.entries.steps.front().kernel);
  for (const std::string& entry :
       {last.entries.steps.front().kernel, last.entries.init.at(0), last.entries.check.at(0)}) {
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

BOOST_AUTO_TEST_CASE(a_mistake_among_many_costs_few_runs_and_keeps_its_message) {
  const Compiler compiler(nvrtc(), 90);
  std::vector<std::int64_t> values(64);
  std::iota(values.begin(), values.end(), 1);
  CountingCompiler counting;
  const auto outcomes = compiler.compile(strides(values), &counting);
  // The first run fails; then, six times, one half does and one does not.
  BOOST_TEST(counting.runs == 1U + 2 * 6);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    BOOST_TEST(std::holds_alternative<CompileFailure>(outcomes[i]) == (i == 2));
  }
  const auto alone = compiler.compile(strides({3}));
  BOOST_TEST(render(std::get<CompileFailure>(outcomes[2]).errors) ==
             render(std::get<CompileFailure>(alone.front()).errors));
}

BOOST_AUTO_TEST_CASE(configurations_share_functions_and_each_finds_its_own) {
  std::vector<Configuration> configurations = strides({1, 2});
  configurations.push_back(configurations.front());
  const auto outcomes = Compiler(nvrtc(), 90).compile(configurations);
  const auto& first = std::get<CompiledConfiguration>(outcomes[0]);
  const auto& second = std::get<CompiledConfiguration>(outcomes[1]);
  const auto& third = std::get<CompiledConfiguration>(outcomes[2]);
  BOOST_TEST(first.entries.init == second.entries.init, boost::test_tools::per_element());
  BOOST_TEST(first.entries.check != second.entries.check);
  BOOST_TEST(first.entries.steps.front().kernel == third.entries.steps.front().kernel);
  BOOST_TEST(second.entries.steps.front().kernel != third.entries.steps.front().kernel);
}

BOOST_AUTO_TEST_CASE(a_mistake_in_a_shared_function_is_every_configurations) {
  std::string wrong(strided);
  wrong.replace(wrong.find("== i +"), 6, "== z +");
  const std::vector<Configuration> configurations =
      configurations_with(pattern_from_text("strided", wrong), "STRIDE", {1, 2, 2});
  const auto outcomes = Compiler(nvrtc(), 90).compile(configurations);
  BOOST_TEST(outcomes.size() == 3U);
  for (const CompileOutcome& outcome : outcomes) {
    const auto* failure = std::get_if<CompileFailure>(&outcome);
    BOOST_REQUIRE(failure != nullptr);
    BOOST_TEST(render(failure->errors)
                   .starts_with("strided.cu:7:21: error: identifier \"z\" is undefined"));
  }
}

BOOST_AUTO_TEST_CASE(a_compilers_identity_is_all_that_decides_its_outcomes) {
  const Compiler compiler(nvrtc(), 90);
  BOOST_TEST(compiler.identity() == Compiler(nvrtc(), 90).identity());
  BOOST_TEST(compiler.identity() != Compiler(nvrtc(), 80).identity());
  BOOST_TEST(compiler.identity().starts_with(nvrtc()->version()));
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
  BOOST_TEST(last.entries.steps.front().kernel.find("another") != std::string::npos);
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

BOOST_AUTO_TEST_CASE(messages_about_types_that_do_not_match_name_init_and_verify) {
  const std::string errors = errors_of(
      small_pattern("float4", "i + 1", "data[i] == i", "__global__ void wrong(float4* data) {}\n"));
  BOOST_TEST(errors.starts_with("wrong.cu:4:"), errors);
  BOOST_TEST(errors.find("wrong.cu:4:43: error: no operator \"=\"") != std::string::npos, errors);
  BOOST_TEST(errors.find("wrong.cu:7:18: error: no operator \"==\"") != std::string::npos, errors);
  BOOST_TEST(errors.find("generated") == std::string::npos, errors);
}

BOOST_AUTO_TEST_CASE(a_missing_header_is_reported_at_its_include) {
  const std::string errors =
      errors_of(small_pattern("float", "i", "data[i] == i",
                              "// First\n  #include \"missing.h\"\n" + std::string(empty_kernel)));
  BOOST_TEST(errors.starts_with("wrong.cu:10:"), errors);
  BOOST_TEST(errors.find("missing.h") != std::string::npos, errors);
}

BOOST_AUTO_TEST_CASE(a_quoted_header_comes_from_the_patterns_folder_before_the_current_one) {
  const TemporaryFolder folder;
  // A name of the temporary folder's own, so that nothing else in the current one has it.
  const std::string here = folder.path().filename().string() + ".h";
  const std::string inner = "inner-" + here;
  folder.write(here, "#include \"deep/through.h\"\n");
  folder.write("deep/through.h", "#include \"" + inner + "\"\n");
  folder.write("deep/" + inner, "constexpr int from = 1;\n");
  const auto path = folder.write(
      "wrong.cu", small_pattern("float", "i", "data[i] == i",
                                "#include \"" + here + "\"\nstatic_assert(from == 1);\n" +
                                    std::string(empty_kernel)));
  for (const std::string& file : {here, inner}) std::ofstream(file) << "constexpr int from = 2;\n";
  Diagnostics diagnostics;
  const PatternPtr pattern = parse_pattern(read_source(path), path, diagnostics);
  BOOST_REQUIRE_MESSAGE(pattern != nullptr, render(diagnostics));
  const std::vector<Configuration> one = {resolve(pattern, {})};
  const auto outcomes = Compiler(nvrtc(), 90).compile(one);
  for (const std::string& file : {here, inner}) std::filesystem::remove(file);
  BOOST_TEST(std::holds_alternative<CompiledConfiguration>(outcomes.front()));
}

BOOST_AUTO_TEST_CASE(parameters_are_constants_with_an_address) {
  BOOST_TEST(errors_of_batch(small_pattern(
                 "float", "i", "data[i] == i",
                 "static_assert(K >= 0 && sizeof(int[K + 1]) > 0);\n"
                 "template <class A, class B> inline constexpr bool same = false;\n"
                 "template <class A> inline constexpr bool same<A, A> = true;\n"
                 "static_assert(same<decltype(K), const int> && same<decltype((K)), const int&>);\n"
                 "__device__ int read(const int& value) { return value; }\n"
                 "template <int N> struct Holds { static constexpr int K = N; };\n"
                 "__global__ void wrong(float* data) {\n"
                 "  const int* at = &K;\n"
                 "  data[0] = read(K) + Holds<K>::K + *at;\n"
                 "  int K = 2;\n"
                 "  data[1] = K;\n}\n")) == "one program");
}

BOOST_AUTO_TEST_CASE(include_guards_and_macros_do_not_leak_into_the_next_configuration) {
  BOOST_TEST(errors_of_batch(small_pattern(
                 "float", "i", "data[i] == i",
                 "#ifndef H\n#define H\n__device__ int helper() { return K; }\n#endif\n"
                 "#define TWICE(x) (2 * (x))\n"
                 "__global__ void wrong(float* data) { data[0] = TWICE(helper()); }\n")) ==
             "one program");
}

BOOST_AUTO_TEST_CASE(macros_of_the_pattern_do_not_harm_what_is_generated) {
  BOOST_TEST(errors_of_batch(small_pattern("float", "i", "data[i] == i",
                                           "#define count 3\n#define first\n#define x 1\n"
                                           "#define actual\n#define expected\n#define size_t\n"
                                           "__device__ void atomicAdd(int) {}\n" +
                                               std::string(empty_kernel))) == "one program");
}

BOOST_AUTO_TEST_CASE(operators_of_the_pattern_go_before_those_of_the_prelude) {
  BOOST_TEST(errors_of_batch(small_pattern(
                 "float4", "splat<float4>(i)", "data[i] == splat<float4>(i) + splat<float4>(K)",
                 "__device__ constexpr float4 operator+(float4 a, const float4& b) {\n"
                 "  return float4{42, a.y, b.z, 0};\n}\n"
                 "__device__ constexpr bool operator==(const float4& a, const float4&) { return "
                 "a.x > 0; }\n"
                 "static_assert((float4{1, 1, 1, 1} + float4{2, 2, 2, 2}).x == 42);\n"
                 "static_assert(float4{1} == float4{2} && (float4{1} - float4{3}).x == -2);\n"
                 "__global__ void wrong(float4* data) { data[0] += data[1]; }\n")) ==
             "one program");
}

BOOST_AUTO_TEST_CASE(vectors_compare_over_all_components) {
  BOOST_TEST(
      errors_of_batch(small_pattern(
          "int3", "splat<int3>(i)", "data[i] == splat<int3>(i)",
          "static_assert(int3{1, 2, 3} == int3{1, 2, 3} && int3{1, 2, 3} != int3{1, 2, 4});\n"
          "static_assert((int3{1, 2, 3} * int3{1, 2, 3}).z == 9);\n"
          "__global__ void wrong(int3* data) { data[0] -= data[1]; }\n")) == "one program");
}

BOOST_AUTO_TEST_CASE(the_standard_headers_that_kernels_use_are_there) {
  BOOST_TEST(errors_of_batch(small_pattern(
                 "float", "i", "data[i] == i",
                 "#include <cstdio>\n#include <stdio.h>\n#include <cassert>\n#include <assert.h>\n"
                 "#include <climits>\n#include <limits.h>\n#include <cfloat>\n#include <float.h>\n"
                 "#include <cmath>\n#include <math.h>\n"
                 "static_assert(INT_MAX + INT_MIN == -1 && ULLONG_MAX == ~0ull);\n"
                 "static_assert(FLT_MAX < DBL_MAX && 1 + DBL_EPSILON > 1);\n"
                 "static_assert(FLT_MAX < INFINITY && NAN != NAN);\n"
                 "__global__ void wrong(float* data) {\n"
                 "  assert(K > 0);\n"
                 "  if (data[0] < -INFINITY) printf(\"%f\", sqrtf(data[0]));\n}\n")) ==
             "one program");
}

BOOST_AUTO_TEST_CASE(cooperative_groups_read_the_standard_library_only_where_it_is_named) {
  const auto ptx_of = [](const std::string& operation) {
    const std::vector<Configuration> one = {resolve(
        pattern_from_text("wrong", small_pattern("int", "1", "data[i] == 32",
                                                 "#include <cooperative_groups.h>\n"
                                                 "#include <cooperative_groups/reduce.h>\n"
                                                 "namespace cg = cooperative_groups;\n"
                                                 "__global__ void wrong(int* data) {\n"
                                                 "  const auto warp = cg::tiled_partition<32>("
                                                 "cg::this_thread_block());\n"
                                                 "  int& mine = data[threadIdx.x];\n"
                                                 "  mine = cg::reduce(warp, mine, " +
                                                     operation + "());\n}\n")),
        {})};
    const auto outcomes = Compiler(nvrtc(), 90).compile(one);
    const auto* compiled = std::get_if<CompiledConfiguration>(&outcomes.front());
    BOOST_REQUIRE(compiled != nullptr);
    return compiled->program->ptx;
  };
  const std::string plain = ptx_of("cg::plus<int>");
  BOOST_TEST(contains(plain, "redux.sync.add"));
  BOOST_TEST(!contains(plain, "4cuda3std"));
  BOOST_TEST(contains(ptx_of("cuda::std::plus<int>"), "4cuda3std"));
}

BOOST_AUTO_TEST_CASE(too_much_shared_memory_is_an_error_with_a_way_out) {
  const std::string errors =
      errors_of(small_pattern("float", "i", "data[i] == i",
                              "__global__ void wrong(float* data) {\n"
                              "  __shared__ float tile[16384 + K];\n"
                              "  tile[threadIdx.x] = data[threadIdx.x];\n  __syncthreads();\n"
                              "  data[threadIdx.x] = tile[63 - threadIdx.x];\n}\n"));
  BOOST_TEST(errors.find("the kernel uses too much shared data") != std::string::npos, errors);
  BOOST_TEST(errors.find("extern __shared__") != std::string::npos, errors);
  BOOST_TEST(errors.find("_ZN") == std::string::npos, errors);
}

BOOST_AUTO_TEST_CASE(an_option_that_is_not_known_is_a_broken_promise) {
  BOOST_CHECK_THROW(nvrtc()->compile({"", {"--no-such-option"}, {}}), LibraryError);
}

BOOST_AUTO_TEST_CASE(headers_come_from_the_librarys_own_toolkit) {
  BOOST_TEST(nvrtc()->file().is_absolute());
  BOOST_TEST(!std::filesystem::is_symlink(nvrtc()->file()));
}

BOOST_AUTO_TEST_CASE(messages_find_their_line_in_a_verify_of_several_lines) {
  const std::string errors = errors_of(R"cuda(/* pattern:
buffers: {data: {type: int, length: 64, init: "0"}}
launch: {grid: 1, block: 64}
useful: {write: 256}
verify: "data[i] ==
           1 + oops"
*/
__global__ void wrong(int* data) { data[threadIdx.x] = 1; }
)cuda");
  BOOST_TEST(errors ==
             "wrong.cu:6:16: error: identifier \"oops\" is undefined\n"
             "             1 + oops\"\n"
             "                 ^\n");
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
  BOOST_TEST(errors ==
             "wrong.cu:2:11: error: Pair has 8 bytes, but the header gives 12\n"
             "  structs: {Pair: 12}\n            ^~~~\n"
             "  help: write structs: {Pair: 8}\n");
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
  const auto outcomes = Compiler(nvrtc(), newer_than_any).compile(strides({1}));
  const auto& compiled = std::get<CompiledConfiguration>(outcomes.front());
  BOOST_TEST(compiled.program->cubin.empty());
  BOOST_TEST(!compiled.program->ptx.empty());
}

BOOST_AUTO_TEST_CASE(an_architecture_older_than_the_compiler_is_an_error) {
  BOOST_CHECK_THROW(Compiler(nvrtc(), 10), LibraryError);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(compiler_library)

BOOST_AUTO_TEST_CASE(a_compiler_that_is_too_old_is_named) {
  BOOST_CHECK_NO_THROW(require_supported_version("/cuda/lib64/libnvrtc.so.12", 12, 4));
  BOOST_CHECK_NO_THROW(require_supported_version("/cuda/lib64/libnvrtc.so.13", 13, 0));
  const auto names_the_way_out = [](const LibraryError& error) {
    return error.what() ==
           std::string(
               "/cuda/lib64/libnvrtc.so.12 is NVRTC 12.3, but 12.4 or newer is needed: set "
               "SWEEP_CUDA_HOME to the folder of a newer CUDA toolkit");
  };
  BOOST_CHECK_EXCEPTION(require_supported_version("/cuda/lib64/libnvrtc.so.12", 12, 3),
                        LibraryError, names_the_way_out);
}

BOOST_AUTO_TEST_CASE(headers_are_looked_for_beside_the_library_first) {
  const TemporaryFolder folder;
  folder.write("a/include/sweep_test.h", "");
  folder.write("b/targets/x86_64-linux/include/sweep_test.h", "");
  BOOST_TEST(find_cuda_include("sweep_test.h", folder.path() / "a/lib64/libnvrtc.so.13") ==
             folder.path() / "a/include");
  BOOST_TEST(find_cuda_include("sweep_test.h",
                               folder.path() / "b/targets/x86_64-linux/lib/libnvrtc.so.13") ==
             folder.path() / "b/targets/x86_64-linux/include");
  BOOST_TEST(find_cuda_include("sweep_test.h", "").empty());
}

BOOST_AUTO_TEST_SUITE_END()
