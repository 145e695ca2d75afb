#include <algorithm>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "engine/text/characters.h"
#include "report/point_columns.h"
#include "report/run_report.h"
#include "tests/rapidcheck_case.h"
#include "tests/report/example_results.h"
#include "tests/store/arbitrary_records.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(csv)

namespace {

using Record = std::vector<std::string>;

/// Reads a file as RFC 4180 defines it, strictly. Nothing when it is not one.
std::optional<std::vector<Record>> parse_csv(const std::string& text) {
  std::vector<Record> records;
  std::size_t i = 0;
  while (i < text.size()) {
    Record& record = records.emplace_back();
    for (bool more = true; more;) {
      std::string& field = record.emplace_back();
      if (i < text.size() && text[i] == '"') {
        for (++i;; ++i) {
          if (i >= text.size()) return std::nullopt;
          if (text[i] == '"' && (i + 1 >= text.size() || text[i + 1] != '"')) break;
          if (text[i] == '"') ++i;
          field += text[i];
        }
        ++i;
      } else {
        while (i < text.size() && std::string_view(",\"\r\n").find(text[i]) == std::string::npos) {
          field += text[i++];
        }
      }
      more = i < text.size() && text[i] == ',';
      if (more) ++i;
    }
    if (text.compare(i, 2, "\r\n") != 0) return std::nullopt;
    i += 2;
  }
  return records;
}

/// What a text reads back as: itself, but for what could steer a terminal and the mark that keeps
/// it from being a formula.
std::string guarded(const std::string& text) {
  const std::string clean = printable_text(text, "\t\r\n", "?");
  const bool formula =
      !clean.empty() && std::string("=+-@\t\r\n").find(clean[0]) != std::string::npos;
  return formula ? "'" + clean : clean;
}

std::string guarded(const Value& value) {
  return kind_of(value) == ValueKind::word ? guarded(to_string(value)) : to_string(value);
}

bool reads_as(const std::string& field, const std::optional<double>& figure,
              const std::string& metric = "time") {
  if (!figure) return field.empty();
  if (const std::string word = word_of(metric, *figure); !word.empty()) return field == word;
  char* end = nullptr;
  const double value = std::strtod(field.c_str(), &end);
  if (field.empty() || *end != '\0') return false;
  if (std::isnan(*figure)) return std::isnan(value);
  return std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(*figure);
}

RunResults arbitrary_results() {
  RunResults results;
  const int count = *rc::gen::inRange(0, 6);
  for (int i = 0; i < count; ++i) results.points.push_back({arbitrary_point(), 1});
  return results;
}

/// Every parameter's name, in the order they first appear.
Names parameter_names(const RunResults& results) {
  Names names;
  for (const StoredPoint& stored : results.points) {
    for (const auto& [name, value] : stored.point.key.parameters.entries()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

std::string written(const StoredPoint& point) {
  RunResults results;
  results.points = {point};
  return write_csv(results);
}

BOOST_AUTO_TEST_CASE(a_run_without_points_is_the_heading) {
  BOOST_TEST(write_csv(RunResults{}) == "pattern,status,reason,stopped_by,verdict,notes\r\n");
}

BOOST_AUTO_TEST_CASE(numbers_are_plain) {
  const std::string text =
      written(ok_point("p", {{"N", integer(-67108864)}, {"FLAG", true}, {"T", element("float4")}},
                       {{"bandwidth", Origin::measured, -0.1}, {"time", Origin::emulated, 1e21}}));
  BOOST_TEST(text ==
             "pattern,N,FLAG,T,status,reason,stopped_by,verdict,time.emulated [us],"
             "bandwidth.measured [GB/s],notes\r\n"
             "p,-67108864,true,float4,ok,,noise,,1e+21,-0.1,\r\n");
}

BOOST_AUTO_TEST_CASE(headings_are_as_they_are_in_utf_8) {
  const std::string text = written(ok_point("p", {}, {{"temperature", Origin::measured, 45}}));
  BOOST_TEST(text ==
             "pattern,status,reason,stopped_by,verdict,temperature.measured [°C],notes\r\n"
             "p,ok,,noise,,45,\r\n");
}

BOOST_AUTO_TEST_CASE(no_text_is_a_formula_or_steers_a_terminal) {
  for (const char* begin : {"=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"}) {
    const std::string text =
        written(failed_point("p", {{"W", word((std::string(begin) + "1").c_str())}}, ""));
    const auto records = parse_csv(text);
    BOOST_REQUIRE(records.has_value());
    BOOST_TEST(records->at(1).at(1).front() == '\'', begin);
  }
  const std::string text =
      written(failed_point("p", {{"W", word("a\x1b[2J\xc2\x9b\u202e\xff")}}, ""));
  BOOST_TEST(text.find("a?[2J???,") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(text_that_looks_like_a_formula_is_kept_text) {
  const std::string text = written(failed_point("@p", {{"W", word("=1+1")}}, "-1,\"x\""));
  BOOST_TEST(text ==
             "pattern,W,status,reason,stopped_by,verdict,notes\r\n"
             "'@p,'=1+1,failed,\"'-1,\"\"x\"\"\",,,\r\n");
}

BOOST_AUTO_TEST_CASE(notes_stand_last) {
  StoredPoint point = ok_point("p", {}, {{"time", Origin::emulated, 1}});
  point.point.notes = {"executed 5 of 4096 blocks", "a, b"};
  BOOST_TEST(written(point) ==
             "pattern,status,reason,stopped_by,verdict,time.emulated [us],notes\r\n"
             "p,ok,,noise,,1,\"executed 5 of 4096 blocks; a, b\"\r\n");
}

BOOST_AUTO_TEST_CASE(counts_from_both_origins_have_their_difference) {
  const std::string text = written(ok_point("p", {},
                                            {{"load_sectors", Origin::hardware, 200},
                                             {"load_sectors", Origin::emulated, 201},
                                             {"l1_hit_rate", Origin::hardware, 50},
                                             {"l1_hit_rate", Origin::emulated, 45.5}}));
  BOOST_TEST(text ==
             "pattern,status,reason,stopped_by,verdict,load_sectors.hardware,load_sectors.emulated,"
             "l1_hit_rate.hardware [%],l1_hit_rate.emulated [%],load_sectors.difference [%],"
             "l1_hit_rate.difference [percentage points],notes\r\n"
             "p,ok,,noise,,200,201,50,45.5,0.5,-4.5,\r\n");
}

BOOST_AUTO_TEST_CASE(every_point_reads_back) {
  check_property([] {
    const RunResults results = arbitrary_results();
    const auto records = parse_csv(write_csv(results));
    RC_ASSERT(records.has_value());
    RC_ASSERT(records->size() == results.points.size() + 1);
    const Record& heading = records->front();

    std::vector<const PointRecord*> points;
    for (const StoredPoint& stored : results.points) points.push_back(&stored.point);
    const auto metrics = metric_columns(points);
    const std::vector<std::string> both = counted_twice(points);
    const std::size_t first_difference = heading.size() - 1 - both.size();
    const std::size_t first_metric = first_difference - metrics.size();
    RC_ASSERT(heading.back() == "notes");
    const std::size_t status = first_metric - 4;
    RC_ASSERT(heading[0] == "pattern" && heading[status] == "status");
    const Names parameters = parameter_names(results);
    RC_ASSERT(parameters.size() == status - 1);
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      RC_ASSERT(heading[1 + p] == guarded(parameters[p]));
    }

    for (std::size_t i = 0; i < points.size(); ++i) {
      const Record& record = records->at(i + 1);
      const PointRecord& point = *points[i];
      RC_ASSERT(record.size() == heading.size());
      RC_ASSERT(record[0] == guarded(point.key.pattern_name));
      RC_ASSERT(record[status] == (point.status == PointStatus::ok ? "ok" : "failed"));
      std::string notes;
      for (const std::string& note : point.notes)
        notes += (&note == point.notes.data() ? "" : "; ") + note;
      RC_ASSERT(record.back() == guarded(notes));
      RC_ASSERT(record[status + 1] == guarded(point.reason));
      RC_ASSERT(record[status + 2] == guarded(point.stopped_by));
      for (std::size_t p = 0; p < parameters.size(); ++p) {
        const Value* value = point.key.parameters.find(parameters[p]);
        RC_ASSERT(record[1 + p] == (value != nullptr ? guarded(*value) : std::string()));
      }
      for (std::size_t m = 0; m < metrics.size(); ++m) {
        RC_ASSERT(
            reads_as(record[first_metric + m], figure_of(point, metrics[m]), metrics[m].name));
      }
      for (std::size_t b = 0; b < both.size(); ++b) {
        RC_ASSERT(reads_as(record[first_difference + b], count_difference(point, both[b])));
      }
    }
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
