#include "engine/backend/backend.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <sstream>

#include "engine/text/units.h"

namespace sweep {
namespace {

std::string component_text(std::int32_t kind, std::uint64_t bits) {
  if (kind == 1) return fmt::to_string(static_cast<std::int64_t>(bits));
  if (kind == 2) return fmt::to_string(bits);
  if (kind == 3) return fmt::to_string(std::bit_cast<double>(bits));
  if (kind == 4) return bits != 0 ? "true" : "false";
  return {};
}

/// A condition written over several lines as one line.
std::string one_line(const std::string& condition) {
  std::istringstream words(condition);
  std::string line;
  for (std::string word; words >> word;) line += line.empty() ? word : " " + word;
  return line;
}

}  // namespace

std::string why_not_there(Place place, std::int64_t peer, const Device& device) {
  // An emulator has every place, and what is recorded was there.
  if (device.backend != "cuda") return {};
  const auto peers = static_cast<std::int64_t>(device.reach.peers.size());
  if (is_of_peer(place) && (peer < 1 || peer > peers)) {
    return peers == 0
               ? "this GPU reaches no other GPU's memory"
               : fmt::format("there is no peer {}: this GPU reaches the memory of {} other{}", peer,
                             peers, peers == 1 ? "" : "s");
  }
  if (is_managed(place) && !device.reach.has_managed_memory) {
    return "this GPU moves no pages of managed memory while a kernel runs";
  }
  if (place == Place::compressed && !device.reach.compresses) {
    return "this GPU, or its driver, does not compress memory";
  }
  return {};
}

double link_peak(Place place, std::int64_t peer, const Device& device) {
  if (is_of_host(place)) return device.reach.host_link;
  const auto& peers = device.reach.peers;
  if (!is_of_peer(place) || peer < 1 || peer > std::ssize(peers)) return 0;
  return peers[static_cast<std::size_t>(peer - 1)].link;
}

void require_launch(std::uint64_t value, std::uint64_t most, std::string_view what) {
  if (value <= most) return;
  throw ExecutionFailure(
      fmt::format("bad launch: {} is {}, the device takes at most {}", what, value, most));
}

void check_launch(const LaunchPlan& launch, const LaunchLimits& limits) {
  require_launch(launch.block.count(), limits.block_threads, "the block's size");
  // The product may have wrapped.
  require_launch(launch.block.x, limits.block.x, "the block's x extent");
  require_launch(launch.block.y, limits.block.y, "the block's y extent");
  require_launch(launch.block.z, limits.block.z, "the block's z extent");
  require_launch(launch.grid.x, limits.grid.x, "the grid's x extent");
  require_launch(launch.grid.y, limits.grid.y, "the grid's y extent");
  require_launch(launch.grid.z, limits.grid.z, "the grid's z extent");
  require_launch(launch.shared_bytes, limits.shared_bytes, "dynamic shared memory in bytes");
  if (!launch.has_cluster()) return;
  const auto require_multiple = [](std::uint32_t grid, std::uint32_t cluster, char axis) {
    if (grid % cluster == 0) return;
    throw ExecutionFailure(fmt::format(
        "bad launch: the grid's {} extent is {}, which is no multiple of the cluster's {}", axis,
        grid, cluster));
  };
  require_multiple(launch.grid.x, launch.cluster.x, 'x');
  require_multiple(launch.grid.y, launch.cluster.y, 'y');
  require_multiple(launch.grid.z, launch.cluster.z, 'z');
}

void check_resident(const LaunchPlan& launch, std::uint64_t resident_blocks) {
  if (!launch.is_cooperative || launch.grid.count() <= resident_blocks) return;
  throw ExecutionFailure(
      fmt::format("bad launch: the grid of a cooperative launch has {} blocks, of which the device "
                  "holds {} at once",
                  format_thousands(launch.grid.count()), format_thousands(resident_blocks)));
}

std::string to_string(const ShownValue& value) {
  if (value.kind == 0) return {};
  std::vector<std::string> texts;
  for (std::int32_t i = 0; i < std::clamp(value.components, 1, 4); ++i) {
    texts.push_back(component_text(value.kind, value.bits.at(static_cast<std::size_t>(i))));
  }
  return texts.size() == 1 ? texts.front() : fmt::format("({})", fmt::join(texts, ", "));
}

namespace {

/// ": 1.5, expected 1.25, off by 0.25 (3 ulps) where 0.01 is allowed", as far as it is known.
std::string shown_sides(const CheckResult& one, bool is_compared) {
  const std::string actual = to_string(one.actual);
  const std::string expected = to_string(one.expected);
  if (actual.empty() || expected.empty()) return {};
  std::string text = fmt::format(": {}, expected {}", actual, expected);
  if (!is_compared || !std::isfinite(one.difference)) return text;
  constexpr std::uint64_t most_ulps = 1'000'000;
  text += fmt::format(", off by {:.6g}", one.difference);
  if (one.ulps > 0 && one.ulps <= most_ulps) {
    text += fmt::format(" ({})", count_of(one.ulps, "ulp"));
  }
  if (one.allowed > 0) text += fmt::format(" where {:.3g} is allowed", one.allowed);
  return text;
}

}  // namespace

std::string describe_mismatch(const VerificationPlan& plan, const CheckResult& result,
                              const std::function<CheckResult(std::uint64_t)>& check_one,
                              std::string_view which) {
  const bool is_compared = result.worst != 0;
  std::string text = fmt::format(
      "wrong result: {} of {} elements of '{}'{} fail the check {}; the first is i = {}{}",
      format_thousands(result.count), format_thousands(plan.length), plan.buffer, which,
      one_line(plan.condition), result.first, shown_sides(check_one(result.first), is_compared));
  if (!is_compared || result.count == 1) return text;
  const std::uint64_t worst = result.worst_element();
  if (worst == result.first) return text + "; none is off by more";
  return text + fmt::format("; the worst is i = {}{}", worst, shown_sides(check_one(worst), true));
}

}  // namespace sweep
