#include "engine/emulator/cache/device_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <variant>

#include "engine/spec/map_reader.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// The sizes that the shared memory's part of a unified memory can have, in KiB (CUDA C++
/// Programming Guide, "Shared Memory" of each capability).
std::span<const unsigned> shared_divisions(int compute_capability) {
  static constexpr std::array fermi = {16U, 48U};
  static constexpr std::array kepler = {16U, 32U, 48U};
  static constexpr std::array large_kepler = {80U, 96U, 112U};
  static constexpr std::array volta = {0U, 8U, 16U, 32U, 64U, 96U};
  static constexpr std::array turing = {32U, 64U};
  static constexpr std::array later = {0U, 8U, 16U, 32U, 64U, 100U, 132U, 164U, 196U, 228U};
  if (compute_capability == 37) return large_kepler;
  if (compute_capability == 75) return turing;
  const int major = compute_capability / 10;
  if (major == 2) return fermi;
  if (major == 3) return kepler;
  if (major == 7) return volta;
  return later;
}

}  // namespace

std::string dotted(int compute_capability) {
  return fmt::format("{}.{}", compute_capability / 10, compute_capability % 10);
}

/// Well-known GPUs: capability, multiprocessors, threads and blocks of one, threads of a block,
/// shared memory of both, L1, whether that is unified, L2, and what differs from the usual: bytes
/// fetched, registers of a multiprocessor and of a block. 1.x has no caches for global memory; 5.x
/// and 6.x have shared memory of their own beside a joint L1 and texture cache.
const std::vector<DeviceProfile>& builtin_profiles() {
  static const std::vector<DeviceProfile> all = {
      {"GeForce 8800 GTX", 10, 16, 768, 8, 512, 16 * Ki, 16 * Ki, 0, false, 0, 32, 8 * Ki, 8 * Ki},
      {"GeForce 9800 GTX", 11, 16, 768, 8, 512, 16 * Ki, 16 * Ki, 0, false, 0, 32, 8 * Ki, 8 * Ki},
      {"GeForce GT 240", 12, 12, 1024, 8, 512, 16 * Ki, 16 * Ki, 0, false, 0, 32, 16 * Ki, 16 * Ki},
      {"Tesla C1060", 13, 30, 1024, 8, 512, 16 * Ki, 16 * Ki, 0, false, 0, 32, 16 * Ki, 16 * Ki},
      {"Tesla C2050", 20, 14, 1536, 8, 1024, 48 * Ki, 48 * Ki, 64 * Ki, true, 768 * Ki, 32, 32 * Ki,
       32 * Ki},
      {"GeForce GTX 560 Ti", 21, 8, 1536, 8, 1024, 48 * Ki, 48 * Ki, 64 * Ki, true, 512 * Ki, 32,
       32 * Ki, 32 * Ki},
      {"GeForce GTX 680", 30, 8, 2048, 16, 1024, 48 * Ki, 48 * Ki, 64 * Ki, true, 512 * Ki, 32},
      {"Tesla K40", 35, 15, 2048, 16, 1024, 48 * Ki, 48 * Ki, 64 * Ki, true, 1536 * Ki, 32},
      {"Tesla K80", 37, 13, 2048, 16, 1024, 112 * Ki, 48 * Ki, 128 * Ki, true, 1536 * Ki, 32,
       128 * Ki, 64 * Ki},
      {"GeForce GTX 750 Ti", 50, 5, 2048, 32, 1024, 64 * Ki, 48 * Ki, 24 * Ki, false, 2 * Mi, 32},
      {"GeForce GTX 980", 52, 16, 2048, 32, 1024, 96 * Ki, 48 * Ki, 24 * Ki, false, 2 * Mi, 32},
      {"Tesla P100", 60, 56, 2048, 32, 1024, 64 * Ki, 48 * Ki, 24 * Ki, false, 4 * Mi, 32},
      {"GeForce GTX 1080", 61, 20, 2048, 32, 1024, 96 * Ki, 48 * Ki, 48 * Ki, false, 2 * Mi, 32},
      {"Tesla V100", 70, 80, 2048, 32, 1024, 96 * Ki, 96 * Ki, 128 * Ki, true, 6 * Mi},
      {"Tesla T4", 75, 40, 1024, 16, 1024, 64 * Ki, 64 * Ki, 96 * Ki, true, 4 * Mi},
      {"A100", 80, 108, 2048, 32, 1024, 164 * Ki, 163 * Ki, 192 * Ki, true, 40 * Mi, 64, 64 * Ki,
       64 * Ki, 12, 16, 2},
      {"GeForce RTX 3090", 86, 82, 1536, 16, 1024, 100 * Ki, 99 * Ki, 128 * Ki, true, 6 * Mi},
      {"GeForce RTX 4090", 89, 128, 1536, 24, 1024, 100 * Ki, 99 * Ki, 128 * Ki, true, 72 * Mi},
      {"H200", 90, 132, 2048, 32, 1024, 228 * Ki, 227 * Ki, 256 * Ki, true, 60 * Mi, 64, 64 * Ki,
       64 * Ki, 12, 16, 2, 8},
      {"B200", 100, 148, 2048, 32, 1024, 228 * Ki, 227 * Ki, 256 * Ki, true, 126 * Mi + 512 * Ki,
       64, 64 * Ki, 64 * Ki, 12, 16, 2},
      {"B300", 103, 148, 2048, 32, 1024, 228 * Ki, 227 * Ki, 256 * Ki, true, 126 * Mi + 512 * Ki,
       64, 64 * Ki, 64 * Ki, 12, 16, 2},
      {"GeForce RTX 5090", 120, 170, 1536, 24, 1024, 100 * Ki, 99 * Ki, 128 * Ki, true, 96 * Mi},
      {"GB10", 121, 48, 1536, 24, 1024, 100 * Ki, 99 * Ki, 128 * Ki, true, 24 * Mi},
  };
  return all;
}

