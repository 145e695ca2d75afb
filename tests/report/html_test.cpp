#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "report/html/page_parts.h"
#include "report/run_report.h"
#include "tests/contains.h"
#include "tests/report/example_results.h"
#include "tests/report/page_results.h"
#include "tests/report/tuned_results.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(html)

namespace {

std::size_t count_in(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t i = text.find(part); i != std::string_view::npos; i = text.find(part, i + 1)) {
    ++count;
  }
  return count;
}

/// The text between two others, the first time that they stand so.
std::string between(const std::string& text, const std::string& first, const std::string& last) {
  const std::size_t begin = text.find(first);
  if (begin == std::string::npos) return {};
  const std::size_t from = begin + first.size();
  return text.substr(from, text.find(last, from) - from);
}

nlohmann::json points_of(const std::string& page) {
  return nlohmann::json::parse(
      between(page, "<script type=\"application/json\" id=\"points-data\">", "</script>"));
}

/// The page without what does not come from the results.
std::string own_text(std::string page) {
  for (const std::string_view asset : {page_style().text, page_script().text, vega_script().text}) {
    const std::size_t place = asset.empty() ? std::string::npos : page.find(asset);
    if (place != std::string::npos) page.erase(place, asset.size());
  }
  return page;
}

}  // namespace

BOOST_AUTO_TEST_CASE(marks_the_lines_that_did_not_compile) {
  RunResults results;
  for (std::int64_t i = 0; i < 5; ++i) {
    const char* file = i < 2 ? "my/p.cu:3:7" : i < 4 ? "my/deep/x.cuh:2" : "my/p.cu:2:4";
    results.points.push_back(
        failed_point("p", {{"A", integer(i)}},
                     std::string(file) + ": error: <" + std::to_string(i) + "> is wrong\n  it\n"));
    results.points.back().point.key.pattern_text =
        "/* pattern:\nverify: 1\n*/ int below;\nint mine;\n\n// deep/x.cuh\nint a;\nint b;\n";
  }
  const std::string page = write_html(results);
  const auto marked = [&](const char* line, const std::string& notes) {
    const std::string row = between(
        page, "mistake\"><th scope=\"row\" class=\"line\">" + std::string(line) + "<", "</div>");
    BOOST_TEST(contains(row, notes), row);
  };
  BOOST_TEST(count_in(page, " mistake\"><th") == 1U);
  marked("8", "<p class=\"mistake\">2 of 5 configurations: &lt;2&gt; is wrong</p>");
  BOOST_TEST(contains(page, "<mark><span class=\"comment\">verify: 1</span></mark>"), page);
  BOOST_TEST(contains(page, "<p class=\"mistake\">1 of 5 configurations: &lt;4&gt; is wrong</p>"));
}

BOOST_AUTO_TEST_CASE(says_first_what_was_found) {
  const std::string page = write_html(stride_results());
  BOOST_TEST(contains(page, "<html lang=\"en\">"));
  BOOST_TEST(contains(page, "<title>stride on NVIDIA H200</title>"));
  BOOST_TEST(contains(page,
                      "16 configurations of the pattern stride over T (float, double), STRIDE (1, "
                      "2, 8, 32) and BLOCK (128, 256), measured on NVIDIA H200 on 2025-01-31."));
  BOOST_TEST(contains(page, "<span class=\"large\">2802</span> GB/s"));
  BOOST_TEST(contains(page, "3 of 16 points failed"));
  BOOST_TEST(contains(page, "identifier &quot;x&quot; is undefined"));
}

BOOST_AUTO_TEST_CASE(sections_stand_in_their_order) {
  RunResults results = stride_results();
  for (StoredPoint& stored : results.points) stored.point.key.pattern_text = tile_pattern();
  const std::string page = write_html(results);
  std::size_t before = 0;
  for (const char* id : {"summary", "tables", "points", "source", "failures", "provenance"}) {
    const std::size_t place = page.find("<section id=\"" + std::string(id) + '"');
    BOOST_TEST_CONTEXT(id) {
      BOOST_TEST(place != std::string::npos);
      BOOST_TEST(place > before);
      BOOST_TEST(contains(page, "<a href=\"#" + std::string(id) + "\">"));
    }
    before = place;
  }
}

