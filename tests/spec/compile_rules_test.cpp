#include "engine/spec/compile_rules.h"

#include <fmt/ranges.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/spec/copy_pattern.h"
#include "tests/spec/example_patterns.h"
#include "tests/spec/spec_case.h"
#include "tests/temporary_folder.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(compile_rules)

namespace {

using namespace sweep::testing;
using namespace sweep;

std::string with_rules(const std::string& rules) {
  return edited(copy_pattern, "launch: {", "compile: " + rules + "\nlaunch: {");
}

/// What a configuration is compiled with: options, and below them macros.
std::string shown_rules(const Configuration& configuration) {
  std::string macros = macro_lines(configuration);
  return fmt::format("{}{}{}", fmt::join(compiler_options(configuration), " "),
                     macros.empty() ? "" : "\n", macros);
}

// Of the defaults: T=float N=4096 BLOCK=256.
const std::vector<TextCase> good = {
    {"{}", ""},
    {"{fast_math: true}", "--use_fast_math"},
    {"{fast_math: BLOCK < 256}", ""},
    {"{max_registers: 64}", "--maxrregcount=64"},
    {"{max_registers: \"BLOCK > 512 ? 32 : 128\"}", "--maxrregcount=128"},
    {"{max_registers: 0}", ""},
    {"{options: --fmad=false}", "--fmad=false"},
    {"{options: [-ftz=true, -prec-div false, --restrict]}",
     "--ftz=true --prec-div=false --restrict"},
    {"{options: [\"-Xptxas -O1,-dlcm=cg\", --ptxas-options=--register-usage-level=3]}",
     "--ptxas-options=--opt-level=1 --ptxas-options=--def-load-cache=cg "
     "--ptxas-options=--register-usage-level=3"},
    {"{defines: {TILE: BLOCK / 8, TYPE: T, HALF: half, FAST: N > 1, SLOW: N < 1, ON: }}",
     "\n#define TILE 32\n#define TYPE float\n#define HALF __half\n#define FAST 1\n#define ON 1\n"},
    {"{defines: {BELOW: -1, FAR: 4 Gi, CALL: \"'__expf(1, 2)'\"}}",
     "\n#define BELOW (-1)\n#define FAR 4294967296LL\n#define CALL __expf(1, 2)\n"},
    {"{defines: [BLOCK, N]}", "\n#define BLOCK 256\n#define N 4096\n"},
};

// The rules stand in line 13 from column 10 on.
const std::vector<TextCase> bad = {
    {"{fast_maths: true}", "13:11+10 compile has no key 'fast_maths' | did you mean 'fast_math'?"},
    {"{fast_math: BLOCK}", "13:22+5 'fast_math' must be a boolean, but this is an integer"},
    {"{max_registers: T}",
     "13:26+1 'max_registers' must be an integer, but this is an element type"},
    {"{max_registers: BLOCK}",
     "13:26+5 'max_registers' is 256, but a thread has 1 to 255 | 0 sets no limit"},
    {"{architecture: sm_90a}",
     "13:25+6 'sm_90a' is not a kind of architecture | the kinds are: specific, family"},
    {"{options: [--fmad=maybe]}",
     "13:21+12 '--fmad=maybe' is not a value of --fmad | write --fmad=true|false"},
    {"{options: [-DX=1]}",
     "13:21+5 '-DX=1' has a key of its own | write compile: {defines: {NAME: VALUE}}"},
    {"{options: [-I/etc]}",
     "13:21+6 '-I/etc' has a key of its own | write compile: {include: [FOLDER]}"},
    {"{options: [--include-path=/]}",
     "13:21+16 '--include-path=/' has a key of its own | write compile: {include: [FOLDER]}"},
    {"{options: [-maxrregcount=32]}",
     "13:21+16 '-maxrregcount=32' has a key of its own | write compile: {max_registers: 64}"},
    {"{options: [-arch=sm_90a]}",
     "13:21+12 '-arch=sm_90a' has a key of its own | write compile: {architecture: specific}"},
    {"{options: [-Xptxas]}", "13:21+7 '-Xptxas' gives no option | -Xptxas -dlcm=cg"},
    {"{defines: X}",
     "13:20+1 'defines' must be a map of names, or a list of parameters | defines: {TILE_DIM: "
     "TILE}"},
    {"{defines: {in: 1}}", "13:21+2 'in' is a buffer | choose another name for the macro"},
    {"{defines: {copy: 1}}",
     "13:21+4 'copy' is the kernel's name | choose another name for the macro"},
    {"{defines: {int: 1}}", "13:21+3 'int' is a word of C++ | choose another name for the macro"},
    {"{defines: {M: TILE}}", "13:24+4 there is no parameter 'TILE'"},
    {"{defines: {M: \"'a\\\\\\\\'\"}}",
     "13:25+5 a macro's text is one line without #, \\ and comments"},
    {"{include: nowhere}",
     "13:20+7 there is no folder nowhere | folders are looked for from the pattern's own"},
};

/// Options that would make the compiler read or write files, or that nobody knows.
const std::vector<std::string> refused = {
    "--pre-include=/etc/passwd",
    "-include=/etc/passwd",
    "--create-pch=x",
    "--use-pch=x",
    "--pch",
    "--pch-dir=/tmp",
    "--time=/tmp/x",
    "-time=/tmp/x",
    "-isystem /",
    "@file",
    "--options-file=x",
    "--fdevice-time-trace=x",
    "--dlink-time-opt",
    "--no-such-option",
    "-Xptxas --options-file=x",
    "-Xptxas -o=x",
    "-Xptxas --output-file=/tmp/x",
    "--ptxas-options=--input-as-string=x",
};

}  // namespace

