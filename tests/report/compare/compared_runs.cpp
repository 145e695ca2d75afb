#include "tests/report/compare/compared_runs.h"

namespace sweep::testing {

ComparedRun run_of(const std::string& label, std::vector<StoredPoint> points) {
  ComparedRun run;
  run.label = label;
  run.results = stride_results();
  run.results.points = std::move(points);
  for (std::size_t i = 0; i < run.results.points.size(); ++i) {
    run.results.points[i].ordinal = static_cast<std::int64_t>(i);
  }
  return run;
}

StoredPoint timed_point(Parameters parameters, double time, double share) {
  return ok_point("p", parameters,
                  {{"time", Origin::measured, time},
                   {"time_low", Origin::measured, time * (1 - share)},
                   {"time_high", Origin::measured, time * (1 + share)},
                   {"bandwidth", Origin::measured, 1e6 / time},
                   {"sm_clock", Origin::measured, 1980}});
}

StoredPoint counted_point(Parameters parameters, double load_sectors, double instructions) {
  return ok_point("p", parameters,
                  {{"load_sectors", Origin::emulated, load_sectors},
                   {"store_sectors", Origin::emulated, 0},
                   {"instructions", Origin::emulated, instructions}});
}

RunComparison example_comparison() {
  std::vector<StoredPoint> before;
  std::vector<StoredPoint> after;
  for (const char* type : {"float", "double"}) {
    for (const std::int64_t stride : {1, 2, 8, 16}) {
      for (const std::int64_t block : {128, 256}) {
        const Parameters parameters = {{"T", element(type)},
                                       {"STRIDE", integer(stride)},
                                       {"BLOCK", integer(block)},
                                       {"N", integer((64 << 20) / stride)}};
        const double time = 100.0 * static_cast<double>(stride);
        const bool slower = std::string(type) == "double" && stride >= 8;
        before.push_back(timed_point(parameters, time));
        after.push_back(timed_point(parameters, slower ? time * 1.12 : time * 1.002));
      }
    }
  }
  after[0] = timed_point({{"T", element("float")},
                          {"STRIDE", integer(1)},
                          {"BLOCK", integer(128)},
                          {"N", integer(64 << 20)}},
                         80);
  after[1].point.metrics[1].value *= 0.9;
  after.pop_back();
  const auto fail = [](StoredPoint& stored, const char* reason) {
    stored.point.status = PointStatus::failed;
    stored.point.reason = reason;
    stored.point.metrics.clear();
  };
  after[2] = before[2];
  fail(after[2], "<script>alert('1')</script> | *wrong* \"result\" & more\nin a second line");
  fail(before[5], "out of memory");
  after.push_back(timed_point(
      {{"T", element("half")}, {"STRIDE", integer(1)}, {"BLOCK", integer(128)}, {"N", integer(1)}},
      50));
  ComparedRun a = run_of("before.db:1", std::move(before));
  ComparedRun b = run_of("after <1> & *2*.db:2", std::move(after));
  a.results.run.anchors = {{0, 1, 100e-6, 99e-6, 101e-6, 1.98e9, 40}};
  b.results.run.anchors = {{0, 1, 101e-6, 99e-6, 102e-6, 1.98e9, 40}};
  b.results.run.id = 2;
  b.results.run.provenance.measure = "cache: warm, noise: 0.5 %, samples: 10..1000, seconds: 0.5";
  b.results.points[0].point.key.pattern_text = "changed";
  return compare_runs(std::move(a), std::move(b));
}

RunComparison counted_comparison() {
  std::vector<StoredPoint> before;
  std::vector<StoredPoint> after;
  for (const std::int64_t pad : {0, 1, 2, 3}) {
    before.push_back(counted_point({{"PAD", integer(pad)}}, 4096));
    after.push_back(counted_point({{"PAD", integer(pad)}},
                                  pad == 1   ? 8192
                                  : pad == 2 ? 2048
                                             : 4096,
                                  pad == 1 ? 1010 : 1000));
  }
  after[3].point.metrics.push_back({"atomic_sectors", Origin::emulated, 32});
  return compare_runs(run_of("a.db:1", std::move(before)), run_of("b.db:1", std::move(after)));
}

Expression condition(const std::string& text) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<Source>(Source{"--where", text});
  auto expression = Expression::parse(text, {source, 1, 1, text.size()}, diagnostics);
  if (!expression) throw InputError(diagnostics);
  return std::move(*expression);
}

}  // namespace sweep::testing
