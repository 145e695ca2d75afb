#include <boost/test/unit_test.hpp>

#include "engine/recording/recording.h"
#include "tests/contains.h"
#include "tests/recording/message_of.h"

namespace sweep::testing {
namespace {
namespace ncu_reader {

const std::string head =
    R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream",)"
    R"("Block Size","Grid Size","Device","CC","dram__bytes_read.sum","gpu__time_duration.sum",)"
    R"("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",)"
    R"("sm__sass_inst_executed_op_global_ld.sum","sm__sass_inst_executed_op_ldgsts.sum")"
    "\n";
const std::string units = R"("","","","","","","","","","","","Mbyte","us","sector","inst","")"
                          "\n";

std::string launch(const std::string& id, const std::string& kernel, const std::string& numbers) {
  return "\"" + id + R"x(","7","app","127.0.0.1",")x" + kernel +
         R"x(","1","7","(256, 1, 1)","(16, 8, 2)","0","9.0",)x" + numbers + "\n";
}

const std::string numbers = R"("1,234.5","2","1,048,576","262,144","n/a")";

std::optional<double> hardware(const RecordedEntry& entry, const char* name) {
  return figure_of(entry, name, Origin::hardware);
}

std::string word(const RecordedEntry& entry, const char* name) {
  const Value* value = entry.configuration.find(name);
  return value != nullptr ? to_string(*value) : "none";
}

}  // namespace ncu_reader

using namespace ncu_reader;

BOOST_AUTO_TEST_SUITE(ncu_reader_suite)

BOOST_AUTO_TEST_CASE(a_launch_is_an_entry_with_its_counters_and_what_follows_from_them) {
  const std::string text =
      "a program's \"own\" line\n==PROF== Profiling \"scale\"\n" + head + units +
      launch("0", "void lib::scale<float, (int)256>(const T1 *, \"\"x\"\")", numbers) +
      "==PROF== Disconnected from process 7\n";
  const Recording recording = read_ncu(text, "x.csv");
  BOOST_TEST(!recording.unfinished);
  BOOST_TEST(recording.origin.format == "counters of Nsight Compute");
  BOOST_REQUIRE(recording.entries.size() == 1U);
  const RecordedEntry& entry = recording.entries.front();
  BOOST_TEST(word(entry, "pattern") == "scale");
  BOOST_TEST(word(entry, "kernel") == "void lib::scale<float, (int)256>(const T1 *, \"x\")");
  BOOST_TEST(word(entry, "blocks") == "256");
  BOOST_TEST(word(entry, "threads") == "256");
  BOOST_TEST(word(entry, "launch") == "0");
  // The unit is "Mbyte", and a time in us is one in seconds. What the GPU does not do, it has none
  // of.
  BOOST_TEST(hardware(entry, "dram__bytes_read.sum").value() == 1'234'500'000);
  BOOST_TEST(hardware(entry, "dram_read_bytes").value() == 1'234'500'000);
  BOOST_TEST(hardware(entry, "gpu__time_duration.sum").value() == 2e-6);
  BOOST_TEST(hardware(entry, "load_sectors").value() == 1048576);
  BOOST_TEST(hardware(entry, "load_requests").value() == 262144);
  BOOST_TEST(hardware(entry, "load_sectors_per_request").value() == 4);
  BOOST_TEST(!hardware(entry, "sm__sass_inst_executed_op_ldgsts.sum").has_value());
  BOOST_TEST(!hardware(entry, "store_sectors").has_value());
}

BOOST_AUTO_TEST_CASE(numbers_are_read_in_the_locale_that_wrote_them) {
  struct Case {
    const char* numbers;
    double bytes;
    double sectors;
  };
  for (const Case& tried : {Case{R"("1.234,5","2","1.048.576","4","1")", 1234.5e6, 1048576},
                            Case{R"("1,234","2","1048576","4","1")", 1234e6, 1048576},
                            Case{R"("1,5","2","1.234","4","1")", 1.5e6, 1234},
                            Case{R"("0.123","2","1,234","4.5","1")", 123e3, 1234},
                            Case{R"("1e3","2","1234","4","1")", 1e9, 1234},
                            Case{R"("1,5","2","1 048 576","4 000","1'000")", 1.5e6, 1048576}}) {
    const Recording recording =
        read_ncu(head + units + launch("0", "k(int)", tried.numbers), "x.csv");
    const RecordedEntry& entry = recording.entries.front();
    BOOST_TEST(hardware(entry, "dram_read_bytes").value() == tried.bytes, tried.numbers);
    BOOST_TEST(hardware(entry, "load_sectors").value() == tried.sectors, tried.numbers);
  }
  const std::string mixed =
      head + units + launch("0", "k", numbers) + launch("1", "k", R"("1","2,5","3","4","5")");
  BOOST_TEST(message_of([&] { read_ncu(mixed, "x.csv"); }) ==
             "x.csv: line 4: '2,5' has another decimal mark than the numbers before it; with "
             "LC_ALL=C Nsight Compute writes points");
}

BOOST_AUTO_TEST_CASE(what_a_file_need_not_have) {
  // No units, no sizes, "\r\n", and the same launch number of two processes.
  const std::string text =
      "\"ID\",\"Process ID\",\"Kernel Name\",\"launch__grid_size\",\"launch__block_size\","
      "\"dram__bytes_read.sum\"\r\n\"0\",\"1\",\"k\",\"1,024\",\"32\",\"64\"\r\n"
      "\"0\",\"2\",\"k\",\"1,024\",\"32\",\"\"\r\n";
  const Recording recording = read_ncu(text, "x.csv");
  BOOST_REQUIRE(recording.entries.size() == 2U);
  BOOST_TEST(word(recording.entries[0], "blocks") == "1024");
  BOOST_TEST(hardware(recording.entries[0], "dram_read_bytes").value() == 64);
  BOOST_TEST(!hardware(recording.entries[1], "dram_read_bytes").has_value());
  const Recording bare = read_ncu("\"Kernel Name\"\n\"a\"\n", "x.csv");
  BOOST_TEST(word(bare.entries.front(), "blocks") == "none");
  BOOST_TEST(read_ncu(head + units, "x.csv").entries.empty());
}

BOOST_AUTO_TEST_CASE(of_a_file_that_is_cut_short_whole_rows_are_read) {
  const std::string text = head + units + launch("0", "k", numbers) + launch("1", "k", numbers);
  const std::size_t last = text.rfind("\"1\",\"7\",\"app");
  for (std::size_t end = last + 1; end + 2 < text.size(); ++end) {
    const Recording recording = read_ncu(text.substr(0, end), "x.csv");
    BOOST_TEST(recording.entries.size() == 1U, end);
    BOOST_TEST(recording.unfinished, end);
  }
  BOOST_TEST(read_ncu(text.substr(0, text.size() - 1), "x.csv").entries.size() == 2U);
}

BOOST_AUTO_TEST_CASE(what_is_no_table_of_launches_is_refused) {
  const auto refusal = [](const std::string& text) {
    return message_of([&] { read_ncu(text, "x.csv"); });
  };
  BOOST_TEST(contains(refusal(""), "x.csv: this is no table of Nsight Compute"));
  BOOST_TEST(contains(refusal("\"a\",\"b\"\n\"1\",\"2\"\n"), "--page raw --log-file FILE.csv"));
  BOOST_TEST(contains(refusal("\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Value\"\n"),
                      "table of details"));
  BOOST_TEST(refusal(head + units + "\"0\",\"1\"\n" + launch("1", "k", numbers)) ==
             "x.csv: line 3: 2 fields stand below 16 names");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
