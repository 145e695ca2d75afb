#include "tests/report/example_results.h"

#include <algorithm>
#include <array>

namespace sweep::testing {
namespace {

Provenance gpu_provenance() {
  return {.sweep_name = "stride",
          .sweep_text = "",
          .command = "sweep run sweeps/stride.yaml --set 'STRIDE=1,2,8,32'",
          .engine_version = "0.1.0",
          .compiler = "NVRTC 13.0",
          .host = "bench-1",
          .measure = "cache: cold, noise: 0.5 %, samples: 10..1000, seconds: 0.5",
          .device = {.backend = "cuda",
                     .name = "NVIDIA H200",
                     .uuid = "GPU-00000000-0000-0000-0000-000000000001",
                     .compute_capability = 90,
                     .multiprocessors = 132,
                     .l2_bytes = 60ull << 20,
                     .memory_bytes = 139ull << 30,
                     .memory_clock_hz = 3201000000,
                     .memory_bus_bits = 6016,
                     .driver = "580.159.04",
                     .cuda = "13.0"}};
}

RunRecord finished_run(std::int64_t id) {
  return {.id = id,
          .provenance = gpu_provenance(),
          .started = "2025-01-31T12:00:00Z",
          .finished = "2025-01-31T12:05:30Z",
          .state = RunState::finished};
}

StoredPoint make_point(const std::string& pattern, Parameters parameters) {
  StoredPoint stored;
  stored.measured_by = 3;
  stored.point.key.pattern_name = pattern;
  for (const auto& [name, value] : parameters) stored.point.key.parameters.set(name, value);
  return stored;
}

/// A plausible figure: strided access falls as 1 / min(STRIDE, 8) and a little with the block.
StoredPoint stride_point(std::int64_t stride, const char* type, std::int64_t block) {
  const double share = static_cast<double>(std::min<std::int64_t>(stride, 8));
  const double fill = block == 256 ? 1.0 : 0.96875;
  const double bandwidth = (std::string(type) == "float" ? 2738.0 : 2801.5) / share * fill;
  return ok_point("stride",
                  {{"T", element(type)},
                   {"STRIDE", integer(stride)},
                   {"BLOCK", integer(block)},
                   {"N", integer(64 << 20)}},
                  {{"time", Origin::measured, 536870.912 / bandwidth},
                   {"noise", Origin::measured, 0.125},
                   {"bandwidth", Origin::measured, bandwidth},
                   {"percent_of_peak", Origin::measured, bandwidth / 48.14304}});
}

}  // namespace

StoredPoint ok_point(const std::string& pattern, Parameters parameters,
                     std::vector<Metric> metrics) {
  StoredPoint stored = make_point(pattern, parameters);
  stored.point.stopped_by = "noise";
  stored.point.metrics = std::move(metrics);
  return stored;
}

StoredPoint failed_point(const std::string& pattern, Parameters parameters,
                         const std::string& reason) {
  StoredPoint stored = make_point(pattern, parameters);
  stored.point.status = PointStatus::failed;
  stored.point.reason = reason;
  return stored;
}

TableLayout layout(Names rows, Names columns, Names values, const std::string& where,
                   const std::string& title) {
  TableLayout layout;
  layout.rows = std::move(rows);
  layout.columns = std::move(columns);
  layout.values = std::move(values);
  layout.title = title;
  if (where.empty()) return layout;
  Diagnostics diagnostics;
  const auto source = std::make_shared<Source>(Source{"where", where});
  layout.where = Expression::parse(where, {source, 1, 1, where.size()}, diagnostics);
  if (!layout.where) throw InputError(diagnostics);
  return layout;
}

RunResults stride_results() {
  RunResults results;
  results.summary = "Bandwidth against stride, for two element types";
  results.run = finished_run(3);
  for (const char* type : {"float", "double"}) {
    for (const std::int64_t stride : {1, 2, 8, 32}) {
      for (const std::int64_t block : {128, 256}) {
        results.points.push_back(stride_point(stride, type, block));
      }
    }
  }
  results.points.front().measured_by = 1;
  const std::string memory = "out of memory: data needs 16 GiB, the device has 15.2 GiB free";
  for (auto& stored : results.points) {
    const Bindings parameters = stored.point.key.parameters;
    if (*parameters.find("STRIDE") != integer(32) || *parameters.find("T") != element("double")) {
      continue;
    }
    stored = failed_point("stride", {}, memory);
    stored.point.key.parameters = parameters;
  }
  results.points[5] = failed_point("stride",
                                   {{"T", element("float")},
                                    {"STRIDE", integer(8)},
                                    {"BLOCK", integer(256)},
                                    {"N", integer(64 << 20)}},
                                   "patterns/stride.cu:18:3: error: identifier \"x\" is undefined\n"
                                   "    x[i * STRIDE] += T(1);\n"
                                   "    ^\n");
  results.layout.tables = {layout({"STRIDE"}, {"T"}, {"bandwidth"}),
                           layout({"STRIDE", "BLOCK"}, {}, {"percent_of_peak"},
                                  "T == float && STRIDE < 32", "Share of the peak, float")};
  return results;
}

RunResults compared_results() {
  RunResults results;
  results.run = finished_run(1);
  results.run.provenance.seed = 1234567890123456789;
  results.run.notes = {"another process uses the GPU: 1234 (python)"};
  results.run.anchors = {{0, 2, 200e-6, 199e-6, 201e-6, 1.98e9, 45},
                         {0, 62, 206e-6, 205e-6, 207e-6, 1.755e9, 72}};
  results.run.comparisons = {
      {1, 12, 1, 1, 1}, {0, 12, 0.998, 1.001, 1.004}, {2, 12, 1.01, 1.02, 1.03}};
  std::int64_t ordinal = 0;
  for (const char* pattern : {"copy", "read"}) {
    for (const std::int64_t block : {128, 256, 512, 1024}) {
      const double time = 200.0 + 5.0 * static_cast<double>(ordinal % 4);
      const double sectors = 1000.0 * static_cast<double>(block);
      StoredPoint stored = ok_point(pattern, {{"BLOCK", integer(block)}},
                                    {{"time", Origin::measured, time},
                                     {"time_low", Origin::measured, time - 3},
                                     {"time_high", Origin::measured, time + 3},
                                     {"bandwidth", Origin::measured, 8e5 / time},
                                     {"load_sectors", Origin::hardware, sectors},
                                     {"load_sectors", Origin::emulated, sectors + 4 * time},
                                     {"l2_hit_rate", Origin::hardware, 50},
                                     {"l2_hit_rate", Origin::emulated, 45}});
      stored.measured_by = 1;
      stored.ordinal = ordinal++;
      stored.point.samples = {{time * 1e-6, 1.98e9},
                              {time * 2e-6, 1.98e9, SampleMark::outlier},
                              {time * 3e-6, 1.2e9, SampleMark::low_clock}};
      results.points.push_back(std::move(stored));
    }
  }
  results.points[3].point.stopped_by = "seconds";
  return results;
}

RunResults predicted_results() {
  RunResults results;
  results.run = finished_run(1);
  // How far off a prediction is, in turn.
  constexpr std::array errors = {1.02, 0.94, 1.25, 0.98, 1.6};
  std::size_t turn = 0;
  for (const char* pattern : {"copy", "gather"}) {
    for (std::int64_t stride = 1; stride <= 2048; stride *= 2) {
      const double time = (pattern == std::string("copy") ? 1.5 : 4) * static_cast<double>(stride);
      const double predicted = time * errors.at(turn++ % errors.size());
      results.points.push_back(ok_point(pattern, {{"STRIDE", integer(stride)}},
                                        {{"time", Origin::measured, time},
                                         {"time_low", Origin::measured, time * 0.99},
                                         {"time_high", Origin::measured, time * 1.01},
                                         {"time", Origin::predicted, predicted},
                                         {"time_low", Origin::predicted, predicted * 0.7},
                                         {"time_high", Origin::predicted, predicted * 1.35}}));
    }
  }
  results.points.back().point.metrics.resize(3);
  results.points.push_back(failed_point("gather", {{"STRIDE", integer(4096)}}, "out of memory"));
  for (StoredPoint& stored : results.points) stored.measured_by = 1;
  return results;
}

RunResults emulated_results() {
  RunResults results;
  results.run.id = 1;
  results.run.started = "2025-01-31T12:00:00Z";
  results.run.finished = "2025-01-31T12:00:02Z";
  results.run.state = RunState::interrupted;
  Provenance& provenance = results.run.provenance;
  provenance.sweep_name = "odd `names` | and *more*";
  provenance.command = "sweep run 'odd `names` | and *more*.yaml'";
  provenance.engine_version = "0.1.0";
  provenance.compiler = "NVRTC 12.4";
  provenance.device.backend = "emulator";
  provenance.device.name = "emulator";
  provenance.device.compute_capability = 90;
  const std::vector<Metric> even = {{"useful_bytes", Origin::emulated, 4194304},
                                    {"l1tex__t_sectors.sum", Origin::emulated, 131072.5}};
  std::vector<Metric> odd = even;
  odd[1].value = 1e-7;
  for (auto stored : {ok_point("copy", {{"BLOCK", integer(128)}, {"KIND", word("a|b")}}, even),
                      ok_point("copy", {{"BLOCK", integer(128)}, {"KIND", word("=1+1")}}, odd),
                      ok_point("tile__x__", {{"BLOCK", integer(128)}, {"PAD", integer(-1)}}, even),
                      failed_point("tile__x__", {{"BLOCK", integer(128)}, {"PAD", integer(1)}},
                                   "has ``` and, \"quotes\"\r\nand a line")}) {
    stored.measured_by = 1;
    results.points.push_back(std::move(stored));
  }
  results.points[0].point.notes = {"executed 5 of *4096* blocks"};
  results.points[1].point.notes = {"executed 5 of *4096* blocks", "followed no cache"};
  results.expectations = read_stored_sweep(
                             "expect:\n"
                             "  - {check: useful_bytes == 4 Mi, where: pattern == 'copy'}\n"
                             "  - useful_bytes < 4 Mi - BLOCK\n"
                             "  - load_efficiency >= 80 %\n")
                             .expect;
  return results;
}

}  // namespace sweep::testing
