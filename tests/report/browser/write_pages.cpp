// write_pages FOLDER: the reports that the browser test opens.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "report/index/run_index.h"
#include "report/run_report.h"
#include "tests/report/example_results.h"
#include "tests/report/index_results.h"
#include "tests/report/page_results.h"
#include "tests/report/tuned_results.h"

namespace {

bool write_text(const std::filesystem::path& path, const std::string& page) {
  std::ofstream file(path, std::ios::binary);
  file << page;
  file.close();
  std::cout << path.filename().string() << ": " << page.size() / 1024 << " KiB\n";
  return file.good();
}

bool write_page(const std::filesystem::path& path, const sweep::RunResults& results) {
  return write_text(path, sweep::write_html(results));
}

/// Every kind of chart and scale.
sweep::RunResults charted_results() {
  sweep::RunResults results = sweep::testing::large_results(384, 3);
  results.layout = sweep::read_stored_sweep(R"(
report:
  charts:
    - {line: {x: BLOCK, y: bandwidth, series: T, x_scale: log2, y_scale: log2}, title: lines}
    - {line: {x: ITEMS, y: time, facet: T, x_scale: linear, y_scale: log10}, title: panels}
    - {bar: {x: T, y: bandwidth, series: BLOCK}, title: bars}
    - {bar: {x: BLOCK, y: load_sectors, facet: T, y_scale: log10}, title: bars with a log scale}
    - {heatmap: {x: BLOCK, y: ITEMS, value: bandwidth}, title: cells}
    - {heatmap: {x: BLOCK, y: T, value: time, value_scale: log2}, title: cells with a log scale}
    - {scatter: {x: time, y: bandwidth, series: T}, title: points}
    - {scatter: {x: bandwidth, y: load_sectors, facet: T, y_scale: linear}, title: panels of points}
)")
                       .report;
  return results;
}

}  // namespace

int main(int count, char** arguments) {
  using namespace sweep::testing;
  if (count != 2) {
    std::cerr << "usage: write_pages FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  sweep::RunResults stride = stride_results();
  for (sweep::StoredPoint& stored : stride.points) stored.point.key.pattern_text = tile_pattern();
  const bool all = write_page(folder / "stride.html", stride) &&
                   write_page(folder / "compared.html", compared_results()) &&
                   write_page(folder / "emulated.html", emulated_results()) &&
                   write_page(folder / "predicted.html", predicted_results()) &&
                   write_page(folder / "tuned.html", tuned_results()) &&
                   write_page(folder / "hostile.html", hostile_results()) &&
                   write_page(folder / "charts.html", charted_results()) &&
                   write_text(folder / "index.html", sweep::write_index_html(example_index())) &&
                   write_page(folder / "large.html", large_results(10000, 30));
  return all ? 0 : 1;
}
