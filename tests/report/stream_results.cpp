#include "tests/report/stream_results.h"

#include <fmt/format.h>

#include "tests/report/example_results.h"

namespace sweep::testing {
namespace {

constexpr std::int64_t elements = 64 << 20;

RunResults empty_run() {
  RunResults results = stride_results();
  results.points.clear();
  results.layout = {};
  Provenance& provenance = results.run.provenance;
  provenance.sweep_name = "streams";
  provenance.command = "sweep run sweeps/streams.yaml";
  provenance.sweep_text =
      "summary: Streams\npatterns: [copy, read]\n"
      "measure: {cache: warm, noise: 0.25 %, samples: {min: 5, max: 50}, counters: [memory, "
      "l1tex__t_sectors.sum]}\n";
  results.summary = "Streams";
  return results;
}

void add(RunResults& results, StoredPoint point) {
  point.ordinal = static_cast<std::int64_t>(results.points.size()) * 10;
  results.points.push_back(std::move(point));
}

}  // namespace

std::string stream_pattern(const std::string& name) {
  return fmt::format(R"(/* pattern:
summary: A stream
parameters:
  T: {{type: element, default: float}}
  BLOCK: {{default: 256, min: 32, max: 1024}}
  ITEMS: 1
  STREAMING: {{type: boolean, default: false}}
  N: 64 Mi
  GRID: N / (BLOCK * ITEMS)
buffers:
  data: {{type: T, length: N}}
launch: {{grid: GRID, block: BLOCK}}
useful: {{read: N * sizeof(T)}}
verify: "true"
*/
__global__ void {}(T* data) {{}}
)",
                     name);
}

StoredPoint stream_point(const std::string& pattern, const char* type, std::int64_t block,
                         std::int64_t items, bool streaming, double bandwidth) {
  StoredPoint stored = ok_point(pattern,
                                {{"T", element(type)},
                                 {"BLOCK", integer(block)},
                                 {"ITEMS", integer(items)},
                                 {"STREAMING", Value(streaming)},
                                 {"N", integer(elements)},
                                 {"GRID", integer(elements / (block * items))}},
                                {{"time", Origin::measured, 5e5 / bandwidth},
                                 {"time_low", Origin::measured, 4.99e5 / bandwidth},
                                 {"time_high", Origin::measured, 5.01e5 / bandwidth},
                                 {"bandwidth", Origin::measured, bandwidth}});
  stored.point.key.pattern_text = stream_pattern(pattern);
  return stored;
}

RunResults tuned_streams() {
  RunResults results = empty_run();
  add(results, stream_point("copy", "float", 256, 1, false, 2500));
  add(results, stream_point("copy", "float", 128, 4, true, 3000.5));
  add(results, stream_point("copy", "float4", 256, 1, false, 4000));
  add(results, stream_point("copy", "float4", 512, 1, true, 4263));
  TuningRecord tuning;
  tuning.metric = "bandwidth";
  tuning.strategy = "forest";
  tuning.seed = 7;
  tuning.for_each = {"T"};
  for (const char* type : {"float", "float4", "half"}) {
    TunedGroup group;
    group.group.set("T", element(type));
    group.configurations = 1200;
    group.tried = 200;
    tuning.groups.push_back(group);
  }
  tuning.groups[0].winner = 10;
  tuning.groups[0].figure = 3000.5;
  tuning.groups[1].winner = 30;
  tuning.groups[1].figure = 4263;
  tuning.groups[1].figure_low = 4257;
  tuning.groups[1].figure_high = 4266;
  tuning.groups[1].rounds = 12;
  tuning.groups[1].gain = 1.0658;
  tuning.groups[1].gain_low = 1.06;
  tuning.groups[1].gain_high = 1.07;
  results.run.tuning = tuning;
  return results;
}

RunResults measured_streams() {
  RunResults results = empty_run();
  add(results, stream_point("copy", "float", 256, 1, false, 2500));
  add(results, stream_point("copy", "float4", 512, 1, false, 4263));
  add(results, stream_point("read", "float", 256, 4, false, 4600));
  add(results, stream_point("read", "float4", 512, 1, false, 4500));
  return results;
}

}  // namespace sweep::testing
