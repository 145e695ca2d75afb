#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "engine/explain/explanation.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

constexpr std::uint64_t word_bytes = 4;
constexpr std::uint32_t warp_lanes = 32;

std::uint64_t distance(std::int64_t bytes) {
  return static_cast<std::uint64_t>(std::llabs(bytes));
}

/// At most three digits, no zeros at the end.
std::string figure(double value) {
  return fmt::format("{:.3g}", value);
}

/// What an instruction's accesses look like: those that cost more than they need, or where none
/// does most of them.
struct Layout {
  explicit Layout(const AddressShape& shape)
      : step(shape.usual_step().step), apart(distance(step.delta)) {
    const std::uint64_t excess =
        shape.uniform_excess + shape.stepped_excess + shape.scattered_excess;
    const bool has_excess = excess != 0;
    const std::uint64_t all = has_excess ? excess : shape.accesses;
    const std::uint64_t uniform = has_excess ? shape.uniform_excess : shape.uniform;
    const std::uint64_t stepped = has_excess ? shape.stepped_excess : shape.stepped;
    const std::uint64_t scattered = has_excess ? shape.scattered_excess : shape.scattered;
    const std::uint64_t usual =
        has_excess ? shape.usual_step().excess : shape.usual_step().accesses;
    // Steps that change from access to access tell no more than scattered addresses.
    const bool is_steady = usual * 2 >= stepped;
    is_uniform = scattered * 2 <= all && uniform >= stepped;
    is_varied = scattered * 2 <= all && !is_uniform && !is_steady;
    is_stepped = scattered * 2 <= all && !is_uniform && is_steady;
    is_partial = shape.partial * 2 > shape.accesses;
    is_onward = shape.repeated * 2 > shape.accesses && shape.onward * 2 > shape.repeated;
    if (shape.accesses != 0) {
      lanes = static_cast<double>(shape.lanes) / static_cast<double>(shape.accesses);
    }
  }

  LaneStep step;        ///< the usual one
  std::uint64_t apart;  ///< bytes between neighbouring lanes
  bool is_uniform = false;
  bool is_stepped = false;
  bool is_varied = false;  ///< in steps, of which there are many
  bool is_partial = false;
  bool is_onward = false;     ///< a lane goes on to its next element, iteration by iteration
  double lanes = warp_lanes;  ///< active ones of an access, on average
};

/// Whether the bytes between neighbouring lanes' elements are other accesses' elements: fields of
/// one structure.
bool has_sibling_fields(const AccessCost& access, std::span<const AccessCost> all) {
  if (access.array.empty()) return false;
  const std::int64_t delta = access.shape.usual_step().step.delta;
  return std::ranges::any_of(all, [&](const AccessCost& other) {
    const std::uint64_t apart =
        std::max(other.shape.low, access.shape.low) - std::min(other.shape.low, access.shape.low);
    return &other != &access && other.array == access.array &&
           other.shape.usual_step().step.delta == delta && apart != 0 && apart < distance(delta);
  });
}

std::string advise_step(const AccessCost& access, std::uint64_t apart,
                        std::span<const AccessCost> all) {
  return fmt::format(
      "Neighbouring lanes are {} apart but use {} each, so {} of every {} bytes moved are wanted. "
      "{}",
      count_of(apart, "byte"), access.width, access.width, std::min(apart, sector_bytes),
      has_sibling_fields(access, all)
          ? "Other accesses want the bytes between, as fields of one structure: give each field an "
            "array of its own, or load the whole structure with wide loads."
          : "Let neighbouring lanes reach neighbouring elements: exchange the indices, rearrange "
            "the array, or go through shared memory.");
}

/// "A warp covers 2 rows of 16 lanes, 4096 bytes apart"
std::string rows_of(const LaneStep& step, std::string_view before_pitch) {
  std::string text =
      fmt::format("A warp covers {} rows of {} lanes", warp_lanes / step.group, step.group);
  if (step.pitch == 0) return text;
  return text + fmt::format("{} {} apart", before_pitch, count_of(distance(step.pitch), "byte"));
}

