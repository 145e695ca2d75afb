#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <regex>

#include "engine/text/read_source.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(list_and_show)

namespace {

/// Whether a line of the list has this name and a summary that begins so.
bool lists(const std::string& list, const std::string& name, const std::string& summary) {
  return std::regex_search("\n" + list, std::regex("\n *" + name + " +" + summary));
}

const char* const minimal = R"cuda(/* pattern:
summary: Does next to nothing
family: my own
parameters: {N: {default: 64, help: how many}}
buffers: {data: {type: int, length: N, init: "0"}}
launch: {grid: 1, block: N}
useful: {write: N * 4}
verify: "data[i] == 1"
*/
__global__ void tiny(int* data) { data[threadIdx.x] = 1; }
)cuda";

}  // namespace

BOOST_AUTO_TEST_CASE(patterns_sweeps_and_metrics_are_listed_with_summaries) {
  const Outcome patterns = run_program({"list", "patterns"});
  BOOST_TEST(patterns.code == 0);
  BOOST_TEST(lists(patterns.out, "stride", "Add one to an element"));
  BOOST_TEST(lists(run_program({"list", "sweeps"}).out, "stride", "Bandwidth of a\\[i"));
  const std::string metrics = run_program({"list", "metrics"}).out;
  BOOST_TEST(contains(metrics, "\n  bandwidth [GB/s]: measured, predicted; higher is better\n"));
  BOOST_TEST(contains(metrics, "\n  load_sectors [1]: hardware, emulated\n"));
  BOOST_TEST(contains(metrics, "(nvprof: gld_transactions_per_request)\n"));
  BOOST_TEST(contains(metrics, "\ndram          what device memory moves: dram_read_bytes, "));
}

BOOST_AUTO_TEST_CASE(without_a_word_patterns_and_sweeps_are_listed) {
  const std::string all = run_program({"list"}).out;
  BOOST_TEST(lists(all, "stride", "Add one to an element"));
  BOOST_TEST(lists(all, "stride", "Bandwidth of a\\[i"));
  BOOST_TEST(run_program({"list", "--format", "json"}).code == 2);
}

BOOST_AUTO_TEST_CASE(a_word_leaves_those_that_have_it) {
  const std::string sweeps = run_program({"list", "sweeps", "Transpos"}).out;
  BOOST_TEST(lists(sweeps, "tune-transpose", ""));
  BOOST_TEST(lists(sweeps, "transpose_tiles", ""));
  BOOST_TEST(!lists(sweeps, "stride", ""));
  BOOST_TEST(!contains(sweeps, "profile"));
  BOOST_TEST(lists(run_program({"list", "patterns", "transpose"}).out, "transpose_tiled", ""));
  const Outcome none = run_program({"list", "sweeps", "elephant"});
  BOOST_TEST(none.code == 66);
  BOOST_TEST(none.err == "sweep: no name or summary of the sweeps has 'elephant'\n");
  BOOST_TEST(run_program({"list", "patterns", "transpose", "--format", "names"}).code == 2);
}

BOOST_AUTO_TEST_CASE(a_name_alone_shows_whatever_has_it) {
  const std::string both = run_program({"show", "stride"}).out;
  BOOST_TEST(both.starts_with("stride: Add one to an element"));
  BOOST_TEST(contains(both, "\n  192 configurations: "), both);
  BOOST_TEST(run_program({"show", "bandwidth"}).out.starts_with("bandwidth [GB/s]\n"));
  const Outcome wrong = run_program({"show", "strid"});
  BOOST_TEST(wrong.code == 66);
  BOOST_TEST(wrong.err ==
             "sweep: there is no pattern, sweep or metric 'strid'; did you mean "
             "'stride'?\n");
}

BOOST_AUTO_TEST_CASE(the_programs_own_patterns_and_sweeps_are_found_from_anywhere) {
  const TemporaryFolder elsewhere;
  BOOST_TEST(contains(run_program({"list", "patterns"}, elsewhere.path()).out, "stride"));
  BOOST_TEST(contains(run_program({"list", "sweeps"}, elsewhere.path()).out, "stride"));
  BOOST_TEST(run_program({"show", "sweep", "stride"}, elsewhere.path()).code == 0);
}

