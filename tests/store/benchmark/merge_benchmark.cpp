// What merging the databases of a sweep's shards costs: time, size and memory.
//
//   merge_benchmark [SHARDS [POINTS [SAMPLES]]]
//
// The databases have so many points each, with so many samples: 64, 100,000 and none, which is what
// the emulator gives.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <vector>

#include "engine/store/merge.h"
#include "engine/store/sqlite.h"
#include "engine/store/store.h"
#include "engine/text/units.h"
#include "tests/temporary_folder.h"

using namespace sweep;

namespace {

namespace fs = std::filesystem;

struct Load {
  std::uint64_t shards = 64;
  std::uint64_t points = 100'000;  ///< of a shard
  std::size_t samples = 0;         ///< of a point
};

PointRecord example_point(std::uint64_t number, std::size_t samples) {
  PointRecord point;
  point.key = {"stride",
               "__global__ void stride(T* a) {}\n",
               {},
               "cache: cold, noise: 0.5 %, samples: 10..1000, seconds: 0.5",
               "cuda NVIDIA H200 GPU-00000000-0000-0000-0000-000000000001",
               "NVRTC 13.0, sweep 0.1.0"};
  for (const char* name : {"STRIDE", "BLOCK", "ITEMS", "BYTES", "SHIFT"}) {
    point.key.parameters.set(name, static_cast<std::int64_t>(number));
  }
  point.stopped_by = "noise";
  for (std::size_t i = 0; i < samples; ++i) {
    point.samples.push_back({1e-3 + 1e-9 * static_cast<double>(number + i), 1.98e9});
  }
  for (const std::string& name : metric_names()) {
    if (point.metrics.size() == 20) break;
    point.metrics.push_back(
        {name, Origin::measured, 1234.5678 + static_cast<double>(number % 1000)});
  }
  return point;
}

/// The first shard's database, as a run writes it.
void write_first(const fs::path& path, const Load& load) {
  Store store(path, Store::Mode::read_write);
  Provenance provenance;
  provenance.sweep_name = "stride";
  provenance.sweep_text = "pattern: stride\n";
  provenance.device.backend = "cuda";
  provenance.device.name = "NVIDIA H200";
  provenance.share = {1, load.shards, load.shards * load.points, 0, "space", {}};
  const std::int64_t run = store.begin_run(provenance);
  for (std::uint64_t i = 0; i < load.points; ++i) {
    store.add_point(run, static_cast<std::int64_t>(i * load.shards),
                    example_point(i, load.samples));
  }
  store.end_run(run, RunState::finished);
}

/// Another's: a copy with points and places of its own.
void write_other(const fs::path& first, const fs::path& path, std::uint64_t shard) {
  fs::copy_file(first, path);
  sqlite::Database database(path, sqlite::Access::write);
  database.execute(fmt::format(R"sql(
      PRAGMA synchronous = OFF;
      BEGIN;
      UPDATE run_share SET uid = 'run {0}', shard = {0};
      UPDATE run_point SET ordinal = ordinal + {0} - 1;
      UPDATE point SET key_hash = lower(hex(randomblob(16))), parameters =
        replace(parameters, '}}', ',"SHARD":{0}}}');
      COMMIT)sql",
                               shard));
}

void merge(const std::vector<fs::path>& sources, const fs::path& output) {
  const std::atomic<bool> stop = false;
  merge_databases({sources, output, "sweep merge", stop});
}

std::uint64_t bytes_of(const std::vector<fs::path>& files) {
  std::uint64_t bytes = 0;
  for (const fs::path& file : files) bytes += fs::file_size(file);
  return bytes;
}

/// Merges in a process of its own, and prints a row of the table.
void time_merge(const std::vector<fs::path>& sources, const fs::path& output, const Load& load) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t process = fork();
  if (process == 0) {
    merge(sources, output);
    std::_Exit(0);
  }
  int status = 0;
  rusage used = {};
  wait4(process, &status, 0, &used);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("| {} | {} | {} | {:.2f} | {:.1f} | {} |\n", sources.size(),
             format_thousands(load.points * sources.size()), format_bytes(bytes_of(sources)),
             seconds, 1e6 * seconds / static_cast<double>(load.points * sources.size()),
             format_bytes(static_cast<std::uint64_t>(used.ru_maxrss) << 10U));
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  Load load;
  if (count > 1) load.shards = std::strtoull(words[1], nullptr, 10);
  if (count > 2) load.points = std::strtoull(words[2], nullptr, 10);
  if (count > 3) load.samples = std::strtoull(words[3], nullptr, 10);
  const TemporaryFolder folder;
  std::vector<fs::path> sources;
  for (std::uint64_t shard = 1; shard <= load.shards; ++shard) {
    sources.push_back(folder.path() / fmt::format("stride.{}-of-{}.db", shard, load.shards));
    if (shard == 1) write_first(sources.back(), load);
    if (shard > 1) write_other(sources.front(), sources.back(), shard);
  }
  fmt::print(
      "| databases | points | size | s | us a point | most memory |\n"
      "|---:|---:|---:|---:|---:|---:|\n");
  for (std::size_t some = 1; some <= sources.size(); some *= 4) {
    time_merge({sources.begin(), sources.begin() + static_cast<std::ptrdiff_t>(some)},
               folder.path() / "all.db", load);
    fs::remove(folder.path() / "all.db");
  }
  return 0;
}