const DeviceProfile* find_builtin_profile(int compute_capability) {
  const std::vector<DeviceProfile>& known = builtin_profiles();
  const auto found =
      std::ranges::find(known, compute_capability, &DeviceProfile::compute_capability);
  return found != known.end() ? &*found : nullptr;
}

const DeviceProfile& builtin_profile(int compute_capability) {
  if (const DeviceProfile* found = find_builtin_profile(compute_capability)) return *found;
  throw std::invalid_argument(fmt::format("no device profile is built in for compute capability {}",
                                          dotted(compute_capability)));
}

MultiprocessorSizes multiprocessor_sizes(const DeviceProfile& profile) {
  return {.compute_capability = profile.compute_capability,
          .threads = profile.max_threads_per_multiprocessor,
          .blocks = profile.max_blocks_per_multiprocessor,
          .threads_per_block = profile.max_threads_per_block,
          .shared_bytes = profile.shared_bytes_per_multiprocessor,
          .shared_bytes_per_block = profile.shared_bytes_per_block,
          .registers = profile.registers_per_multiprocessor,
          .registers_per_block = profile.registers_per_block};
}

unsigned resident_blocks(const DeviceProfile& profile, unsigned threads_per_block,
                         unsigned registers_per_thread, std::uint64_t shared_bytes_per_block) {
  const BlockLimits limits =
      block_limits(multiprocessor_sizes(profile), {.threads = threads_per_block,
                                                   .registers_per_thread = registers_per_thread,
                                                   .dynamic_shared_bytes = shared_bytes_per_block});
  return static_cast<unsigned>(limits.least());
}

std::uint64_t l1_bytes_beside(const DeviceProfile& profile, unsigned blocks,
                              std::uint64_t shared_bytes_per_block) {
  if (!profile.l1_is_unified) return profile.l1_bytes;
  // Up to 3.x the default prefers shared memory; later the division follows the need.
  const std::uint64_t wanted =
      profile.compute_capability < 40
          ? profile.shared_bytes_per_multiprocessor
          : blocks * shared_bytes_given(profile.compute_capability, shared_bytes_per_block);
  const std::span<const unsigned> divisions = shared_divisions(profile.compute_capability);
  const auto enough =
      std::ranges::find_if(divisions, [&](unsigned division) { return division * Ki >= wanted; });
  const std::uint64_t shared = std::min(profile.shared_bytes_per_multiprocessor,
                                        enough != divisions.end() ? *enough * Ki : unlimited);
  return profile.l1_bytes - std::min(shared, profile.l1_bytes);
}

