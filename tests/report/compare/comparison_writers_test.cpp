#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <regex>

#include "report/compare/run_comparison.h"
#include "tests/contains.h"
#include "tests/report/compare/compared_runs.h"
#include "tests/report/golden_file.h"

namespace sweep::testing {
namespace {

using Json = nlohmann::json;

/// Many configurations, all of them slower.
RunComparison large_comparison(std::int64_t count) {
  std::vector<StoredPoint> before;
  std::vector<StoredPoint> after;
  for (std::int64_t i = 0; i < count; ++i) {
    before.push_back(timed_point({{"BLOCK", integer(i)}}, 100));
    after.push_back(timed_point({{"BLOCK", integer(i)}}, 110 + static_cast<double>(i % 50)));
  }
  return compare_runs(run_of("a.db:1", std::move(before)), run_of("b.db:1", std::move(after)));
}

BOOST_AUTO_TEST_SUITE(golden)

BOOST_AUTO_TEST_CASE(a_comparison_of_speeds) {
  const RunComparison comparison = example_comparison();
  check_golden("comparison.md", write_comparison_markdown(comparison));
  check_golden("comparison.txt", write_comparison_terminal(comparison, 100, false));
  check_golden("comparison_narrow.txt", write_comparison_terminal(comparison, 50, false));
}

BOOST_AUTO_TEST_CASE(a_comparison_of_counts) {
  const RunComparison comparison = counted_comparison();
  check_golden("comparison_counts.md", write_comparison_markdown(comparison));
  check_golden("comparison_counts.txt",
               write_comparison_terminal(comparison, 100, false, ComparedRows::all));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(comparison_writers)

BOOST_AUTO_TEST_CASE(what_changed_comes_in_the_order_of_its_weight) {
  const RunComparison comparison = example_comparison();
  std::string changes;
  for (const ComparisonRow& row : changed_rows(comparison)) {
    changes += to_string(row.change->change);
    changes += ' ';
  }
  BOOST_TEST(changes == "worse worse worse better unclear ");
  BOOST_TEST(all_rows(comparison).size() == comparison.count(PairStatus::compared));
}

BOOST_AUTO_TEST_CASE(a_terminal_gets_the_worst_rows_and_colours_only_when_asked) {
  const RunComparison comparison = large_comparison(100);
  const std::string text = write_comparison_terminal(comparison, 80, false);
  BOOST_TEST(contains(text, "and 70 more, which --all"));
  BOOST_TEST(!contains(text, "\x1b"));
  BOOST_TEST(contains(write_comparison_terminal(comparison, 80, true), "\x1b[31mregression"));
  const std::string all = write_comparison_terminal(comparison, 80, false, ComparedRows::all);
  BOOST_TEST(!contains(all, "more, which"));
  BOOST_TEST(std::ranges::count(all, '\n') >= 100);
}

BOOST_AUTO_TEST_CASE(failures_that_are_not_listed_are_counted) {
  std::vector<StoredPoint> before = {timed_point({{"BLOCK", integer(0)}}, 100)};
  std::vector<StoredPoint> after = before;
  for (std::int64_t i = 1; i <= 12; ++i) {
    before.push_back(timed_point({{"BLOCK", integer(i)}}, 100));
    after.push_back(failed_point("p", {{"BLOCK", integer(i)}}, "a trap"));
  }
  const RunComparison comparison =
      compare_runs(run_of("a.db:1", std::move(before)), run_of("b.db:1", std::move(after)));
  const std::string text = write_comparison_terminal(comparison, 80, false);
  BOOST_TEST(contains(text, "failed in B: BLOCK = 10: a trap"), text);
  BOOST_TEST(!contains(text, "failed in B: BLOCK = 11"), text);
  BOOST_TEST(contains(text, "and 2 more that fail in B"), text);
}

BOOST_AUTO_TEST_CASE(the_json_has_everything) {
  const RunComparison comparison = example_comparison();
  const Json json = Json::parse(write_comparison_json(comparison));
  BOOST_TEST(json["schema_version"] == 1);
  BOOST_TEST(json["regression"] == true);
  BOOST_TEST(json["before"]["run"] == "before.db:1");
  BOOST_TEST(json["metrics"][0]["name"] == "bandwidth");
  BOOST_TEST(json["metrics"][0]["worse"] == 3);
  BOOST_REQUIRE(json["configurations"].size() == comparison.configurations.size());
  BOOST_TEST(json["configurations"][0]["parameters"]["T"] == "float");
  BOOST_TEST(json["configurations"][0]["changes"][0]["change"] == "better");
  BOOST_TEST(json["configurations"][2]["status"] == "failed_in_b");
  const Json ratio = json["configurations"][0]["changes"][0]["ratio"];
  BOOST_TEST(ratio["value"].get<double>() == 1.25, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(ratio["low"].get<double>() < 1.25);
  BOOST_TEST(json["differences"][0]["serious"] == true);
}

BOOST_AUTO_TEST_CASE(what_is_infinite_or_no_utf8_is_json_all_the_same) {
  RunComparison comparison = counted_comparison();
  comparison.notes = {"\xff\xfe"};
  const Json json = Json::parse(write_comparison_json(comparison));
  BOOST_TEST(json["configurations"][3]["changes"][1]["ratio"]["value"].is_null());
}

BOOST_AUTO_TEST_CASE(the_page_escapes_texts_and_asks_for_nothing) {
  const std::string page = write_comparison_html(example_comparison());
  BOOST_TEST(!contains(page, "<script>alert"));
  BOOST_TEST(contains(page, "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"));
  BOOST_TEST(contains(page, "after &lt;1&gt; &amp; *2*.db:2"));
  BOOST_TEST(contains(page, "default-src 'none'; script-src 'sha256-"));
  BOOST_TEST(!contains(page, "script-src 'unsafe-inline'"));
  BOOST_TEST(!std::regex_search(page, std::regex("(src|href)=|url\\(|https?://|@import")));
  for (const char* tag : {"table", "details", "div", "svg", "ul", "li", "tr", "span"}) {
    const auto count = [&](const std::string& part) {
      std::size_t found = 0;
      for (std::size_t at = page.find(part); at != std::string::npos;
           at = page.find(part, at + 1)) {
        ++found;
      }
      return found;
    };
    const std::string name = tag;
    BOOST_TEST(count("<" + name + ">") + count("<" + name + " ") == count("</" + name + ">"), tag);
  }
}

BOOST_AUTO_TEST_CASE(a_plot_shows_the_farthest_and_leaves_out_what_is_equal) {
  const std::string plot = write_forest_plot(large_comparison(60), 0, 40);
  BOOST_TEST(contains(plot, "the 40 of 60 that are the farthest from 1"));
  const RunComparison counts = counted_comparison();
  BOOST_TEST(contains(write_forest_plot(counts, 0), "2 with equal figures are left out"));
  BOOST_TEST(!contains(write_forest_plot(counts, 1), "nan"));
  BOOST_TEST(!contains(write_forest_plot(counts, 1), "inf\""));
}

BOOST_AUTO_TEST_CASE(long_tables_are_cut_and_say_so) {
  const std::string markdown = write_comparison_markdown(large_comparison(60));
  BOOST_TEST(contains(markdown, "and 10 more, which the JSON has"));
  BOOST_TEST(contains(markdown, "<summary>All 60 configurations compared</summary>"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
