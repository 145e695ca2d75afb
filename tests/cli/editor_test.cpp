#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "engine/text/read_source.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(editors)

namespace {

boost::test_tools::assertion_result has_clangd(boost::unit_test::test_unit_id) {
  static const bool is_there = [] {
    const bool found = std::system("command -v clangd >/dev/null 2>&1") == 0;
    if (!found) std::cout << "tests of editors' diagnostics skipped: there is no clangd\n";
    return found;
  }();
  return is_there;
}

std::string text_of(const fs::path& path) {
  return read_source(path)->text;
}

void copy_shipped(const TemporaryFolder& folder, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    folder.write(file, text_of(fs::path(SWEEP_SOURCE_DIR) / "patterns" / file));
  }
}

/// What clangd finds wrong in a file of the folder. What its refactorings cannot do with a place is
/// not that.
std::string diagnostics_of(const fs::path& folder, const std::string& file) {
  const std::string out = (folder / "clangd.log").string();
  const std::string line =
      "cd '" + folder.string() + "' && clangd --check='" + file + "' >'" + out + "' 2>&1";
  std::ignore = std::system(line.c_str());
  std::istringstream lines(text_of(out));
  std::string found;
  bool is_complete = false;
  for (std::string each; std::getline(lines, each);) {
    const bool is_diagnostic = each.starts_with("E[") && !contains(each, "tweak: ");
    const bool is_warning = each.starts_with("W[") && contains(each, "] Line ");
    if (is_diagnostic || is_warning) found += each + '\n';
    is_complete = is_complete || contains(each, "All checks completed");
  }
  return is_complete ? found : text_of(out);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_pattern_brings_what_clangd_needs) {
  const TemporaryFolder folder;
  const Outcome made = run_program({"new", "pattern", "mine", "-o", "sub"}, folder.path());
  BOOST_TEST(made.code == 0);
  BOOST_TEST(contains(made.err, "sub/.clangd and sub/.sweep are written"), made.err);
  const fs::path sub = folder.path() / "sub";
  const std::string config = text_of(sub / ".clangd");
  BOOST_TEST(contains(config, "PathMatch: ['mine\\.cu']"), config);
  BOOST_TEST(contains(config, "-include, '.sweep/mine.cuh'"), config);
  const std::string declared = text_of(sub / ".sweep" / "mine.cuh");
  for (const char* each : {"using T = float;\n", "constexpr int BLOCK = int(256LL);\n"}) {
    BOOST_TEST(contains(declared, each), declared);
  }
  BOOST_TEST(contains(text_of(sub / ".sweep" / "for-all.cuh"), "permuted("));
}

BOOST_AUTO_TEST_CASE(patterns_of_a_folder_do_not_disturb_each_other) {
  const TemporaryFolder folder;
  copy_shipped(folder, {"copy.cu", "reversed_copy.cu", "tile_order.cuh", "cache_operators.cuh"});
  folder.write("other.cu", "int main() {}\n");
  folder.write("bad.cu", "/* pattern: {parameters: 1} */\n");
  const Outcome made = run_program({"new", "editor", "."}, folder.path());
  BOOST_TEST(made.code == 0, made.err);
  BOOST_TEST(contains(made.err, "bad.cu has mistakes and is left out"), made.err);
  const std::string both = text_of(folder.path() / ".clangd");
  BOOST_TEST(contains(both, "'copy\\.cu', "), both);
  BOOST_TEST(contains(both, "'reversed_copy\\.cu'"), both);
  BOOST_TEST(!contains(both, "other"), both);

  BOOST_TEST(run_program({"new", "pattern", "mine"}, folder.path()).code == 0);
  const std::string three = text_of(folder.path() / ".clangd");
  BOOST_TEST(contains(three, "# copy\nIf:"), three);
  BOOST_TEST(contains(three, "# mine\nIf:"), three);
  fs::remove(folder.path() / "mine.cu");
  BOOST_TEST(run_program({"new", "editor", "reversed_copy.cu"}, folder.path()).code == 0);
  BOOST_TEST(text_of(folder.path() / ".clangd") == both);
}

