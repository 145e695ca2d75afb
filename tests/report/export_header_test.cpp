#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <limits>

#include "report/export/best_configurations.h"
#include "tests/contains.h"
#include "tests/rapidcheck_case.h"
#include "tests/report/example_results.h"
#include "tests/report/stream_results.h"
#include "tests/store/arbitrary_records.h"
#include "tests/temporary_folder.h"

using namespace sweep;
using namespace sweep::testing;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(export_header)

namespace {

/// What CUDA's headers of these names have in them, as far as the tests need it.
constexpr const char* vector_types =
    "#pragma once\nstruct float4 { float x, y, z, w; };\n"
    "struct uint1 { unsigned x; };\n";
constexpr const char* half_types = "#pragma once\nstruct __half { unsigned short x; };\n";

/// What the compiler says about a program that includes the header; empty when all is well.
std::string complaints(const std::string& header, const std::string& program = {}) {
  const TemporaryFolder folder;
  folder.write("vector_types.h", vector_types);
  folder.write("cuda_fp16.h", half_types);
  folder.write("best.h", header);
  // Twice, as in a project in which other headers include it too.
  const auto source =
      folder.write("program.cpp", "#include \"best.h\"\n#include \"best.h\"\n" + program);
  const auto messages = folder.path() / "messages.txt";
  const std::string command =
      std::string(SWEEP_CXX_COMPILER) + " -std=c++17 -fsyntax-only -Wall -Wextra -Werror -I '" +
      folder.path().string() + "' '" + source.string() + "' 2> '" + messages.string() + "'";
  const int code = std::system(command.c_str());
  return code == 0 ? "" : "refused: " + read_text_file(messages) + header;
}

ExportedRun run_of(Parameters parameters) {
  RunResults results = measured_streams();
  results.points.clear();
  results.points.push_back(
      ok_point("copy", parameters,
               {{"time", Origin::measured, 100}, {"bandwidth", Origin::measured, 4263.25}}));
  return find_best(std::move(results));
}

std::string header_of(const ExportedRun& run) {
  return write_header({&run, 1});
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_project_reads_the_values_of_each_group) {
  const std::string header = header_of(find_best(tuned_streams()));
  BOOST_TEST(complaints(header, R"(
#include <type_traits>
namespace best = best_streams::nvidia_h200;
static_assert(best::copy_T_float::BLOCK == 128);
static_assert(best::copy_T_float::ITEMS == 4);
static_assert(best::copy_T_float::STREAMING);
static_assert(best::copy_T_float::bandwidth == 3000.5);
static_assert(std::is_same_v<best::copy_T_float::T, float>);
static_assert(std::is_same_v<best::copy_T_float4::T, float4>);
static_assert(best::copy_T_float4::BLOCK == 512);
static_assert(best::copy_T_float4::bandwidth == 4263);
static_assert(best::copy_T_float4::pattern[0] == 'c');
)") == "");
}

BOOST_AUTO_TEST_CASE(the_comments_say_where_the_values_come_from) {
  const std::string header = header_of(find_best(tuned_streams()));
  for (const char* text :
       {"// device: NVIDIA H200, compute capability 9.0", "// driver: 580.159.04, CUDA 13.0",
        "// compiler: NVRTC 13.0", "// engine: sweep 0.1.0", "// measuring: cache: cold",
        "started 2025-01-31 12:00:00 UTC", "// best by: bandwidth [GB/s]",
        "// search: strategy forest, seed 7", "// made by: sweep run sweeps/streams.yaml",
        "// 4263 GB/s (95 % interval 4257 to 4266, compared in 12 rounds), 1.066 times as good",
        "(1.060 to 1.070); 200 of 1,200 configurations tried", "sweep 'streams'"}) {
    BOOST_TEST(contains(header, text), text << " is not in\n" << header);
  }
  BOOST_TEST(!contains(header, "bench-1"));
}

BOOST_AUTO_TEST_CASE(every_kind_of_value_compiles) {
  const std::string header = header_of(run_of({{"T", element("half")},
                                               {"U", element("uint64_t")},
                                               {"V", element("uint1")},
                                               {"ON", Value(true)},
                                               {"LARGE", integer(std::int64_t{1} << 40)},
                                               {"LEAST", integer(-2147483648)},
                                               {"LOWEST", integer(INT64_MIN)},
                                               {"WORD", word("a\"b\\c\n?\?/")}}));
  BOOST_TEST(complaints(header, R"(
#include <type_traits>
using best = best_streams::nvidia_h200::copy;
static_assert(std::is_same_v<best::T, __half>);
static_assert(std::is_same_v<best::U, std::uint64_t>);
static_assert(std::is_same_v<best::V, uint1>);
static_assert(best::ON);
static_assert(best::LARGE == 1099511627776);
static_assert(best::LEAST == -2147483648LL);
static_assert(best::LOWEST < -9223372036854775807);
static_assert(best::WORD[1] == '"' && best::WORD[6] == '?' && best::WORD[8] == '/');
)") == "");
}

BOOST_AUTO_TEST_CASE(a_namespace_for_each_device) {
  std::vector<ExportedRun> runs;
  for (const char* device : {"NVIDIA H200", "emulator of 9.0 (H200)", "NVIDIA  H200", "4090"}) {
    RunResults results = measured_streams();
    results.run.provenance.device.name = device;
    runs.push_back(find_best(std::move(results)));
  }
  const std::string header = write_header(runs);
  BOOST_TEST(complaints(header, R"(
static_assert(best_streams::nvidia_h200::read::BLOCK == 256);
static_assert(best_streams::emulator_of_9_0_h200::copy::BLOCK == 512);
static_assert(best_streams::nvidia_h200_2::copy::BLOCK == 512);
static_assert(best_streams::n4090::copy::BLOCK == 512);
)") == "");
}

BOOST_AUTO_TEST_CASE(groups_have_different_names) {
  RunResults results = tuned_streams();
  TuningRecord& tuning = *results.run.tuning;
  tuning.groups.pop_back();
  tuning.groups[0].group = {};
  tuning.groups[0].group.set("PAD", integer(-1));
  tuning.groups[1].group = tuning.groups[0].group;
  results.points.front().point.key.pattern_name = "read";
  BOOST_TEST(complaints(header_of(find_best(results)), R"(
static_assert(best_streams::nvidia_h200::best_PAD_minus_1::BLOCK == 128);
static_assert(best_streams::nvidia_h200::best_PAD_minus_1_2::BLOCK == 512);
)") == "");
  tuning.groups[0].group.set("pattern", word("copy"));
  BOOST_TEST(contains(header_of(find_best(results)), "struct copy_PAD_minus_1 {"));
}

BOOST_DATA_TEST_CASE(no_text_ends_its_comment,
                     data::make({"*/", "a\nint x = ;", "ends in \\", "ends in \\  ", "?\?/",
                                 "a\r\\", "\u202e turned \u2066", "/* */ //", "\x1b[31m"}),
                     text) {
  RunResults results = measured_streams();
  Provenance& provenance = results.run.provenance;
  provenance.device.name = text;
  provenance.command = text;
  provenance.compiler = text;
  provenance.sweep_name = text;
  provenance.measure = text;
  BOOST_TEST(complaints(header_of(find_best(std::move(results)))) == "");
}

BOOST_AUTO_TEST_CASE(a_comment_of_any_text_is_lines_that_begin_with_its_mark) {
  check_property([] {
    const std::string text = arbitrary_bytes() + arbitrary_tricky_text();
    const std::string lines = comment_lines("//", text, *rc::gen::element<std::size_t>(0, 20, 100));
    RC_ASSERT(lines.ends_with('\n') || lines.empty());
    for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1) {
      RC_ASSERT(lines.compare(at, 2, "//") == 0);
      RC_ASSERT(lines[lines.find('\n', at) - 1] != '\\');
    }
    RC_ASSERT(lines.find('\r') == std::string::npos);
  });
}

BOOST_DATA_TEST_CASE(identifiers,
                     data::make({"NVIDIA H200", "a__b", "_x_", "4090", "while", "float4", "",
                                 "\xc2\xb5m", "tile__x__"}) ^
                         data::make({"NVIDIA_H200", "a_b", "x", "n4090", "while_", "float4_",
                                     "unnamed", "m", "tile_x"}),
                     text, expected) {
  BOOST_TEST(cxx_identifier(text) == expected);
}

BOOST_AUTO_TEST_SUITE_END()
