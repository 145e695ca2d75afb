#include "engine/predict/timing_profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/spec/map_reader.h"
#include "engine/text/embedded_file.h"

namespace sweep {

std::span<const EmbeddedFile> gpu_profiles();

namespace {

using Profile = TimingProfile;

constexpr TimingKey keys[] = {
    {"peak_bandwidth", "GB/s", &Profile::peak_bandwidth,
     "device memory's theoretical peak: its clock times its width"},
    {"clock", "MHz", &Profile::clock, "clock of the multiprocessors under load"},
    {"launch", "us", &Profile::launch, "a launch that has nothing to do"},
    {"cold_launch", "us", &Profile::cold_launch,
     "what it takes longer where the caches have nothing, its code included"},
    {"block", "ns", &Profile::block, "time between the starts of two blocks on the whole GPU"},
    {"dram_read", "GB/s", &Profile::dram_read, "reads from device memory"},
    {"dram_write", "GB/s", &Profile::dram_write, "writes to device memory"},
    {"dram_turn", "%", &Profile::dram_turn,
     "how much longer both take where as much is read as written", true},
    {"l2_read", "GB/s", &Profile::l2_read, "reads from L2"},
    {"l2_write", "GB/s", &Profile::l2_write, "writes to L2"},
    {"dram_region", "ns", &Profile::dram_region,
     "what comes to a 256-byte region of device memory, however few of its bytes it wants"},
    {"atomic_same", "ns", &Profile::atomic_same,
     "an atomic operation of a thread where all are on one address"},
    {"atomic_sector", "ns", &Profile::atomic_sector,
     "a sector of atomic operations where each is on another one"},
    {"l1_wavefront", "cycles", &Profile::l1_wavefront, "a pass through the L1 cache"},
    {"shared_wavefront", "cycles", &Profile::shared_wavefront,
     "a pass through shared memory's banks"},
    {"l1_latency", "cycles", &Profile::l1_latency, "a load that L1 has"},
    {"l2_latency", "cycles", &Profile::l2_latency, "a load that L2 has, mean of its parts"},
    {"l2_near_latency", "cycles", &Profile::l2_near_latency,
     "an atomic operation on a line whose home is the near half of L2", true},
    {"l2_far_latency", "cycles", &Profile::l2_far_latency, "the same of the far half", true},
    {"dram_latency", "cycles", &Profile::dram_latency, "a load that device memory has"},
    {"sector", "cycles", &Profile::sector, "what each sector of a request adds to its latency"},
    {"shared_latency", "cycles", &Profile::shared_latency, "a load from shared memory"},
    {"barrier", "cycles", &Profile::barrier, "a barrier of the block"},
    {"barrier_warp", "cycles", &Profile::barrier_warp, "what each of its warps adds to that"},
    {"step", "cycles", &Profile::step, "an instruction that needs the result of the one before"},
    {"turnover", "cycles", &Profile::turnover, "from a block's end to the next one's first warp"},
    {"turnover_warp", "cycles", &Profile::turnover_warp, "what each of its warps adds to that"},
    {"tensor", "operations/cycle", &Profile::tensor,
     "multiply-adds of halves by a multiprocessor's tensor cores"},
    {"issue", "cycles", &Profile::issue, "between two instructions of a quarter's scheduler"},
    {"alu", "cycles", &Profile::alu, "a warp's integer or logic instruction"},
    {"fma", "cycles", &Profile::fma, "a warp's multiply-add of floats or integers"},
    {"fp64", "cycles", &Profile::fp64, "a warp's instruction on doubles"},
    {"special", "cycles", &Profile::special, "a warp's reciprocal, root, exponential or sine"},
    {"spread_memory", "%", &Profile::spread_memory,
     "90 % of the predictions of kernels bound by device memory are as near"},
    {"spread_cache", "%", &Profile::spread_cache, "the same of L2, L1 and shared memory"},
    {"spread_pipes", "%", &Profile::spread_pipes, "the same of instructions"},
    {"spread_latency", "%", &Profile::spread_latency, "the same of latencies and launches"},
};

constexpr Key constant_keys[] = {
    {"value", ValueForm::plain, "", true},
    {"low", ValueForm::plain, "", true},
    {"high", ValueForm::plain, "", true},
    {"from", ValueForm::plain, ""},
};

std::vector<Key> keys_of_times() {
  std::vector<Key> all = {{"origin", ValueForm::plain, "", true},
                          {"date", ValueForm::plain, ""},
                          {"driver", ValueForm::plain, ""}};
  for (const TimingKey& key : keys) {
    all.push_back({key.name, ValueForm::map, "", !key.is_optional, constant_keys});
  }
  return all;
}

void read_constant(const MapReader& times, const TimingKey& key, TimingProfile& profile,
                   Diagnostics& diagnostics) {
  constexpr DecimalRange range = {0, 1e9};
  const std::string example =
      fmt::format("{}: {{value: 2, low: 1.9, high: 2.1}}, in {}", key.name, key.unit);
  const YamlNode* node = key.is_optional ? times.find(key.name) : times.require(key.name, example);
  if (node == nullptr) return;
  const MapReader reader(*node, fmt::format("'{}'", key.name), constant_keys, diagnostics);
  TimingConstant& constant = profile.*key.constant;
  const auto read = [&](std::string_view name, double& figure) {
    if (reader.require(name, example) == nullptr) return;
    reader.decimal(name, figure, range, "a number from 0 to 1e9", example.c_str());
  };
  read("value", constant.value);
  read("low", constant.low);
  read("high", constant.high);
  constant.from = reader.text("from");
  if (constant.low <= constant.value && constant.value <= constant.high) return;
  diagnostics.error(node->where, fmt::format("'{}' is not between its 'low' and 'high'", key.name));
}

/// A number with at least four digits.
std::string figure_text(double figure) {
  return figure < 1000 ? fmt::format("{:.4g}", figure) : fmt::format("{:.0f}", figure);
}

}  // namespace

std::span<const TimingKey> timing_keys() {
  return keys;
}

std::optional<TimingProfile> read_timing_profile(const SourcePtr& source) {
  Diagnostics diagnostics;
  const auto node = read_yaml(source, diagnostics);
  if (!node) throw InputError(std::move(diagnostics));
  TimingProfile profile;
  const YamlNode* times = node->is_map() ? node->find("times") : nullptr;
  if (times == nullptr) return std::nullopt;
  const std::vector<Key> table = keys_of_times();
  const MapReader reader(*times, "'times'", table, diagnostics);
  if (times->is_map()) {
    if (const YamlNode* name = node->find("name")) profile.gpu = name->text;
    reader.require("origin", "origin: measured");
    profile.origin = reader.text("origin");
    profile.date = reader.text("date");
    profile.driver = reader.text("driver");
    for (const TimingKey& key : keys) read_constant(reader, key, profile, diagnostics);
  }
  if (diagnostics.has_errors()) throw InputError(std::move(diagnostics));
  return profile;
}

std::string times_text(const TimingProfile& profile) {
  std::string text = "times:\n";
  for (const auto& [name, value] : {std::pair("origin", &profile.origin),
                                    {"date", &profile.date},
                                    {"driver", &profile.driver}}) {
    if (!value->empty()) text += fmt::format("  {}: {}\n", name, *value);
  }
  for (const TimingKey& key : keys) {
    const TimingConstant& constant = profile.*key.constant;
    if (key.is_optional && constant.value == 0) continue;
    text += fmt::format("  {}: {{value: {}, low: {}, high: {}{}}}  # {}\n", key.name,
                        figure_text(constant.value), figure_text(constant.low),
                        figure_text(constant.high),
                        constant.from.empty() ? "" : ", from: " + constant.from, key.unit);
  }
  return text;
}

std::vector<std::string> shipped_profile_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : gpu_profiles()) names.emplace_back(file.name);
  return names;
}

SourcePtr shipped_profile(std::string_view name) {
  const auto found = std::ranges::find(gpu_profiles(), name, &EmbeddedFile::name);
  if (found == gpu_profiles().end()) return nullptr;
  return std::make_shared<Source>(
      Source{fmt::format("the profile {}", name), std::string(found->text)});
}

}  // namespace sweep