BOOST_AUTO_TEST_CASE(a_table_aligns_its_figures_and_names_its_rows) {
  const std::string page = write_html(stride_results());
  BOOST_TEST(contains(page, "<th scope=\"row\" class=\"figure\">8</th>"));
  BOOST_TEST(contains(page, "2738<span class=\"pad\" aria-hidden=\"true\">.0</span>"));
  BOOST_TEST(contains(page, "331.6</td>"));
  BOOST_TEST(contains(page, "<td class=\"figure failed\">failed</td>"));
  BOOST_TEST(contains(page, "<td class=\"figure best\"><strong>2802"));
}

BOOST_AUTO_TEST_CASE(a_search_is_told_in_words) {
  const std::string page = write_html(tuned_results());
  BOOST_TEST(contains(page, "Searched for the highest bandwidth by the strategy"));
  BOOST_TEST(contains(page, "it is bound by memory"));
  BOOST_TEST(points_of(page)["sorted_by"] == "verdict");
}

BOOST_AUTO_TEST_CASE(warnings_and_notes_are_told_apart) {
  const std::string page = write_html(compared_results());
  const std::string warnings = between(page, "<section id=\"warnings\"", "</section>");
  BOOST_TEST(contains(warnings, "another process uses the GPU") == false);
  BOOST_TEST(contains(warnings, "Another process uses the GPU: 1234 (python)."));
  BOOST_TEST(contains(warnings, "drifted by 3.0 %"));
  BOOST_TEST(contains(write_html(emulated_results()), "The run was interrupted"));
}

BOOST_AUTO_TEST_CASE(the_points_are_there_with_all_that_is_known) {
  const nlohmann::json points = points_of(write_html(compared_results()));
  BOOST_TEST(points["count"] == 8);
  BOOST_TEST(points["parameters"][0]["name"] == "pattern");
  BOOST_TEST(points["parameters"][1]["numbers"][3] == 1024);
  BOOST_TEST(points["samples"][0].size() == 3u);
  BOOST_TEST(points["samples"][0][2] == 600);
  BOOST_TEST(points["clocks"][0][2] == 1200);
  BOOST_TEST(points["marks"][0] == nlohmann::json::parse(R"([[1, "outlier"], [2, "low clock"]])"));
  BOOST_TEST(points["verdicts"]["texts"][points["verdicts"]["at"][1].get<std::size_t>()] ==
             "best of copy");
  const auto& metrics = points["metrics"];
  const auto sectors = std::ranges::find_if(metrics, [](const auto& metric) {
    return metric["name"] == "load_sectors" && metric["origin"] == "hardware";
  });
  BOOST_REQUIRE((sectors != metrics.end()));
  BOOST_TEST((*sectors)["figures"][0] == 128000);
  BOOST_TEST((*sectors)["disagrees"].size() == 2u);
}

BOOST_AUTO_TEST_CASE(figures_that_json_does_not_have_are_words) {
  RunResults results = stride_results();
  results.points[0].point.metrics[2].value = std::numeric_limits<double>::infinity();
  results.points[1].point.metrics[2].value = std::numeric_limits<double>::quiet_NaN();
  const nlohmann::json points = points_of(write_html(results));
  BOOST_TEST(points["metrics"][2]["figures"][0] == "inf");
  BOOST_TEST(points["metrics"][2]["figures"][1] == "nan");
  BOOST_TEST(points["metrics"][2]["figures"][5].is_null());
}

BOOST_AUTO_TEST_CASE(no_text_becomes_part_of_the_page) {
  const std::string page = own_text(write_html(hostile_results()));
  BOOST_TEST(count_in(page, "<img") == count_in(page, "<img src=\"data:image/svg+xml;base64,"));
  BOOST_TEST(count_in(page, "<!--") == 0u);
  BOOST_TEST(count_in(page, "<script") == count_in(page, "</script>"));
  BOOST_TEST(count_in(page, "<script>") <= 2u);
  BOOST_TEST(count_in(page, "</title>") == 1u);
  BOOST_TEST(count_in(page, "</style>") == 1u);
  BOOST_TEST(count_in(page, "\xe2\x80\xa8") > 0u);  // In the page's text; in scripts it is escaped.
  for (const char* id : {"points-data", "charts-data"}) {
    const std::string json = between(
        page, "<script type=\"application/json\" id=\"" + std::string(id) + "\">", "</script>");
    BOOST_TEST(count_in(json, "<") == 0u);
    BOOST_TEST(count_in(json, "\xe2\x80\xa8") == 0u);
    if (!json.empty()) BOOST_TEST(!nlohmann::json::parse(json, nullptr, false).is_discarded());
  }
  BOOST_TEST(count_in(page, "\xff") == 0u);
  BOOST_TEST(count_in(page, "\xe2\x80\xae") == 0u);
}

