#include "engine/jit/translation_unit.h"

#include <boost/test/unit_test.hpp>

#include "tests/contains.h"
#include "tests/pattern_from_text.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(translation_unit)

namespace {

const char* const text = R"cuda(/* pattern:
parameters:
  T: {type: element, default: float}
  STRIDE: 1
  WIDE: 4 Gi
  ON: true
buffers:
  data: {type: T, length: 64, init: "T(i)"}
  out: {type: T, length: 64}
launch: {grid: 1, block: 64}
useful: {read: 256}
verify: {out: "out[i] == data[i]"}
*/
#include <cstdint>
__global__ void unit(T* data, T* out) { out[threadIdx.x] = data[ON ? WIDE * STRIDE : 0]; }
)cuda";

}  // namespace

BOOST_AUTO_TEST_CASE(every_configuration_has_its_constants_in_a_namespace_of_its_own) {
  const PatternPtr pattern = pattern_from_text("unit", text);
  const std::vector<Configuration> configurations = {resolve(pattern, integers({{"STRIDE", 1}})),
                                                     resolve(pattern, integers({{"STRIDE", 2}}))};
  const TranslationUnit unit = write_translation_unit(configurations);
  BOOST_TEST(contains(unit.text,
                      "namespace sweep_k0 { constexpr int STRIDE = int(1LL); }\n"
                      "namespace sweep_k1 { constexpr long long WIDE = 4294967296LL; }\n"
                      "namespace sweep_k2 { constexpr bool ON = true; }\n"
                      "namespace sweep_c0 {\nusing T = float;\nusing sweep_k0::STRIDE;\n"
                      "using sweep_k1::WIDE;\nusing sweep_k2::ON;\n"));
  // Each value has one constant.
  BOOST_TEST(contains(unit.text,
                      "namespace sweep_k3 { constexpr int STRIDE = int(2LL); }\n"
                      "namespace sweep_c1 {\nusing T = float;\nusing sweep_k3::STRIDE;\n"
                      "using sweep_k1::WIDE;\nusing sweep_k2::ON;\n"));
  BOOST_REQUIRE(unit.entries.size() == 2U);
  BOOST_TEST(unit.entries[1].steps.front().kernel == "&sweep_c1::unit");
  BOOST_TEST(unit.entries[1].init[1].empty());
}

BOOST_AUTO_TEST_CASE(includes_stand_once_before_all_configurations) {
  const PatternPtr pattern = pattern_from_text("unit", text);
  const std::vector<Configuration> configurations(3, resolve(pattern, {}));
  const std::string unit = write_translation_unit(configurations).text;
  const std::size_t include = unit.find("#include <cstdint>");
  BOOST_REQUIRE(include != std::string::npos);
  BOOST_TEST(include < unit.find("namespace sweep_c0"));
  BOOST_TEST(unit.find("#include <cstdint>", include + 1) == std::string::npos);
  BOOST_TEST(contains(unit, "#line 14 \"unit.cu\"\n#include <cstdint>\n#line 1 \"generated\"\n"));
}

BOOST_AUTO_TEST_CASE(only_includes_of_the_outermost_level_are_moved) {
  const std::string stays =
      "// #include <a.h>\n/*\n#include <b.h>\n*/\n"
      "#ifdef X\n#include <d.h>\n#endif\nconst char* const s = R\"(\n#include <e.h>\n)\";\n";
  const PatternPtr pattern =
      pattern_from_text("unit", text + stays + "#  include <f.h>  // last\n");
  const std::vector<Configuration> configurations = {resolve(pattern, {})};
  const std::string unit = write_translation_unit(configurations).text;
  BOOST_TEST(contains(unit, stays));
  for (const char* name : {"<a.h>", "<b.h>", "<d.h>", "<e.h>"}) {
    BOOST_TEST(unit.find(name) > unit.find("namespace sweep_c0"), name);
  }
  BOOST_TEST(unit.find("#  include <f.h>") < unit.find("namespace sweep_c0"));
}

BOOST_AUTO_TEST_CASE(macros_end_with_their_configuration) {
  const PatternPtr pattern = pattern_from_text(
      "unit", std::string(text) + "#define A 1\n# define B(x) \\\n x\n// #define C\n#define A 2\n");
  const std::vector<Configuration> configurations = {resolve(pattern, {})};
  const std::string unit = write_translation_unit(configurations).text;
  BOOST_TEST(unit.ends_with("}\n#undef A\n#undef B\n"));
}