std::string advise_rows(const LaneStep& step) {
  if (step.delta == 0) {
    return fmt::format(
        "Each {} neighbouring lanes share an address, so a warp wants {} elements and moves a "
        "sector or more for each: let a warp's groups share sectors, or hold the values in shared "
        "memory.",
        step.group, warp_lanes / step.group);
  }
  return rows_of(step, ",") +
         ", and every row begins and ends in sectors of its own: make the block 32 threads wide, "
         "so that a warp stays in one row.";
}

std::string advise_contiguous(const AccessCost& access, const Layout& layout) {
  // Lanes side by side touch one sector more than they fill, at most.
  const bool has_gaps = layout.is_partial && access.excess() > access.requests();
  if (!has_gaps && access.shape.off_sector * 2 > access.shape.accesses) {
    return "Neighbouring lanes reach neighbouring elements, but the warps do not begin at a "
           "multiple of 32 bytes and touch a sector more than they need: shift the first index, or "
           "pad the rows to a multiple of 32 bytes.";
  }
  if (layout.is_partial) {
    return fmt::format(
        "Only {} of a warp's 32 lanes take part on average, and they fill no whole sectors: let "
        "whole warps take the branch, or give each lane more to do.",
        figure(layout.lanes));
  }
  return "Some warps begin off a multiple of 32 bytes and touch a sector more than they need: pad "
         "the rows to a multiple of 32 bytes.";
}

/// Where more sectors are moved than need be.
std::string advise_sectors(const AccessCost& access, const Layout& layout,
                           std::span<const AccessCost> all) {
  if (layout.is_uniform) {
    return "All lanes of a warp share one address: it moves more than the element.";
  }
  const bool is_dense = layout.is_stepped && layout.apart == access.width;
  if (layout.is_onward && !is_dense && !has_sibling_fields(access, all)) {
    return "Each lane walks along a row of its own, so that its sector serves the next iterations "
           "only as long as a cache keeps it: let several lanes share a row, with neighbouring "
           "lanes at neighbouring elements, or let a lane load 16 bytes at a time.";
  }
  if (layout.is_varied) {
    return fmt::format(
        "The distance between neighbouring lanes changes from one time to the next; where it costs "
        "most they are {} apart: let neighbouring lanes reach neighbouring elements each time.",
        count_of(layout.apart, "byte"));
  }
  if (!layout.is_stepped) {
    return "The lanes' addresses follow no constant step, so nearly every lane moves a sector of "
           "its own: order the indices so that neighbouring lanes meet in sectors, keep what is "
           "reused in shared memory, or make one visit use all 32 bytes.";
  }
  const bool has_rows = layout.step.group < warp_lanes;
  if (has_rows && (is_dense || layout.apart == 0)) return advise_rows(layout.step);
  if (is_dense) return advise_contiguous(access, layout);
  if (layout.apart > access.width) return advise_step(access, layout.apart, all);
  return "Neighbouring lanes' elements overlap.";
}

/// The rules before 5.0, where they move more than the sectors that the lanes touch.
std::string_view historic_rule(const AccessCost& access, const MemoryModel& model) {
  if (model.compute_capability < 12) {
    return " By the rules of 1.0 a half-warp's access is one transaction only when lane k reaches "
           "word k of an aligned segment; otherwise every lane costs one of 32 bytes.";
  }
  if (model.compute_capability < 20) {
    return " By the rules of 1.2 a half-warp moves whole segments of 32, 64 or 128 bytes.";
  }
  const bool uses_lines =
      model.l1_for_global && model.compute_capability < 50 && access.verb == AccessVerb::load;
  return uses_lines ? " With L1 on, a load moves whole lines of 128 bytes." : "";
}

/// Where nothing is moved in vain, in small pieces.
std::string advise_small(const AccessCost& access, const Layout& layout) {
  const bool is_dense =
      layout.is_stepped && layout.step.group == warp_lanes && layout.apart == access.width;
  if (!is_dense || access.width > word_bytes || access.verb == AccessVerb::atomic) return {};
  return fmt::format(
      "a lane moves {} at a time; with a type of 16 bytes, such as float4, {} times fewer requests "
      "would do.",
      count_of(access.width, "byte"), 16 / access.width);
}