BOOST_AUTO_TEST_CASE(nothing_is_fetched_and_only_the_pages_scripts_run) {
  const std::string page = write_html(stride_results());
  const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\">");
  BOOST_TEST(contains(policy, "default-src 'none'"));
  BOOST_TEST(contains(policy, "script-src 'sha256-"));
  BOOST_TEST(!contains(policy, "unsafe-eval"));
  BOOST_TEST(!contains(policy, "script-src 'unsafe-inline'"));
  const std::string own = own_text(page);
  BOOST_TEST(count_in(own, "http:") == 0u);
  BOOST_TEST(count_in(own, "https:") == 0u);
  BOOST_TEST(count_in(own, " src=") == count_in(own, " src=\"data:image/svg+xml;base64,"));
  BOOST_TEST(count_in(own, "<link") == 0u);
}

BOOST_AUTO_TEST_CASE(the_source_has_its_costs_beside_its_lines) {
  RunResults results = stride_results();
  for (StoredPoint& stored : results.points) stored.point.key.pattern_text = tile_pattern();
  PatternExplanation explanation;
  explanation.pattern = "stride";
  explanation.ordinal = results.points.front().ordinal;
  explanation.parameters.set("BLOCK", integer(32));
  explanation.json =
      R"({"accesses": [{"file": "patterns/stride.cu", "line": 10, "text": "tile[threadIdx.x]",
          "kind": "load", "space": "shared", "requests": 4, "wavefronts": 128, "ideal": 4,
          "efficiency": 3.125, "advice": "Pad <the> rows."},
          {"line": "ten"}, 7]})";
  results.run.explanations = {explanation};
  const std::string page = write_html(results);
  const std::string line = between(page, "class=\"line\">10</th>", "class=\"line\">11</th>");
  BOOST_TEST(contains(line,
                      "shared load <code>tile[threadIdx.x]</code>: 4 requests of 32.00 "
                      "wavefronts, where 1.000 would do"));
  BOOST_TEST(contains(line, "<span class=\"share waste\">3.125 %</span>"));
  BOOST_TEST(contains(page, "Pad &lt;the&gt; rows."));
  BOOST_TEST(contains(page, "by the emulator for BLOCK=32:"));
  BOOST_TEST(contains(page, "<span class=\"keyword\">__shared__</span>"));
}

constexpr const char* broken_explanations[] = {
    "",
    "null",
    "[]",
    "{",
    "{\"accesses\": {}}",
    "{\"accesses\": [1, \"x\", null, {\"line\": 1e99}]}"};

BOOST_DATA_TEST_CASE(a_broken_explanation_leaves_the_source_alone,
                     boost::unit_test::data::make(broken_explanations), json) {
  RunResults results = stride_results();
  for (StoredPoint& stored : results.points) stored.point.key.pattern_text = tile_pattern();
  PatternExplanation explanation;
  explanation.pattern = "stride";
  explanation.json = json;
  results.run.explanations = {explanation};
  BOOST_TEST(contains(write_html(results), "Rows in, columns out."));
}

BOOST_AUTO_TEST_CASE(a_run_without_points_has_a_page) {
  RunResults results = stride_results();
  results.points.clear();
  const std::string page = write_html(results);
  BOOST_TEST(contains(page, "0 configurations"));
  BOOST_TEST(!contains(page, "<section id=\"points\""));
}

BOOST_AUTO_TEST_CASE(many_points_are_compact) {
  const std::string page = own_text(write_html(large_results(2000, 30)));
  BOOST_TEST(page.size() < 2000u * 800u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