namespace {

/// A key that takes true or false, or an integer from `least` to `most`.
struct FigureKey {
  std::string_view name;
  std::variant<unsigned DeviceProfile::*, std::uint64_t DeviceProfile::*, bool DeviceProfile::*>
      figure;
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::string_view wanted = {};  ///< in the message, where the two do not say it
};

const std::vector<FigureKey> figure_keys = {
    {"multiprocessors", &DeviceProfile::multiprocessors, 1, 1024},
    {"max_threads_per_multiprocessor", &DeviceProfile::max_threads_per_multiprocessor, 32, 64 * Ki},
    {"max_blocks_per_multiprocessor", &DeviceProfile::max_blocks_per_multiprocessor, 1, 1024},
    {"max_threads_per_block", &DeviceProfile::max_threads_per_block, 1, 64 * Ki},
    {"registers_per_multiprocessor", &DeviceProfile::registers_per_multiprocessor, 1, 16 * Mi},
    {"registers_per_block", &DeviceProfile::registers_per_block, 1, 16 * Mi},
    {"shared_bytes_per_multiprocessor", &DeviceProfile::shared_bytes_per_multiprocessor, 0,
     16 * Mi},
    {"shared_bytes_per_block", &DeviceProfile::shared_bytes_per_block, 0, 16 * Mi},
    {"l1_bytes", &DeviceProfile::l1_bytes, 0, 16 * Mi},
    {"l1_is_unified", &DeviceProfile::l1_is_unified, 0, 1, "true or false"},
    {"l1_ways", &DeviceProfile::l1_ways, 1, 1024},
    {"l2_bytes", &DeviceProfile::l2_bytes, 0, Gi},
    {"l2_ways", &DeviceProfile::l2_ways, 1, 1024},
    {"l2_parts", &DeviceProfile::l2_parts, 1, 16},
    {"l2_coalescers", &DeviceProfile::l2_coalescers, 0, 1024},
    {"dram_granularity", &DeviceProfile::dram_granularity, 32, 128, "32, 64 or 128"},
};

std::vector<Key> keys_of_profile() {
  std::vector<Key> keys = {{"name", ValueForm::plain, ""},
                           {"compute_capability", ValueForm::plain, ""}};
  for (const FigureKey& key : figure_keys) keys.push_back({key.name, ValueForm::plain, ""});
  keys.push_back({"times", ValueForm::map, ""});
  return keys;
}

/// The built-in profile of the capability that the map names.
DeviceProfile read_capability(const MapReader& reader, Diagnostics& diagnostics) {
  const std::string key = "compute_capability";
  const YamlNode* node = reader.require(key, "for example compute_capability: 9.0");
  const auto text = node != nullptr ? read_text(*node, key, diagnostics) : std::nullopt;
  if (!text) return {};
  std::vector<std::string> names;
  for (const DeviceProfile& profile : builtin_profiles()) {
    names.push_back(dotted(profile.compute_capability));
    if (names.back() == *text) return profile;
  }
  diagnostics.error(node->where, fmt::format("'{}' is not a known compute capability", *text),
                    suggest("", names, "the capabilities are"));
  return {};
}

void read_figure(const FigureKey& key, const MapReader& reader, DeviceProfile& profile,
                 Diagnostics& diagnostics) {
  const auto expression = reader.expression(key.name);
  const auto value = expression ? read_constant(*expression, diagnostics) : std::nullopt;
  if (!value) return;
  const auto assign = [&]<class Figure>(Figure DeviceProfile::*figure) {
    using Given = std::conditional_t<std::is_same_v<Figure, bool>, bool, std::int64_t>;
    const Given* const given = std::get_if<Given>(&*value);
    if (given == nullptr || *given < key.least || *given > key.most) return false;
    profile.*figure = static_cast<Figure>(*given);
    return key.name != "dram_granularity" || std::has_single_bit(profile.dram_granularity);
  };
  if (std::visit(assign, key.figure)) return;
  const std::string range =
      fmt::format("an integer from {} to {}", key.least, format_count(key.most));
  diagnostics.error(
      reader.find(key.name)->where,
      fmt::format("'{}' must be {}", key.name, key.wanted.empty() ? range : key.wanted));
}

}  // namespace

DeviceProfile read_profile(const SourcePtr& source) {
  Diagnostics diagnostics;
  const auto node = read_yaml(source, diagnostics);
  if (!node) throw InputError(std::move(diagnostics));
  const MapReader reader(*node, "the device profile", keys_of_profile(), diagnostics);
  if (!node->is_map()) throw InputError(std::move(diagnostics));
  DeviceProfile profile = read_capability(reader, diagnostics);
  if (const std::string name = reader.text("name"); !name.empty()) profile.name = name;
  for (const FigureKey& key : figure_keys) read_figure(key, reader, profile, diagnostics);

  const bool is_read = !diagnostics.has_errors();
  // One of the two was given, or the built-in figures would fit.
  const auto check_not_above = [&](std::string_view part, std::uint64_t part_size,
                                   std::string_view whole, std::uint64_t whole_size) {
    if (part_size <= whole_size || !is_read) return;
    const YamlNode* given = reader.find(part);
    if (given == nullptr) given = reader.find(whole);
    diagnostics.error(
        (given != nullptr ? *given : *node).where,
        fmt::format("'{}' ({}) is more than '{}' ({})", part, part_size, whole, whole_size),
        "give both; what is left out is taken from a built-in profile");
  };
  check_not_above("shared_bytes_per_block", profile.shared_bytes_per_block,
                  "shared_bytes_per_multiprocessor", profile.shared_bytes_per_multiprocessor);
  check_not_above("registers_per_block", profile.registers_per_block,
                  "registers_per_multiprocessor", profile.registers_per_multiprocessor);
  check_not_above("max_threads_per_block", profile.max_threads_per_block,
                  "max_threads_per_multiprocessor", profile.max_threads_per_multiprocessor);
  if (profile.l1_is_unified) {
    check_not_above("shared_bytes_per_multiprocessor", profile.shared_bytes_per_multiprocessor,
                    "l1_bytes", profile.l1_bytes);
  }
  if (diagnostics.has_errors()) throw InputError(std::move(diagnostics));
  return profile;
}

}  // namespace sweep
