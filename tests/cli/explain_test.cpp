#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/text/read_source.h"
#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace explain_command {
namespace {

/// A pattern with these statements, which begin on line 14.
std::string pattern_of(const std::string& statements) {
  return R"cuda(/* pattern:
parameters: {PAD: 0}
buffers:
  in: {type: float, length: 8192, init: "float(i)"}
  idx: {type: int, length: 1024, init: "int(i * 389 % 1024)"}
  out: {type: float, length: 8192, init: "0"}
launch: {grid: 4, block: 256}
useful: {read: 4096, write: 4096}
verify: {in: "in[i] == float(i)"}
*/
struct P { float x, y, z; };
__global__ void probe(const float* in, const int* idx, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
)cuda" + statements +
         "\n}\n";
}

nlohmann::json explain(const std::string& statements, std::vector<std::string> more = {}) {
  const TemporaryFolder folder;
  folder.write("probe.cu", pattern_of(statements));
  more.insert(more.begin(), {"explain", "probe.cu", "--json"});
  const Outcome explained = run_program(more, folder.path());
  BOOST_TEST_REQUIRE(explained.code == 0, explained.err);
  return nlohmann::json::parse(explained.out);
}

/// One access of a kernel: what it is, what a request costs, and what the advice says.
struct AccessCase {
  const char* statements;
  const char* kind;
  const char* space;
  const char* text;
  double cost;   ///< sectors or wavefronts per request
  double ideal;  ///< the same at best
  const char* advice;
};

std::ostream& operator<<(std::ostream& out, const AccessCase& example) {
  return out << example.kind << " " << example.text;
}

const std::vector<AccessCase> cases = {
    {"out[i] = in[i];", "load", "global", "in[i]", 4, 4, "4 bytes at a time"},
    {"out[i] = in[i * 8];", "load", "global", "in[i * 8]", 32, 4, "32 bytes apart"},
    {"out[i * 8] = in[i];", "store", "global", "out[i * 8]", 32, 4, "32 bytes apart"},
    {"out[i] = in[i + 1];", "load", "global", "in[i + 1]", 5, 4,
     "do not begin at a multiple of 32"},
    {"out[i] = in[idx[i]];", "load", "global", "in[idx[i]]", 32, 4, "no constant step"},
    {"out[i] = in[idx[i]];", "load", "global", "idx[i]", 4, 4, "4 bytes at a time"},
    {"out[i] = in[5];", "load", "global", "in[5]", 1, 1, ""},
    {"const P* p = reinterpret_cast<const P*>(in); out[i] = p[i].x;", "load", "global", "p[i].x",
     12, 4, "12 bytes apart"},
    {"const P* p = reinterpret_cast<const P*>(in);\n out[i] = p[i].x *\n p[i].z;", "load", "global",
     "p[i].z", 12, 4, "fields of one structure"},
    {"const float4* v = reinterpret_cast<const float4*>(in); out[i] = v[i].x + v[i].w;", "load",
     "global", "v[...]", 16, 16, ""},
    {"__shared__ float tile[32][32]; if (i < 32) {\n for (int r = 0; r < 32; ++r) "
     "tile[r][i] = in[i];\n __syncwarp();\n for (int r = 0; r < 32; ++r) out[i] += tile[i][r]; }",
     "load", "shared", "tile[i][r]", 32, 4, "an odd multiple of 16 bytes (9 of them instead of 8)"},
    {"__shared__ float tile[32][32]; if (i < 32) {\n for (int r = 0; r < 32; ++r) "
     "tile[r][i] = in[i];\n __syncwarp();\n for (int r = 0; r < 32; ++r) out[i] += tile[i][r]; }",
     "store", "shared", "tile[r][i]", 1, 1, ""},
    {"__shared__ float tile[32][33]; if (i < 32) {\n for (int r = 0; r < 32; ++r) "
     "tile[r][i] = in[i];\n __syncwarp();\n for (int r = 0; r < 32; ++r) out[i] += tile[i][r]; }",
     "load", "shared", "tile[i][r]", 1, 1, ""},
    {"float mine[32];\n for (int j = 0; j < 32; ++j) mine[j] = in[j];\n out[i] = mine[idx[i] % "
     "32];",
     "load", "local", "mine[idx[i] % 32]", 0, 4, "a thread's local memory"},
    {"__shared__ float staged[256];\n const unsigned to = "
     "unsigned(__cvta_generic_to_shared(&staged[threadIdx.x]));\n"
     "asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(to), \"l\"(in + i + 3) : "
     "\"memory\");\nasm volatile(\"cp.async.wait_all;\" ::: \"memory\");\n__syncthreads();\n"
     "out[i] = staged[threadIdx.x];",
     "copy", "global", "in + i + 3", 5, 4, "do not begin at a multiple of 32"},
};

}  // namespace
}  // namespace explain_command

