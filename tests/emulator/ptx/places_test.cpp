#include <fmt/format.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "engine/emulator/ptx/module.h"
#include "tests/emulator/ptx/module_text.h"

namespace data = boost::unit_test::data;

namespace sweep::ptx::places_test {
namespace {

/// The chain of each instruction as "1:5:3 < 2:7:1": file, line and column, innermost first.
struct Row {
  std::string body;
  std::vector<std::string> expected;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.body; }
};

std::string text_of(const CallChain& chain) {
  std::string result;
  for (const Place& place : chain) {
    if (!result.empty()) result += " < ";
    result += fmt::format("{}:{}:{}", place.file, place.line, place.column);
  }
  return result;
}

const std::vector<Row> chains = {
    {"ret;", {""}},
    {".loc 1 5 3\n ret; ret; .loc 2 6 0\n ret;", {"1:5:3", "1:5:3", "2:6:0"}},
    {".loc 1 5 3\n .loc 2 7 1, function_name $L__f, inlined_at 1 5 3\n ret;", {"2:7:1 < 1:5:3"}},
    {".loc 1 5 3\n .loc 2 7 1, function_name $L__f+16, inlined_at 1 5 3\n"
     ".loc 2 9 1, function_name $L__g, inlined_at 2 7 1\n ret; .loc 1 6 1\n ret;",
     {"2:9:1 < 2:7:1 < 1:5:3", "1:6:1"}},
    // The call's place has not been seen.
    {".loc 2 7 1, inlined_at 1 5 3\n ret;", {"2:7:1 < 1:5:3"}},
    // The same function at the same place, called from elsewhere.
    {".loc 1 5 3\n .loc 2 7 1, function_name f, inlined_at 1 5 3\n"
     ".loc 2 9 1, function_name g, inlined_at 2 7 1\n ret;"
     ".loc 1 6 3\n .loc 2 7 1, function_name f, inlined_at 1 6 3\n"
     ".loc 2 9 1, function_name g, inlined_at 2 7 1\n ret;",
     {"2:9:1 < 2:7:1 < 1:5:3", "2:9:1 < 2:7:1 < 1:6:3"}},
    // Another line of a function of the chain: the chain is as it was from there outwards.
    {".loc 1 5 3\n .loc 2 7 1, function_name f, inlined_at 1 5 3\n"
     ".loc 2 9 1, function_name g, inlined_at 2 7 1\n ret;"
     ".loc 2 8 1, function_name f, inlined_at 1 5 3\n ret;",
     {"2:9:1 < 2:7:1 < 1:5:3", "2:8:1 < 1:5:3"}},
    // Functions of one template that call each other from one place.
    {".loc 1 5 3\n .loc 1 3 9, function_name f3, inlined_at 1 5 3\n"
     ".loc 1 3 9, function_name f2, inlined_at 1 3 9\n"
     ".loc 1 3 9, function_name f1, inlined_at 1 3 9\n ret;"
     ".loc 1 3 9, function_name f2, inlined_at 1 3 9\n ret;"
     ".loc 1 3 9, function_name f3, inlined_at 1 5 3\n ret;",
     {"1:3:9 < 1:3:9 < 1:3:9 < 1:5:3", "1:3:9 < 1:3:9 < 1:5:3", "1:3:9 < 1:5:3"}},
};

BOOST_DATA_TEST_CASE(chains_lead_outwards, data::make(chains)) {
  const Module module(testing::module_with_body(sample.body));
  const Function& function = *module.find_function("k");
  BOOST_TEST(function.places.front().empty());
  std::vector<std::string> found;
  for (const Instruction& instruction : function.code) {
    found.push_back(text_of(function.places.at(instruction.place)));
  }
  BOOST_TEST(found == sample.expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(chains_have_an_end) {
  std::string body = ".loc 1 5 3\n";
  int line = 3;
  for (int i = 0; i < 1000; ++i, ++line) {
    body += fmt::format(".loc 1 {} 1, function_name f{}, inlined_at 1 {} {}\n", line + 3, i,
                        line + 2, i == 0 ? 3 : 1);
  }
  const Module module(testing::module_with_body(body + "ret;"));
  const Function& function = *module.find_function("k");
  const CallChain& chain = function.places.at(function.code.front().place);
  BOOST_TEST(chain.size() == 64u);
  BOOST_TEST(chain.front().line == 1005u);
}

}  // namespace
}  // namespace sweep::ptx::places_test