BOOST_AUTO_TEST_CASE(a_configuration_of_the_users_own_stays) {
  const TemporaryFolder folder;
  folder.write(".clangd", "CompileFlags: {Add: [-DMINE]}\n");
  const Outcome made = run_program({"new", "pattern", "mine", "--force"}, folder.path());
  BOOST_TEST(made.code == 0);
  BOOST_TEST(contains(made.err, ".clangd is not sweep's and stays as it is; for clangd add to it:"),
             made.err);
  BOOST_TEST(contains(made.err, "-include, '.sweep/mine.cuh'"), made.err);
  BOOST_TEST(text_of(folder.path() / ".clangd") == "CompileFlags: {Add: [-DMINE]}\n");
}

BOOST_AUTO_TEST_CASE(what_is_no_pattern_is_refused) {
  const TemporaryFolder folder;
  folder.write("other.cu", "int main() {}\n");
  const Outcome empty = run_program({"new", "editor", "."}, folder.path());
  BOOST_TEST(empty.code == 66);
  BOOST_TEST(contains(empty.err, "there is no pattern (.cu) in this folder"), empty.err);
  BOOST_TEST(run_program({"new", "editor", "other.cu"}, folder.path()).code == 65);
  BOOST_TEST(run_program({"new", "editor", "nowhere"}, folder.path()).code == 66);
  BOOST_TEST(!fs::exists(folder.path() / ".clangd"));
}

BOOST_AUTO_TEST_CASE(a_new_sweep_names_a_schema_that_is_there) {
  const TemporaryFolder folder;
  BOOST_TEST(run_program({"new", "sweep", "stride", "-o", "sub"}, folder.path()).code == 0);
  const fs::path sub = folder.path() / "sub";
  const std::string line = "# yaml-language-server: $schema=";
  BOOST_TEST(text_of(sub / "stride.yaml").starts_with(line + ".sweep/sweep.schema.json\n"));
  const std::string schema = run_program({"schema", "sweep"}).out;
  BOOST_TEST((text_of(sub / ".sweep" / "sweep.schema.json") == schema));

  folder.write("sweep.schema.json", schema);
  BOOST_TEST(run_program({"new", "sweep", "stride"}, folder.path()).code == 0);
  BOOST_TEST(text_of(folder.path() / "stride.yaml").starts_with(line + "sweep.schema.json\n"));
  BOOST_TEST(!fs::exists(folder.path() / ".sweep"));
}

BOOST_AUTO_TEST_CASE(clangd_finds_nothing_wrong, *boost::unit_test::precondition(has_clangd)) {
  const TemporaryFolder folder;
  const fs::path path = folder.path();
  folder.write("kernels.cu",
               "#include <cstdio>\n__global__ void clear(float* out, int n) {\n"
               "  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = 0;\n}\n"
               "int main() {\n  clear<<<1, 256>>>(nullptr, 0);\n  std::printf(\"done\\n\");\n}\n");
  copy_shipped(folder, {"convolution.cu", "tile_order.cuh", "cache_operators.cuh"});
  const std::vector<std::vector<std::string>> commands = {
      {"pattern", "mine"}, {"pattern", "clear", "--from", "kernels.cu"}, {"editor", "."}};
  for (const auto& words : commands) {
    const Outcome made = run_program(with({"new"}, words), path);
    BOOST_TEST(made.code == 0, made.err);
  }
  for (const char* file : {"mine.cu", "clear.cu", "convolution.cu"}) {
    BOOST_TEST(diagnostics_of(path, file) == "", file);
  }
  folder.write("mine.cu", text_of(path / "mine.cu") + "__device__ int f() { return UNKNOWN; }\n");
  BOOST_TEST(contains(diagnostics_of(path, "mine.cu"), "UNKNOWN"));
}

BOOST_AUTO_TEST_SUITE_END()