BOOST_AUTO_TEST_SUITE(explain_command, *boost::unit_test::precondition(has_compiler))

BOOST_DATA_TEST_CASE(each_access_has_its_expression_its_cost_and_what_helps, data::make(cases),
                     example) {
  // Several uses of one load leave the compiler one instruction.
  const std::string text = example.text == std::string("v[...]") ? "" : example.text;
  const nlohmann::json found = explain(example.statements);
  std::size_t matches = 0;
  for (const nlohmann::json& access : found["accesses"]) {
    if (access["kind"] != example.kind || access["space"] != example.space) continue;
    if (!text.empty() ? access["text"] != text : access["width"] != 16) continue;
    ++matches;
    const bool is_shared = access["space"] == "shared";
    const double cost = access[is_shared ? "wavefronts" : "sectors"];
    const double requests = access["requests"];
    if (example.cost != 0) BOOST_TEST(cost / requests == example.cost);
    BOOST_TEST(access["ideal"].get<double>() / requests == example.ideal);
    BOOST_TEST(contains(access["advice"], example.advice), access["advice"]);
    if (*example.advice == '\0') BOOST_TEST(access["advice"] == "");
  }
  BOOST_TEST(matches == 1U, found.dump(1));
}

BOOST_AUTO_TEST_CASE(atomics_on_one_address_are_told_apart) {
  const nlohmann::json found = explain("atomicAdd(&out[0], in[i]);");
  std::size_t atomics = 0;
  for (const nlohmann::json& access : found["accesses"]) {
    if (access["kind"] != "atomic") continue;
    ++atomics;
    BOOST_TEST(access["text"] == "out[0]");
    BOOST_TEST(contains(access["advice"], "All 32 active lanes of a warp update one address"));
    BOOST_TEST(access["shape"]["uniform"] == access["shape"]["accesses"]);
  }
  BOOST_TEST(atomics == 1U, found.dump(1));
}

/// The access of this kind and space; there is one.
nlohmann::json only_access(const nlohmann::json& found, const char* kind, const char* space) {
  nlohmann::json only;
  for (const nlohmann::json& access : found["accesses"]) {
    if (access["kind"] != kind || access["space"] != space) continue;
    BOOST_TEST(only.is_null(), found.dump(1));
    only = access;
  }
  BOOST_TEST_REQUIRE(!only.is_null());
  return only;
}

BOOST_AUTO_TEST_CASE(iterations_that_cost_more_are_told_apart) {
  const char* const halves =
      "__shared__ float s[256]; s[threadIdx.x] = in[i]; __syncthreads();\n"
      "#pragma unroll UNROLL\n"
      "for (int d = 1; d < 256; d *= 2) {\n"
      "  const int at = 2 * d * threadIdx.x;\n"
      "  if (at < 256) __stcg(out + at, d), atomicAdd(s + at, 1.0f);\n  __syncthreads();\n}";
  for (const char* unroll : {"1", "8"}) {
    std::string statements = halves;
    statements.replace(statements.find("UNROLL"), 6, unroll);
    const nlohmann::json atomics = only_access(explain(statements), "atomic", "shared");
    BOOST_TEST(atomics["iterations"].size() == 8U);
    BOOST_TEST(atomics["iterations"][0]["requests"] == 4 * 4);
    BOOST_TEST(atomics["iterations"][7]["requests"] == 4);
    BOOST_TEST(atomics["lanes_per_request"] == 255.0 / 12);
    BOOST_TEST(contains(atomics["advice"], "changes from one time to the next"), atomics.dump(1));
  }
  const TemporaryFolder folder;
  folder.write("probe.cu",
               pattern_of("for (int k = 1; k < 16; k *= 4) out[i / 8 * k] = in[i * k % 8192];"));
  const Outcome listed = run_program({"explain", "probe.cu"}, folder.path());
  BOOST_TEST(contains(listed.out, "|   by iteration: 1: 4, 2: 16 sectors/request"), listed.out);
}