BOOST_AUTO_TEST_CASE(lines_are_those_of_the_pattern_file) {
  const PatternPtr pattern = pattern_from_text("unit", text);
  const std::vector<Configuration> configurations = {resolve(pattern, {})};
  const std::string unit = write_translation_unit(configurations).text;
  BOOST_TEST(contains(
      unit, "#line 13 \"unit.cu\"\n  \n" + std::string(18, ' ') + "\n__global__ void unit"));
  BOOST_TEST(contains(unit, "#line 8 \"unit.cu\"\n" + std::string(37, ' ') + "T(i)\n"));
}

BOOST_AUTO_TEST_CASE(half_headers_come_only_when_they_are_needed) {
  const PatternPtr pattern = pattern_from_text("unit", text);
  Bindings half;
  half.set("T", *ElementType::find("half"));
  const std::vector<Configuration> plain = {resolve(pattern, {})};
  const std::vector<Configuration> halves = {resolve(pattern, half)};
  BOOST_TEST(!contains(write_translation_unit(plain).text, "cuda_fp16.h"));
  BOOST_TEST(contains(write_translation_unit(halves).text, "cuda_fp16.h"));
}

BOOST_AUTO_TEST_CASE(random_functions_come_only_when_they_are_named) {
  const auto unit_of = [](std::string changed) {
    const PatternPtr pattern = pattern_from_text("unit", std::move(changed));
    const std::vector<Configuration> configurations = {resolve(pattern, {})};
    return write_translation_unit(configurations).text;
  };
  const auto with = [](const std::string& from, const std::string& to) {
    std::string changed = text;
    return changed.replace(changed.find(from), from.size(), to);
  };
  BOOST_TEST(!contains(unit_of(text), "permuted"));
  for (const std::string& named :
       {with("T(i)", "T(permuted(i, 64, 1))"), with("== data[i]", "== random_below(1, 2, 3)"),
        with("#include", "__device__ auto three() { return random_bits(1, 2); }\n#include")}) {
    const std::string unit = unit_of(named);
    const std::size_t defined = unit.find("uint64_t permuted(uint64_t i");
    BOOST_TEST(defined < unit.find("namespace sweep_c0"));
  }
}

BOOST_AUTO_TEST_CASE(what_configurations_agree_in_is_written_once) {
  const PatternPtr pattern = pattern_from_text(
      "strided",
      "/* pattern:\nparameters: {STRIDE: 1, BLOCK: 32, N: 64}\nbuffers:\n"
      "  data: {type: float, length: N, init: \"i % 101\"}\nlaunch: {grid: 1, block: BLOCK}\n"
      "useful: {read: 256}\nverify: \"data[i] == i % STRIDE\"\n*/\n"
      "__global__ void strided(float* data) { data[STRIDE * BLOCK] = 1; }\n");
  std::vector<Configuration> configurations;
  const auto add = [&](std::int64_t stride, std::int64_t block, std::int64_t n) {
    configurations.push_back(
        resolve(pattern, integers({{"STRIDE", stride}, {"BLOCK", block}, {"N", n}})));
  };
  add(1, 32, 64);
  add(1, 64, 64);
  add(2, 32, 64);
  add(1, 32, 128);  // differs in its sizes alone
  const TranslationUnit unit = write_translation_unit(configurations);
  const auto kernel = [&](std::size_t i) { return unit.entries[i].steps.front().kernel; };
  BOOST_TEST(kernel(1) == "&sweep_c1::strided");
  BOOST_TEST(kernel(2) == "&sweep_c2::strided");
  BOOST_TEST(kernel(3) == kernel(0));
  for (const EntryNames& entries : unit.entries) BOOST_TEST(entries.init[0] == "sweep_c0_init_0");
  BOOST_TEST(unit.entries[1].check[0] == "sweep_c0_check_0");
  BOOST_TEST(unit.entries[2].check[0] == "sweep_c2_check_0");
  BOOST_TEST(unit.entries[3].check[0] == "sweep_c0_check_0");
  BOOST_TEST(!contains(unit.text, "namespace sweep_c3"));
  BOOST_TEST(!contains(unit.text, " N = "));
}

BOOST_AUTO_TEST_SUITE_END()