/// Where a good part of a kernel's requests is of few lanes, though nothing is moved in vain.
std::string advise_lanes(const AccessCost& access, std::span<const AccessCost> all) {
  constexpr double few = 8;
  constexpr std::uint64_t percent = 100;
  constexpr std::uint64_t least_percent = 10;
  std::uint64_t requests = 0;
  for (const AccessCost& other : all) requests += other.requests();
  const std::uint64_t share = access.requests() * percent / std::max<std::uint64_t>(requests, 1);
  // One lane's atomic for all of a warp is as it should be.
  const bool is_lone = access.verb != AccessVerb::atomic && access.lanes_per_request() <= few;
  if (!is_lone || share < least_percent) return {};
  return fmt::format(
      "Only {} of a warp's 32 lanes take part on average, in {} % of the kernel's requests: let "
      "whole warps take the branch, or give each lane more to do.",
      figure(access.lanes_per_request()), share);
}

/// Where words lie in one bank of shared memory.
std::string advise_banks(const AccessCost& access, const Layout& layout) {
  const auto requests = static_cast<double>(access.shared.requests);
  const std::string passes = figure(static_cast<double>(access.shared.wavefronts) / requests);
  if (layout.is_varied) {
    return fmt::format(
        "The distance between neighbouring lanes changes from one time to the next; where it costs "
        "most they are {} words of 4 bytes apart: let neighbouring lanes take neighbouring words, "
        "however far apart their partners are.",
        std::max<std::uint64_t>(layout.apart / word_bytes, 1));
  }
  if (!layout.is_stepped) {
    return fmt::format(
        "The lanes' addresses follow no constant step, and up to {} different words of a request "
        "lie in one bank on average: reorder who handles what, or give lanes copies of their own.",
        passes);
  }
  if (layout.step.group < warp_lanes) {
    return rows_of(layout.step, "") +
           ", which fall into the same banks: pad the rows so that one begins where the banks of "
           "the one before end.";
  }
  std::string advice = fmt::format(
      "Neighbouring lanes are {} words of 4 bytes apart, so that a request takes {} passes instead "
      "of {}: ",
      std::max<std::uint64_t>(layout.apart / word_bytes, 1), passes,
      figure(static_cast<double>(access.shared.ideal) / requests));
  // An even number of elements meets in banks, an odd one does not.
  const std::uint64_t element = std::max<std::uint64_t>(access.width, word_bytes);
  const std::uint64_t elements = layout.apart / element;
  if (layout.apart % (2 * element) == 0) {
    advice +=
        element == word_bytes
            ? fmt::format("pad the rows so that the step becomes odd ({} words), or ", elements + 1)
            : fmt::format(
                  "pad the rows so that the step becomes an odd multiple of {} bytes "
                  "({} of them instead of {}), or ",
                  element, elements + 1, elements);
  }
  return advice + "let neighbouring lanes take neighbouring words.";
}

}  // namespace

std::string advise(const AccessCost& access, std::span<const AccessCost> all,
                   const MemoryModel& model) {
  if (access.space == AccessSpace::local) {
    return fmt::format(
        "This is a thread's local memory, which lies in device memory: an array whose index is not "
        "known when compiling, or registers that did not suffice. Unroll the loops so that indices "
        "become constants, make the array smaller, or use shared memory.{}",
        access.excess() == 0 ? ""
                             : " The lanes are at different indices at once, so that their words "
                               "lie in different sectors.");
  }
  const bool is_shared = access.space == AccessSpace::shared;
  const Layout layout(access.shape);
  if (access.verb == AccessVerb::atomic && layout.is_uniform && layout.lanes > 1) {
    const std::string who =
        is_shared ? "All lanes of a warp update one address"
                  : fmt::format(
                        "All {} active lanes of a warp update one address, one after the "
                        "other",
                        figure(layout.lanes));
    return who +
           ": combine their values within the warp first (__reduce_add_sync, __shfl_down_sync) and "
           "let one lane update it.";
  }
  if (access.excess() == 0) {
    std::string lanes = advise_lanes(access, all);
    return is_shared || !lanes.empty() ? lanes : advise_small(access, layout);
  }
  if (is_shared) return advise_banks(access, layout);
  return advise_sectors(access, layout, all).append(historic_rule(access, model));
}

}  // namespace sweep