BOOST_AUTO_TEST_CASE(a_new_pattern_is_listed_from_a_folder_or_the_search_path) {
  const TemporaryFolder folder;
  folder.write("mine/tiny.cu", minimal);
  const std::string mine = (folder.path() / "mine").string();
  BOOST_TEST(lists(run_program({"list", "patterns", "--patterns", mine}).out, "tiny",
                   "Does next to nothing"));
  BOOST_TEST(contains(run_program({"list", "patterns"}, SWEEP_SOURCE_DIR,
                                  {{"SWEEP_PATH", "/no/such/folder:" + mine}})
                          .out,
                      "tiny"));
  BOOST_TEST(!contains(run_program({"list", "patterns"}).out, "tiny"));
}

BOOST_AUTO_TEST_CASE(patterns_are_listed_by_family) {
  const TemporaryFolder folder;
  folder.write("tiny.cu", minimal);
  std::string lonely = minimal;
  lonely.erase(lonely.find("family: my own\n"), std::string("family: my own\n").size());
  lonely.replace(lonely.find("void tiny"), std::string("void tiny").size(), "void lonely");
  folder.write("lonely.cu", lonely);
  folder.write("broken.cu", "int main() {}\n");
  const std::string list =
      run_program({"list", "patterns", "--patterns", folder.path().string()}).out;
  BOOST_TEST(list.starts_with("coalescing\n  "));
  const std::size_t transpose = list.find("\n\ntranspose\n  transpose ");
  const std::size_t own = list.find("\n\nmy own\n  tiny ");
  const std::size_t other = list.find("\n\nother\n  lonely ");
  const std::size_t broken = list.find("\n\nwith mistakes\n  broken ");
  BOOST_TEST(transpose < own);
  BOOST_TEST(own < other);
  BOOST_TEST(other < broken);
  BOOST_TEST(broken < list.size());
  // The summaries of all families begin in one column.
  const auto column = [&](const std::string& summary) {
    const std::size_t at = list.find(summary);
    BOOST_REQUIRE(at != std::string::npos);
    return at - list.rfind('\n', at);
  };
  BOOST_TEST(column("Does next to nothing") == column("Transpose a square"));
}

BOOST_AUTO_TEST_CASE(the_page_of_the_patterns_is_what_the_program_writes) {
  const Outcome page =
      run_program({"list", "patterns", "--format", "md"}, SWEEP_SOURCE_DIR, {{"SWEEP_PATH", ""}});
  BOOST_TEST(page.code == 0, page.err);
  const auto file = std::filesystem::path(SWEEP_SOURCE_DIR) / "patterns" / "README.md";
  BOOST_TEST((read_source(file)->text == page.out),
             "patterns/README.md is not what the patterns say; this writes it anew: "
             "build/sweep list patterns --format md > patterns/README.md");
}

BOOST_AUTO_TEST_CASE(a_page_shows_what_a_header_says_letter_for_letter) {
  const TemporaryFolder folder;
  std::string marked = minimal;
  const auto replace = [&](const std::string& from, const std::string& to) {
    marked.replace(marked.find(from), from.size(), to);
  };
  replace("Does next to nothing", "Moves *a* | <b>");
  replace("N: {default: 64, help: how many}",
          "N: {default: 2 * 32, min: 32, max: 1 Ki, help: a | b}, ON: {default: true}");
  replace("\nparameters", "\nhelp: |\n  * one\n\n  # two\nreference: the `guide`\nparameters");
  folder.write("tiny.cu", marked);
  const std::string page =
      run_program({"list", "patterns", "--format", "md", "--patterns", folder.path().string()}).out;
  BOOST_TEST(page.starts_with("# Patterns\n\nA pattern is "));
  BOOST_TEST(contains(page, "\n\n## my own\n\n| pattern "));
  BOOST_TEST(contains(page, "\n| [tiny](#tinycu) | Moves \\*a\\* \\| \\<b> |\n"));
  BOOST_TEST(contains(page, "\n### [tiny.cu](tiny.cu)\n\n\\* one\n\n\\# two\n\n| parameter "));
  BOOST_TEST(contains(page, "\n| N         | 2 * 32  | 32 to 1024    | a \\| b |\n"));
  BOOST_TEST(contains(page, "\n| ON        | true    | true or false |        |\n"));
  BOOST_TEST(contains(page, "\n\nReference: the \\`guide\\`\n"));
}

BOOST_AUTO_TEST_CASE(a_page_lacks_no_pattern) {
  const TemporaryFolder folder;
  folder.write("broken.cu", "int main() {}\n");
  const Outcome page =
      run_program({"list", "patterns", "--format", "md", "--patterns", folder.path().string()});
  BOOST_TEST(page.code == 65);
  BOOST_TEST(page.out == "");
  BOOST_TEST(contains(page.err, "broken.cu: error: this is not a pattern"), page.err);
}