BOOST_DATA_TEST_CASE(rules_become_options_and_macros, data::make(good)) {
  const PatternPtr pattern = good_pattern(with_rules(sample.text));
  BOOST_TEST(shown_rules(resolve(pattern, {})) == sample.expected);
}

BOOST_DATA_TEST_CASE(mistakes_are_shown_where_they_stand, data::make(bad)) {
  const std::string found = pattern_messages(with_rules(sample.text));
  BOOST_TEST(found.starts_with(sample.expected), found);
  BOOST_TEST(std::ranges::count(found, '\n') <= 1, found);
}

BOOST_DATA_TEST_CASE(options_that_are_not_known_to_be_harmless_are_refused, data::make(refused)) {
  const std::string found = pattern_messages(with_rules("{options: [\"" + sample + "\"]}"));
  BOOST_TEST(found.find("is not an option that can be given") != found.npos, found);
}

BOOST_AUTO_TEST_CASE(a_parameter_that_is_a_macro_can_be_asked_for_by_the_preprocessor) {
  const auto with_condition = [](const std::string& text) {
    return pattern_messages(edited(text, "  out[i] =", "#if BLOCK > 1\n#endif\n  out[i] ="));
  };
  BOOST_TEST(with_condition(copy_pattern) != "");
  BOOST_TEST(with_condition(with_rules("{defines: [BLOCK]}")) == "");
}

BOOST_AUTO_TEST_CASE(folders_lie_in_the_patterns_or_in_those_that_the_user_names) {
  const TemporaryFolder folder;
  folder.write("mine/deep/own.cuh", "// own\n");
  folder.write("lib/other.cuh", "// other\n");
  const auto said = [&](const std::string& include, const std::string& file,
                        const std::vector<std::filesystem::path>& folders) {
    Diagnostics diagnostics;
    const PatternPtr pattern = parse_pattern(
        source_of(with_rules("{include: " + include + "}") + "#include <" + file + ">\n"),
        folder.path() / "mine/copy.cu", diagnostics, folders);
    return pattern == nullptr ? messages(diagnostics) : pattern->included_text;
  };
  BOOST_TEST(said("deep", "own.cuh", {}) == "\n// own.cuh\n// own\n");
  BOOST_TEST(said("[deep, ../lib]", "other.cuh", {folder.path()}) == "\n// other.cuh\n// other\n");
  const std::string refusal = said("../lib", "other.cuh", {});
  BOOST_TEST(refusal.starts_with("13:20+6 ../lib is outside of the pattern's folder | --include "),
             refusal);
}

BOOST_AUTO_TEST_CASE(a_sweeps_rules_go_before_the_patterns_and_count_for_its_identity) {
  const PatternPtr pattern =
      good_pattern(with_rules("{max_registers: 32, options: --ftz=true, defines: {A: 1, B: 2}}"));
  const auto changed = [&](const std::string& rules) {
    Diagnostics diagnostics;
    const auto node = read_yaml(source_of(rules), diagnostics);
    PatternPtr result = with_compile_rules(pattern, node.value(), diagnostics);
    if (result == nullptr) BOOST_TEST_MESSAGE(messages(diagnostics));
    return result;
  };
  const PatternPtr other = changed("{fast_math: true, defines: {B: BLOCK, C: }}");
  BOOST_REQUIRE(other != nullptr);
  BOOST_TEST(shown_rules(resolve(other, {})) ==
             "--ftz=true --use_fast_math --maxrregcount=32\n#define A 1\n#define B 256\n"
             "#define C 1\n");
  BOOST_TEST(other->identity() != pattern->identity());
  BOOST_TEST((changed("{include: deep}") == nullptr));
  BOOST_TEST((changed("{max_registers: REGS}") == nullptr));

  // From a database both come back.
  const StoredText stored = split_stored_text(other->identity());
  BOOST_TEST(stored.pattern == pattern->source->text);
  const PatternPtr again = with_stored_rules(good_pattern(stored.pattern), stored.rules);
  BOOST_REQUIRE(again != nullptr);
  BOOST_TEST(again->identity() == other->identity());
  BOOST_TEST(shown_rules(resolve(again, {})) == shown_rules(resolve(other, {})));
}

BOOST_AUTO_TEST_CASE(a_sweep_gives_its_rules_to_all_its_patterns) {
  const Sweep sweep =
      read_sweep("patterns: [stride, tile]\ncompile: {fast_math: true, options: --fmad=false}\n");
  for (const PatternPtr& pattern : sweep.patterns) {
    BOOST_TEST(shown_rules(resolve(pattern, {})) == "--fmad=false --use_fast_math");
  }
}

BOOST_AUTO_TEST_SUITE_END()