BOOST_AUTO_TEST_CASE(lanes_that_walk_along_rows_of_their_own_are_seen) {
  const nlohmann::json found = explain(
      "if (i >= 256) return; float sum = 0;\n#pragma unroll 1\n"
      "for (int k = 0; k < 32; ++k) sum += in[i * 32 + k];\nout[i] = sum;");
  BOOST_TEST(contains(only_access(found, "load", "global")["advice"],
                      "Each lane walks along a row of its own"));
}

BOOST_AUTO_TEST_CASE(lines_of_few_lanes_say_so) {
  const TemporaryFolder folder;
  folder.write("probe.cu", pattern_of("if (threadIdx.x % 16 == 0) out[i] = in[i] + 1;"));
  const Outcome listed = run_program({"explain", "probe.cu"}, folder.path());
  BOOST_TEST(contains(listed.out, "(ideal 1)  12.5 % useful, 2 of 32 lanes\n"), listed.out);
  const nlohmann::json lone = explain("if (threadIdx.x % 32 == 0) out[i / 32] = in[i / 32];");
  BOOST_TEST(contains(only_access(lone, "load", "global")["advice"],
                      "Only 1 of a warp's 32 lanes take part on average, in 50 % of the kernel's "
                      "requests"));
}

BOOST_AUTO_TEST_CASE(functions_are_shown_with_their_callers) {
  const TemporaryFolder folder;
  std::string text = pattern_of("const float a = at(in, i);\nout[i] = a + at(in, 4 * i);");
  const std::string kernel = "__global__ void";
  text.insert(text.find(kernel), "__device__ float at(const float* p, int k) { return p[k]; }\n");
  folder.write("probe.cu", text);
  const Outcome listed = run_program({"explain", "probe.cu"}, folder.path());
  BOOST_TEST(contains(listed.out,
                      "|   called from line 15 (4 sectors/request), line 16 (16 sectors/request)"),
             listed.out);
}

BOOST_AUTO_TEST_CASE(the_json_says_what_was_executed) {
  const nlohmann::json found = explain("out[i] = in[i * 2];", {"--set", "PAD=3", "--model", "7.5"});
  BOOST_TEST(found["pattern"] == "probe");
  BOOST_TEST(found["configuration"]["PAD"] == 3);
  BOOST_TEST(found["model"] == 75);
  BOOST_TEST(found["executed_share"] == 1.0);
  BOOST_TEST(found["totals"]["load_efficiency"] == 50.0);
  BOOST_TEST(found["totals"]["store_efficiency"] == 100.0);
  BOOST_REQUIRE(found["accesses"].size() == 2U);
  const nlohmann::json& load = found["accesses"][0];
  BOOST_TEST(load["file"] == "probe.cu");
  BOOST_TEST(load["line"] == 14);
  BOOST_TEST(load["requests"] == 32);
  BOOST_TEST(load["sectors"] == 256);
  BOOST_TEST(load["excess"] == 128);
  BOOST_TEST(load["shape"]["step"]["bytes"] == 8);
}

BOOST_AUTO_TEST_CASE(the_historic_rules_count_otherwise) {
  const nlohmann::json found = explain("out[i] = in[i + 1];", {"--model", "1.0"});
  BOOST_TEST(found["accesses"][0]["transactions"] == 32 * 32);
  BOOST_TEST(contains(found["accesses"][0]["advice"], "By the rules of 1.0"));
}

