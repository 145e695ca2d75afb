// Compares the emulator with the first GPU of this machine: every configuration of
// configurations.txt is executed on both, and the hardware's counters are read, for which CUPTI
// needs the permission. Writes the golden file and a table of both, and says what differs.
//   compare_with_gpu FOLDER GOLDEN.csv TABLE.md
// FOLDER is tests/emulator/hardware. A second table, TABLE.md.raw.csv, has the counters under
// NVIDIA's own names. The requests that the engine gives out are compared with the counters of
// requests too. Exit code: 0 equal, 1 not.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <fstream>
#include <iostream>

#include "tests/emulator/hardware/counted_requests.h"
#include "tests/emulator/hardware/emulated_outcome.h"
#include "tests/emulator/hardware/golden_file.h"
#include "tests/emulator/hardware/gpu_outcome.h"
#include "tests/emulator/hardware/markdown_table.h"

using namespace sweep;
using namespace sweep::testing;

namespace {

void write_raw(const std::string& path, const std::vector<ComparedConfiguration>& configurations,
               const GpuOutcomes& gpu) {
  std::ofstream out(path);
  out.precision(17);
  out << "configuration," << fmt::format("{}", fmt::join(gpu.metrics, ",")) << '\n';
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    out << configurations[i].text;
    for (const double value : gpu.values[i]) out << ',' << value;
    out << '\n';
  }
}

int compare(const std::string& folder, const std::string& golden, const std::string& table) {
  const auto begin = std::chrono::steady_clock::now();
  const auto say = [&](const std::string& what) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    std::cout << '[' << passed.count() << " s] " << what << std::endl;
  };
  const auto nvrtc = std::make_shared<Nvrtc>();
  const std::vector<ComparedConfiguration> configurations =
      compile_configurations(folder, nvrtc, true);
  say(fmt::format("{} configurations compiled", configurations.size()));
  const GpuOutcomes gpu = run_on_gpu(configurations);
  say("executed on " + gpu.device);
  GoldenFile file{gpu.device, nvrtc->version(), {}};
  std::ofstream markdown(table);
  markdown << markdown_header;
  int differing = 0;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const Outcome emulated = emulate(configurations[i].workload);
    markdown << markdown_row(configurations[i].text, gpu.outcomes[i], emulated);
    GoldenRow row{gpu.outcomes[i].counts, hashes_of(gpu.outcomes[i])};
    file.rows.emplace_back(configurations[i].text, std::move(row));
    const std::string different = differences(gpu.outcomes[i], emulated);
    if (different.empty()) continue;
    ++differing;
    std::cout << configurations[i].text << '\n' << different;
  }
  write_golden_file(golden, file);
  write_raw(table + ".raw.csv", configurations, gpu);
  say(fmt::format("{} of {} configurations differ", differing, configurations.size()));
  const std::vector<std::string> requests = differing_requests(configurations);
  for (const std::string& line : requests) std::cout << line << '\n';
  say(fmt::format("{} counts of requests differ from the counters of requests", requests.size()));
  return differing == 0 && requests.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: compare_with_gpu FOLDER GOLDEN.csv TABLE.md\n";
    return 2;
  }
  try {
    return compare(argv[1], argv[2], argv[3]);
  } catch (const std::exception& error) {
    std::cerr << "compare_with_gpu: " << error.what() << '\n';
    return 1;
  }
}
