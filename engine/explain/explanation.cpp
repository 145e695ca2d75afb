#include "engine/explain/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "engine/emulator/count/model.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

constexpr std::uint64_t word_bytes = 4;
constexpr std::uint32_t warp_lanes = 32;
constexpr std::uint32_t widest_access = 16;

enum class Form { uniform, stepped, scattered };

/// What most of the accesses look like.
Form form_of(const AddressShape& shape) {
  if (shape.scattered * 2 > shape.accesses) return Form::scattered;
  if (shape.uniform >= shape.stepped) return Form::uniform;
  // Steps that change from access to access tell no more than scattered addresses.
  return shape.usual_step().accesses * 2 < shape.stepped ? Form::scattered : Form::stepped;
}

/// At most three digits, no zeros at the end.
std::string figure(double value) {
  return fmt::format("{:.3g}", value);
}

std::uint64_t distance(std::int64_t bytes) {
  return static_cast<std::uint64_t>(std::llabs(bytes));
}

double lanes_per_access(const AddressShape& shape) {
  return shape.accesses == 0
             ? warp_lanes
             : static_cast<double>(shape.lanes) / static_cast<double>(shape.accesses);
}

bool is_partial(const AddressShape& shape) {
  return shape.partial * 2 > shape.accesses;
}

/// Whether the bytes between neighbouring lanes' elements are other accesses' elements: fields of
/// one structure.
bool has_sibling_fields(const AccessCost& access, std::span<const AccessCost> all) {
  if (access.array.empty()) return false;
  const std::int64_t delta = access.shape.usual_step().step.delta;
  return std::ranges::any_of(all, [&](const AccessCost& other) {
    const std::uint64_t apart = other.shape.low > access.shape.low
                                    ? other.shape.low - access.shape.low
                                    : access.shape.low - other.shape.low;
    return &other != &access && other.array == access.array &&
           other.shape.usual_step().step.delta == delta && apart != 0 && apart < distance(delta);
  });
}

