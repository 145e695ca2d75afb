#include "tests/report/page_results.h"

#include <fmt/format.h>

#include <array>

#include "tests/report/example_results.h"

namespace sweep::testing {
namespace {

StoredPoint large_point(std::size_t i, std::size_t samples) {
  constexpr std::array types = {"float", "float2", "float4", "double"};
  const auto number = static_cast<std::int64_t>(i);
  const std::int64_t block = std::int64_t{32} << (number / 4 % 6);
  const std::int64_t items = 1 + number / 24 % 16;
  const std::int64_t stride = std::int64_t{1} << (number / 384 % 7);
  const double time = 100.0 + static_cast<double>(i * 7919 % 1000) * 0.37;
  StoredPoint stored =
      ok_point("copy",
               {{"T", element(types[i % types.size()])},
                {"BLOCK", integer(block)},
                {"ITEMS", integer(items)},
                {"STRIDE", integer(stride)},
                {"PAD", integer(number / 2688)},
                {"N", integer(64 << 20)}},
               {{"time", Origin::measured, time},
                {"time_low", Origin::measured, time * 0.99},
                {"time_high", Origin::measured, time * 1.01},
                {"noise", Origin::measured, 1},
                {"bandwidth", Origin::measured, 4e5 / time},
                {"percent_of_peak", Origin::measured, 4e5 / time / 48.14},
                {"load_sectors", Origin::hardware, 1e6 + static_cast<double>(i)},
                {"load_sectors", Origin::emulated, 1e6 + static_cast<double>(i)},
                {"load_efficiency", Origin::emulated, 100.0 / static_cast<double>(stride)}});
  stored.ordinal = number;
  for (std::size_t j = 0; j < samples; ++j) {
    const double noise = 1 + static_cast<double>((i * 31 + j * 17) % 100) * 1e-4;
    stored.point.samples.push_back({time * noise * 1e-6, 1.98e9});
  }
  return stored;
}

}  // namespace

std::string hostile_text() {
  return "</script></style></title><script>window.sweepWasHere = 1</script>"
         "<img src=x onerror='window.sweepWasHere = 2'>\"'><!-- \xe2\x80\xa8 {{7*7}} ${x} `x` "
         "\xe2\x80\xae javascript:alert(1) &lt; \xff\xfe\x01 constructor.constructor('x')()";
}

RunResults hostile_results() {
  RunResults results = stride_results();
  const std::string text = hostile_text();
  results.summary = text;
  Provenance& provenance = results.run.provenance;
  for (std::string* each :
       {&provenance.sweep_name, &provenance.sweep_text, &provenance.command, &provenance.host,
        &provenance.measure, &provenance.compiler, &provenance.device.name, &provenance.device.uuid,
        &provenance.device.driver, &results.run.started}) {
    *each = text;
  }
  results.run.notes = {text};
  for (StoredPoint& stored : results.points) {
    PointRecord& point = stored.point;
    point.key.pattern_name = text;
    point.key.pattern_text = "/* pattern:\nsummary: " + text + "\n*/\n" + text + "\n// " + text;
    point.key.parameters.set(text, word(text.c_str()));
    point.stopped_by = text;
    point.notes = {text};
    if (point.status == PointStatus::failed)
      point.reason = text;
    else
      point.metrics.push_back({text, Origin::hardware, 1});
  }
  // One more value, so that the name and the values are on axes and in legends.
  for (std::size_t i = 0; i < results.points.size(); i += 2) {
    results.points[i].point.key.parameters.set(text, word((text + "2").c_str()));
  }
  results.layout.tables = {layout({"STRIDE"}, {text}, {"bandwidth"}, {}, text),
                           layout({text}, {"T"}, {"bandwidth"}, {}, text)};
  return results;
}

RunResults large_results(std::size_t points, std::size_t samples) {
  RunResults results = stride_results();
  results.points.clear();
  for (std::size_t i = 0; i < points; ++i) results.points.push_back(large_point(i, samples));
  results.layout.tables = {layout({"STRIDE"}, {"T"}, {"bandwidth"})};
  return results;
}

std::string tile_pattern() {
  return "/* pattern:\n"
         "summary: A tile through shared memory\n"
         "parameters:\n"
         "  BLOCK: {default: 32}\n"
         "*/\n"
         "// Rows in, columns out.\n"
         "__global__ void stride(float* data) {\n"
         "  __shared__ float tile[32][32];\n"
         "  tile[threadIdx.y][threadIdx.x] = data[threadIdx.x];  /* \"quoted\" */\n"
         "  data[threadIdx.y] = tile[threadIdx.x][threadIdx.y];\n"
         "}\n";
}

}  // namespace sweep::testing
