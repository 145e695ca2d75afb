#include <algorithm>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>

#include "engine/store/points_view.h"
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
  BOOST_TEST(write_csv(RunResults{}) ==
             "pattern,status,reason,stopped_by,verdict,device,notes\r\n");
}

BOOST_AUTO_TEST_CASE(numbers_are_plain) {
  const std::string text =
      written(ok_point("p", {{"N", integer(-67108864)}, {"FLAG", true}, {"T", element("float4")}},
                       {{"bandwidth", Origin::measured, -0.1}, {"time", Origin::emulated, 1e21}}));
  BOOST_TEST(text ==
             "pattern,N,FLAG,T,status,reason,stopped_by,verdict,device,time.emulated,bandwidth,"
             "bandwidth_low,bandwidth_high,notes\r\n"
             "p,-67108864,true,float4,ok,,noise,,,1e+21,-0.1,,,\r\n");
}

BOOST_AUTO_TEST_CASE(the_interval_of_a_bandwidth_follows_from_that_of_the_time) {
  const std::string text = written(ok_point("p", {{"time", integer(1)}},
                                            {{"time", Origin::measured, 2},
                                             {"time_low", Origin::measured, 1},
                                             {"time_high", Origin::measured, 4},
                                             {"bandwidth", Origin::measured, 8}}));
  BOOST_TEST(text ==
             "pattern,parameter.time,status,reason,stopped_by,verdict,device,time,time_low,"
             "time_high,bandwidth,bandwidth_low,bandwidth_high,notes\r\n"
             "p,1,ok,,noise,,,2,1,4,8,4,16,\r\n");
}

BOOST_AUTO_TEST_CASE(json_lines_have_the_same_columns) {
  RunResults results;
  results.points = {ok_point("p", {{"N", integer(4)}, {"T", element("float4")}, {"F", true}},
                             {{"time", Origin::measured, std::nan("")},
                              {"load_sectors", Origin::emulated, INFINITY},
                              {"bottleneck", Origin::predicted, 0}})};
  results.run.provenance.device.name = "NVIDIA H200";
  BOOST_TEST(write_json_lines(results) ==
             R"({"pattern":"p","N":4,"T":"float4","F":true,"status":"ok","reason":null,)"
             R"("stopped_by":"noise","verdict":null,"device":"NVIDIA H200","time":null,)"
             R"("bottleneck.predicted":"launch","load_sectors.emulated":"inf","notes":null})"
             "\n");
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
             "pattern,W,status,reason,stopped_by,verdict,device,notes\r\n"
             "'@p,'=1+1,failed,\"'-1,\"\"x\"\"\",,,,\r\n");
}

BOOST_AUTO_TEST_CASE(notes_stand_last) {
  StoredPoint point = ok_point("p", {}, {{"time", Origin::emulated, 1}});
  point.point.notes = {"executed 5 of 4096 blocks", "a, b"};
  BOOST_TEST(written(point) ==
             "pattern,status,reason,stopped_by,verdict,device,time.emulated,notes\r\n"
             "p,ok,,noise,,,1,\"executed 5 of 4096 blocks; a, b\"\r\n");
}

BOOST_AUTO_TEST_CASE(counts_from_both_origins_have_their_difference) {
  const std::string text = written(ok_point("p", {},
                                            {{"load_sectors", Origin::hardware, 200},
                                             {"load_sectors", Origin::emulated, 201},
                                             {"l1_hit_rate", Origin::hardware, 50},
                                             {"l1_hit_rate", Origin::emulated, 45.5}}));
  BOOST_TEST(text ==
             "pattern,status,reason,stopped_by,verdict,device,load_sectors.hardware,"
             "load_sectors.emulated,l1_hit_rate.hardware,l1_hit_rate.emulated,"
             "load_sectors.difference,l1_hit_rate.difference,notes\r\n"
             "p,ok,,noise,,,200,201,50,45.5,0.5,-4.5,\r\n");
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
    RC_ASSERT(heading.back() == "notes" && heading.front() == "pattern");
    const Names parameters = parameter_names(results);
    const std::size_t status = 1 + parameters.size();
    RC_ASSERT(heading[status] == "status" && heading[status + 4] == "device");
    // Of names that are no identifiers a guarded one may read as another.
    std::set<std::string> names(parameters.begin(), parameters.end());
    for (const MetricColumn& metric : metrics) names.insert(metric.name);
    std::set<std::string> shown;
    for (const std::string& name : names) shown.insert(guarded(name));
    const std::set<Record::value_type> different(heading.begin(), heading.end());
    if (shown.size() == names.size()) RC_ASSERT(different.size() == heading.size());

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
      std::size_t column = status + 5;
      for (const MetricColumn& metric : metrics) {
        RC_ASSERT(reads_as(record[column++], figure_of(point, metric), metric.name));
        const bool has_interval =
            metric.origin == Origin::measured && has_interval_columns(metric.name);
        if (has_interval) column += 2;
      }
      for (const std::string& metric : both) {
        RC_ASSERT(reads_as(record[column++], count_difference(point, metric)));
      }
      RC_ASSERT(column + 1 == record.size());
    }
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
