#include "report/index/run_index.h"

#include <boost/test/unit_test.hpp>

#include "tests/contains.h"
#include "tests/report/example_results.h"
#include "tests/report/index_results.h"
#include "tests/report/page_results.h"

using namespace sweep;
using namespace sweep::testing;

BOOST_AUTO_TEST_SUITE(run_indices)

BOOST_AUTO_TEST_CASE(the_page_says_first_what_got_worse) {
  const std::string page = write_index_html(example_index());
  BOOST_TEST(contains(page, "1 of 1 sweep with several runs got worse"));
  BOOST_TEST(contains(page, "worse since 2025-"));
  BOOST_TEST(contains(page, "33 % less"));
  BOOST_TEST(contains(page, "<a href=\"compare/a-1-now.html\">"));
  BOOST_TEST(contains(page, "<a href=\"runs/a%20b-1.html\">"));
  BOOST_TEST(contains(page, "<svg class=\"small\""));
  BOOST_TEST(contains(page, "is no database | &lt;script&gt;"));
  BOOST_TEST(!contains(page, hostile_text()));
  // Nothing is fetched.
  BOOST_TEST(contains(page, "default-src 'none'"));
  BOOST_TEST(!contains(page, "src=\"http"));
}

BOOST_AUTO_TEST_CASE(markdown_has_the_same) {
  const std::string text = write_index_markdown(example_index());
  BOOST_TEST(contains(text, "## What got worse"));
  BOOST_TEST(contains(text, "](compare/a-1-now.html)"));
  BOOST_TEST(contains(text, "](runs/a%20b-1.html)"));
  BOOST_TEST(contains(text, "- x.db: is no database \\| \\<script>"));
  BOOST_TEST(contains(text, "## Skipped files"));
}

BOOST_AUTO_TEST_CASE(a_small_chart_has_the_colours_of_its_page) {
  const RunResults results = stride_results();
  const std::string picture = indexed_run(results).picture;
  BOOST_TEST(picture.starts_with("<svg class=\"small\""));
  BOOST_TEST(contains(picture, "var(--series-1)"));
  BOOST_TEST(picture.size() < 4000U);
}

BOOST_AUTO_TEST_SUITE_END()
