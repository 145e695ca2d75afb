#include "report/annotations.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/contains.h"
#include "tests/report/example_results.h"
#include "tests/temporary_folder.h"

namespace sweep::testing {
namespace {
namespace annotations {

/// A repository with a file of three lines.
struct Fixture {
  Fixture() { file = folder.write("a b,c.yaml", content).string(); }

  Diagnostic message(const std::string& name, std::size_t line, std::size_t column,
                     std::size_t length, std::string words, std::string help = {}) const {
    const auto source = std::make_shared<Source>(Source{name, content});
    return {Severity::error, {source, line, column, length}, std::move(words), std::move(help)};
  }
  std::string github(const Diagnostic& message) const {
    return write_github_commands({&message, 1}, "sweep: run, 100 %", folder.path());
  }

  TemporaryFolder folder;
  std::string content = "one\nµµ two\nthree\n";
  std::string file;
};

}  // namespace annotations

BOOST_FIXTURE_TEST_SUITE(annotations_suite, annotations::Fixture)

BOOST_AUTO_TEST_CASE(a_message_is_a_command_at_its_line) {
  BOOST_TEST(github(message(file, 2, 6, 3, "100 % of it: a, b\r\nand more", "do that")) ==
             "::error file=a b%2Cc.yaml,line=2,col=4,endColumn=7,title=sweep%3A run%2C 100 "
             "%25::100 %25 of it: a, b%0D%0Aand more%0Ado that\n");
  Diagnostic note = message(file, 0, 0, 1, "all of it");
  note.severity = Severity::note;
  BOOST_TEST(github(note) ==
             "::notice file=a b%2Cc.yaml,line=1,title=sweep%3A run%2C 100 %25::all of it\n");
  note.severity = Severity::warning;
  BOOST_TEST(github(note).starts_with("::warning "));
}

BOOST_AUTO_TEST_CASE(what_is_no_file_of_the_repository_has_no_line_there) {
  BOOST_TEST(github(message("--set", 1, 1, 3, "words")) ==
             "::error title=sweep%3A run%2C 100 %25::words\n");
  const TemporaryFolder elsewhere;
  const std::string other = elsewhere.write("x.cu", "x").string();
  const std::string outside = github(message(other, 1, 1, 1, "words"));
  BOOST_TEST(outside.starts_with("::error title="), outside);
  BOOST_TEST(contains(outside, "/x.cu:1:1: words\n"), outside);
}

BOOST_AUTO_TEST_CASE(a_log_of_sarif_has_rules_and_places) {
  const std::vector<CheckFinding> findings = {
      {message(file, 2, 6, 300, "wrong", "do that"), "compile"},
      {message("--set", 1, 1, 1, "no file"), "input"}};
  const auto log = nlohmann::json::parse(write_sarif(findings, "1.2.3", folder.path()));
  BOOST_TEST(log["version"] == "2.1.0");
  BOOST_REQUIRE(log["runs"].size() == 1U);
  const auto& run = log["runs"][0];
  const auto& driver = run["tool"]["driver"];
  BOOST_TEST(driver["name"] == "sweep");
  BOOST_TEST(driver["version"] == "1.2.3");
  BOOST_REQUIRE(run["results"].size() == 2U);
  for (const auto& result : run["results"]) {
    const auto& rule = driver["rules"][result["ruleIndex"].get<std::size_t>()];
    BOOST_TEST(rule["id"] == result["ruleId"]);
    BOOST_TEST(!rule["shortDescription"]["text"].get<std::string>().empty());
    BOOST_TEST(result["level"] == "error");
  }
  const auto& first = run["results"][0];
  BOOST_TEST(first["message"]["text"] == "wrong\ndo that");
  BOOST_TEST(
      first["locations"].dump() ==
      R"([{"physicalLocation":{"artifactLocation":{"uri":"a%20b%2Cc.yaml",)"
      R"("uriBaseId":"%SRCROOT%"},"region":{"endColumn":7,"startColumn":4,"startLine":2}}}])");
  BOOST_TEST(run["results"][1]["locations"].empty());
  BOOST_TEST(nlohmann::json::parse(write_sarif({}, "1", folder.path()))["runs"][0]["results"] ==
             nlohmann::json::array());
}

BOOST_AUTO_TEST_CASE(findings_are_a_table) {
  BOOST_TEST(contains(write_findings_markdown({}, folder.path()), "no mistakes"));
  const std::vector<CheckFinding> findings = {{message(file, 2, 6, 3, "wrong | so"), "compile"}};
  const std::string text = write_findings_markdown(findings, folder.path());
  BOOST_TEST(contains(text, "1 mistake"), text);
  BOOST_TEST(contains(text, "a b,c.yaml:2:4"), text);
  BOOST_TEST(contains(text, "wrong \\| so"), text);
}

BOOST_AUTO_TEST_CASE(failed_points_stand_where_their_reason_says) {
  RunResults results;
  results.points = {ok_point("p", {}, {}),
                    failed_point("p", {{"N", integer(1)}}, file + ":3:1: error: no\nmore"),
                    failed_point("p", {{"N", integer(2)}}, "wrong result")};
  const RunAnalysis run(results);
  const std::vector<Diagnostic> messages = run_annotations(run, {});
  BOOST_REQUIRE(messages.size() == 2U);
  BOOST_TEST(messages[0].where.line == 3U);
  BOOST_TEST(messages[0].where.source->name == file);
  BOOST_TEST(contains(messages[1].message, "1 of 3 configurations"), messages[1].message);
  BOOST_TEST(messages[1].where.source == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