BOOST_AUTO_TEST_CASE(a_format_that_there_is_not_is_refused) {
  BOOST_TEST(run_program({"list", "sweeps", "--format", "md"}).code == 2);
  BOOST_TEST(run_program({"list", "patterns", "--format", "html"}).code == 2);
}

BOOST_AUTO_TEST_CASE(a_pattern_is_described_with_its_parameters_and_source) {
  const TemporaryFolder folder;
  folder.write("tiny.cu", minimal);
  const Outcome shown =
      run_program({"show", "pattern", "tiny", "--patterns", folder.path().string()});
  BOOST_TEST(shown.code == 0);
  BOOST_TEST(shown.out.starts_with("tiny: Does next to nothing\nFamily: my own\n"));
  BOOST_TEST(contains(shown.out, "N  an integer (default 64): how many"));
  BOOST_TEST(contains(shown.out, "__global__ void tiny"));
}

BOOST_AUTO_TEST_CASE(names_that_are_not_there_are_suggested) {
  const Outcome pattern = run_program({"show", "pattern", "strid"});
  BOOST_TEST(pattern.code == 66);
  BOOST_TEST(contains(pattern.err, "did you mean 'stride'?"));
  const Outcome sweep = run_program({"show", "sweep", "ofset"});
  BOOST_TEST(sweep.code == 66);
  BOOST_TEST(contains(sweep.err, "did you mean 'offset'?"));
  BOOST_TEST(run_program({"list", "paterns"}).code == 2);
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_not_there_is_an_error) {
  BOOST_TEST(run_program({"list", "patterns", "--patterns", "/no/such/folder"}).code == 66);
}

BOOST_AUTO_TEST_CASE(a_pattern_with_mistakes_does_not_spoil_the_list) {
  const TemporaryFolder folder;
  folder.write("broken.cu", "int main() {}\n");
  const Outcome listed = run_program({"list", "patterns", "--patterns", folder.path().string()});
  BOOST_TEST(listed.code == 0);
  BOOST_TEST(lists(listed.out, "broken", "\\(has mistakes: sweep check "));
  BOOST_TEST(contains(listed.out, "stride"));
}

BOOST_AUTO_TEST_CASE(a_metric_is_explained_with_the_counters_behind_it) {
  const Outcome outcome = run_program({"show", "metric", "global_hit_rate"});
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.out ==
             "l1_hit_rate [%]\n"
             "sectors found in the L1 cache\n"
             "\n"
             "group       Caches and device memory\n"
             "origins     hardware, emulated\n"
             "better      higher\n"
             "nvprof      global_hit_rate\n"
             "counters    100 * l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum / "
             "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\n"
             "sets        cache\n");
  const Outcome other = run_program({"show", "metric", "bandwith"});
  BOOST_TEST(other.code == 2);
  BOOST_TEST(contains(other.err, "did you mean 'bandwidth'?"));
}

BOOST_AUTO_TEST_CASE(lists_are_documents_for_programs_too) {
  const auto metrics =
      nlohmann::json::parse(run_program({"list", "metrics", "--format", "json"}).out);
  BOOST_TEST(metrics["metrics"][0]["name"] == "time");
  BOOST_TEST(metrics["metrics"][0]["better"] == "lower");
  BOOST_TEST(metrics["counter_sets"][0]["name"] == "memory");
  const auto patterns =
      nlohmann::json::parse(run_program({"list", "patterns", "--format", "json"}).out)["patterns"];
  const auto stride = std::ranges::find_if(
      patterns, [](const nlohmann::json& pattern) { return pattern["name"] == "stride"; });
  BOOST_TEST_REQUIRE((stride != patterns.end()));
  BOOST_TEST((*stride)["parameters"][0]["type"] == "element");
  const auto sweeps =
      nlohmann::json::parse(run_program({"list", "sweeps", "--format", "json"}).out);
  BOOST_TEST(sweeps["sweeps"].size() >= 8U);
  BOOST_TEST(contains(run_program({"list", "metrics", "--format", "md"}).out, "\n| bandwidth "));
  BOOST_TEST(
      contains("\n" + run_program({"list", "sweeps", "--format", "names"}).out, "\nstride\n"));
  BOOST_TEST(
      contains("\n" + run_program({"list", "patterns", "--format", "names"}).out, "\nstride\n"));
}

BOOST_AUTO_TEST_SUITE_END()