BOOST_AUTO_TEST_CASE(the_listing_shows_the_source_with_its_costs) {
  const Outcome explained = run_program({"explain", "stride", "--set", "STRIDE=8"});
  BOOST_TEST(explained.code == 0);
  BOOST_TEST(explained.out.starts_with("stride T=float STRIDE=8 "));
  BOOST_TEST(contains(explained.out, "   __global__ void stride(T* data) {\n"));
  BOOST_TEST(contains(explained.out, "data[i * STRIDE] += splat<T>(1);\n        | load "));
  BOOST_TEST(contains(explained.out, "32 sectors/request (ideal 4)  12.5 % useful\n"));
  BOOST_TEST(contains(explained.out, "\nWhat costs most:\n 1. line "));
  BOOST_TEST(!contains(explained.out, "\033["));
  const Outcome coloured =
      run_program({"explain", "stride", "--set", "STRIDE=8", "--color", "always"});
  BOOST_TEST(contains(coloured.out, "\033["));
}

BOOST_AUTO_TEST_CASE(every_shipped_pattern_is_explained_to_the_expression) {
  const std::filesystem::path folder = std::filesystem::path(SWEEP_SOURCE_DIR) / "patterns";
  int patterns = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".cu") continue;
    ++patterns;
    const std::string name = entry.path().stem().string();
    BOOST_TEST_CONTEXT(name) {
      std::vector<std::string> arguments = {"explain", name, "--json"};
      // The expressions do not depend on how much is read.
      if (contains(read_source(entry.path())->text, "\n  BYTES:")) {
        arguments.insert(arguments.end(), {"--set", "BYTES=4 Mi"});
      }
      const Outcome explained = run_program(arguments);
      BOOST_TEST_REQUIRE(explained.code == 0, explained.err);
      const nlohmann::json found = nlohmann::json::parse(explained.out);
      // Bulk copies are not accesses of threads.
      BOOST_TEST(found["accesses"].empty() == (name == "copy_bulk"));
      for (const nlohmann::json& access : found["accesses"]) {
        BOOST_TEST(access["line"] > 0);
        BOOST_TEST(contains(access["file"], name + ".cu"), access.dump());
        BOOST_TEST(!access["text"].get<std::string>().empty(), access.dump());
      }
    }
  }
  BOOST_TEST(patterns >= 10);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_explained_is_said_with_its_exit_code) {
  const TemporaryFolder folder;
  folder.write("probe.cu", pattern_of("out[i + 8000] = in[i];"));
  const Outcome outside = run_program({"explain", "probe.cu"}, folder.path());
  BOOST_TEST(outside.code == 1);
  BOOST_TEST(outside.out.empty());
  BOOST_TEST(contains(outside.err, "probe PAD=0: probe.cu:14"));
  BOOST_TEST(contains(outside.err, "out of bounds"));
  folder.write("probe.cu", pattern_of("const_cast<float*>(in)[i] = 7;"));
  const Outcome wrong = run_program({"explain", "probe.cu"}, folder.path());
  BOOST_TEST(wrong.code == 1);
  BOOST_TEST(contains(wrong.err, "wrong result"));
  folder.write("probe.cu", pattern_of("out[i] = missing;"));
  const Outcome broken = run_program({"explain", "probe.cu"}, folder.path());
  BOOST_TEST(broken.code == 65);
  BOOST_TEST(contains(broken.err, "probe.cu:14:"));
}

BOOST_AUTO_TEST_CASE(one_configuration_is_explained) {
  const Outcome several = run_program({"explain", "stride", "--set", "STRIDE=1,2"});
  BOOST_TEST(several.code == 2);
  BOOST_TEST(contains(several.err, "--set STRIDE=1"));
  const Outcome unknown = run_program({"explain", "stride", "--set", "STRID=1"});
  BOOST_TEST(unknown.code == 65);
  BOOST_TEST(contains(unknown.err, "did you mean 'STRIDE'?"));
  const Outcome refused = run_program({"explain", "stride", "--set", "N=1000"});
  BOOST_TEST(refused.code == 2);
  BOOST_TEST(contains(refused.err, "N % BLOCK == 0"));
  BOOST_TEST(run_program({"explain"}).code == 2);
  const Outcome missing = run_program({"explain", "strid"});
  BOOST_TEST(missing.code == 66);
  BOOST_TEST(contains(missing.err, "did you mean 'stride'?"));
  BOOST_TEST(run_program({"explain", "gone.cu"}).code == 66);
}

BOOST_AUTO_TEST_SUITE_END()