std::string advise_step(const AccessCost& access, std::span<const AccessCost> all) {
  const LaneStep step = access.shape.usual_step().step;
  const std::uint64_t apart = distance(step.delta);
  const std::uint64_t fetched = std::min(apart, sector_bytes);
  std::string what = fmt::format(
      "Neighbouring lanes are {} apart but use {} each, so {} of every {} bytes moved "
      "are wanted. ",
      count_of(apart, "byte"), access.width, access.width, fetched);
  if (has_sibling_fields(access, all)) {
    return what +
           "Other accesses want the bytes between, as fields of one structure: give each field an "
           "array of its own, or load the whole structure with wide loads.";
  }
  return what +
         "Let neighbouring lanes reach neighbouring elements: exchange the indices, rearrange the "
         "array, or go through shared memory.";
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

std::string advise_contiguous(const AccessCost& access) {
  const AddressShape& shape = access.shape;
  // Lanes side by side touch one sector more than they fill, at most.
  const bool has_gaps = is_partial(shape) && access.excess() > access.requests();
  if (!has_gaps && shape.off_sector * 2 > shape.accesses) {
    return "Neighbouring lanes reach neighbouring elements, but the warps do not begin at a "
           "multiple of 32 bytes and touch a sector more than they need: shift the first index, or "
           "pad the rows to a multiple of 32 bytes.";
  }
  if (is_partial(shape)) {
    return fmt::format(
        "Only {} of a warp's 32 lanes take part on average, and they fill no whole sectors: let "
        "whole warps take the branch, or give each lane more to do.",
        figure(lanes_per_access(shape)));
  }
  return "Some warps begin off a multiple of 32 bytes and touch a sector more than they need: pad "
         "the rows to a multiple of 32 bytes.";
}

/// The rules before 5.0, where they move more than the sectors that the lanes touch.
std::string historic_rule(const AccessCost& access, const MemoryModel& model) {
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

std::string advise_small(const AccessCost& access) {
  const LaneStep step = access.shape.usual_step().step;
  const bool is_dense = form_of(access.shape) == Form::stepped && step.group == warp_lanes &&
                        distance(step.delta) == access.width;
  if (!is_dense || access.width > word_bytes || access.verb == AccessVerb::atomic) return {};
  return fmt::format(
      "a lane moves {} at a time; with a type of 16 bytes, such as float4, {} times fewer requests "
      "would do.",
      count_of(access.width, "byte"), widest_access / access.width);
}

std::string advise_global(const AccessCost& access, std::span<const AccessCost> all,
                          const MemoryModel& model) {
  const Form form = form_of(access.shape);
  if (access.verb == AccessVerb::atomic && form == Form::uniform &&
      lanes_per_access(access.shape) > 1) {
    return fmt::format(
        "All {} active lanes of a warp update one address, one after the other: combine their "
        "values within the warp first (__reduce_add_sync, __shfl_down_sync) and let one lane "
        "update it.",
        figure(lanes_per_access(access.shape)));
  }
  if (access.excess() == 0) return advise_small(access);
  const LaneStep step = access.shape.usual_step().step;
  const std::uint64_t apart = distance(step.delta);
  std::string advice;
  if (form == Form::scattered) {
    advice =
        "The lanes' addresses follow no constant step, so nearly every lane moves a sector of its "
        "own: order the indices so that neighbouring lanes meet in sectors, keep what is reused in "
        "shared memory, or make one visit use all 32 bytes.";
  } else if (form == Form::uniform) {
    advice = "All lanes of a warp share one address: it moves more than the element.";
  } else if (step.group < warp_lanes && (apart == access.width || apart == 0)) {
    advice = advise_rows(step);
  } else if (apart == access.width) {
    advice = advise_contiguous(access);
  } else if (apart > access.width) {
    advice = advise_step(access, all);
  } else {
    advice = "Neighbouring lanes' elements overlap.";
  }
  return advice + historic_rule(access, model);
}

std::string advise_banks(const AccessCost& access) {
  const LaneStep step = access.shape.usual_step().step;
  const auto requests = static_cast<double>(access.shared.requests);
  const std::string passes = figure(static_cast<double>(access.shared.wavefronts) / requests);
  if (form_of(access.shape) != Form::stepped) {
    return fmt::format(
        "The lanes' addresses follow no constant step, and up to {} different words of a request "
        "lie in one bank on average: reorder who handles what, or give lanes copies of their own.",
        passes);
  }
  if (step.group < warp_lanes) {
    return rows_of(step, "") +
           ", which fall into the same banks: pad the rows so that one begins where the banks of "
           "the one before end.";
  }
  const std::uint64_t apart = distance(step.delta);
  const std::uint64_t element = std::max<std::uint64_t>(access.width, word_bytes);
  const std::uint64_t elements = apart / element;
  std::string advice = fmt::format(
      "Neighbouring lanes are {} words of 4 bytes apart, so that a request takes {} passes instead "
      "of {}: ",
      std::max<std::uint64_t>(apart / word_bytes, 1), passes,
      figure(static_cast<double>(access.shared.ideal) / requests));
  // An even number of elements meets in banks, an odd one does not.
  if (apart % element == 0 && elements % 2 == 0) {
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

std::string advise_shared(const AccessCost& access) {
  const bool is_uniform = form_of(access.shape) == Form::uniform;
  if (access.verb == AccessVerb::atomic && is_uniform && lanes_per_access(access.shape) > 1) {
    return "All lanes of a warp update one address: combine their values within the warp first "
           "(__reduce_add_sync, __shfl_down_sync) and let one lane update it.";
  }
  return access.excess() == 0 ? std::string() : advise_banks(access);
}

std::string advise_local(const AccessCost& access) {
  std::string advice =
      "This is a thread's local memory, which lies in device memory: an array whose index is not "
      "known when compiling, or registers that did not suffice. Unroll the loops so that indices "
      "become constants, make the array smaller, or use shared memory.";
  if (access.excess() != 0) {
    advice +=
        " The lanes are at different indices at once, so that their words lie in different "
        "sectors.";
  }
  return advice;
}

}  // namespace

std::string advise(const AccessCost& access, std::span<const AccessCost> all,
                   const MemoryModel& model) {
  if (access.space == AccessSpace::shared) return advise_shared(access);
  if (access.space == AccessSpace::local) return advise_local(access);
  return advise_global(access, all, model);
}

std::optional<double> Explanation::efficiency(AccessVerb verb) const {
  GlobalCount sum;
  for (const AccessCost& access : accesses) {
    const bool is_copied = verb == AccessVerb::load && access.verb == AccessVerb::copy;
    if (access.space == AccessSpace::global && (access.verb == verb || is_copied)) {
      sum += access.memory;
    }
  }
  if (sum.sectors == 0) return std::nullopt;
  return 100 * static_cast<double>(sum.bytes_wanted) /
         static_cast<double>(sector_bytes * sum.sectors);
}

std::uint64_t Explanation::conflicts() const {
  std::uint64_t conflicts = 0;
  for (const AccessCost& access : accesses) conflicts += access.shared.conflicts();
  return conflicts;
}

bool Explanation::uses(AccessSpace space) const {
  return std::ranges::find(accesses, space, &AccessCost::space) != accesses.end();
}

std::vector<const AccessCost*> Explanation::worst_first() const {
  std::vector<const AccessCost*> order;
  for (const AccessCost& access : accesses) {
    if (!access.advice.empty()) order.push_back(&access);
  }
  // Without excess: atomics and local memory cost more than their sectors tell.
  std::ranges::stable_sort(order, std::greater(), [](const AccessCost* access) {
    const bool is_slow = access->verb == AccessVerb::atomic || access->space != AccessSpace::global;
    return std::pair(access->excess(), is_slow);
  });
  return order;
}

Explanation explain(const Configuration& configuration, const std::string& device,
                    const MemoryModel& model, const EmulatorExecution& execution) {
  Explanation explanation;
  explanation.configuration = configuration;
  explanation.device = device;
  explanation.model = model;
  explanation.notes = execution.notes();
  explanation.are_totals = execution.counted().are_totals;
  explanation.executed_share = execution.counted().executed_share;
  explanation.accesses = access_costs(*configuration.pattern, execution);
  for (AccessCost& access : explanation.accesses) {
    access.advice = advise(access, explanation.accesses, model);
  }
  return explanation;
}

}  // namespace sweep
