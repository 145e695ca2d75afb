#include "engine/explain/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

#include "engine/spec/cuda_scanner.h"
#include "engine/spec/included_files.h"

namespace sweep {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::optional<AccessVerb> verb_of(OpKind kind) {
  if (kind == OpKind::load || kind == OpKind::load_matrix || kind == OpKind::texture) {
    return AccessVerb::load;
  }
  if (kind == OpKind::store || kind == OpKind::store_matrix) return AccessVerb::store;
  if (kind == OpKind::atomic) return AccessVerb::atomic;
  if (kind == OpKind::async_copy) return AccessVerb::copy;
  return std::nullopt;
}

bool is_in(const auto& values, const auto& value) {
  return std::ranges::find(values, value) != values.end();
}

bool fits_role(AccessVerb verb, SourceAccess::Role role) {
  using Role = SourceAccess::Role;
  if (role == Role::any) return true;
  if (verb == AccessVerb::atomic) return role == Role::atomic;
  const bool is_store = verb == AccessVerb::store;
  if (!is_store && verb != AccessVerb::load) return false;
  return role == Role::update || role == (is_store ? Role::store : Role::load);
}

/// Makes AccessCosts of a kernel's memory instructions.
class Collector {
 public:
  Collector(const Pattern& pattern, const AddressSpace& memory,
            const EmulatorExecution::CountedKernel& counted)
      : pattern_(pattern),
        memory_(memory),
        counts_(counted.count),
        kernel_(counted.kernel),
        source_(read_source_text(pattern.body, pattern.body_line)) {
    for (const KernelDeclaration& kernel : find_kernels(pattern.body)) {
      if (kernel.name != pattern.name) continue;
      for (const KernelParameter& parameter : kernel.parameters) arrays_.push_back(parameter.name);
    }
    // The kernel's first parameters are the buffers.
    arrays_.resize(std::min(arrays_.size(), pattern.buffers.size()));
    buffers_ = arrays_.size();
    for (const SharedVariable& variable : kernel_.shared_variables) {
      arrays_.push_back(variable.name);
    }
    if (!source_.dynamic_shared.empty()) arrays_.push_back(source_.dynamic_shared);
  }

  std::vector<AccessCost> run() {
    for (const Op& op : kernel_.ops) {
      if (!verb_of(op.kind)) continue;
      const SiteCount& site = counts_.sites[op.detail];
      if (site.global.requests != 0) add(op, AccessSpace::global, site.global, {});
      if (site.shared.requests != 0) add(op, AccessSpace::shared, {}, site.shared);
      if (site.local.requests != 0) add(op, AccessSpace::local, site.local, {});
      if (site.remote.requests != 0) add(op, AccessSpace::remote, {}, {}, site.remote);
    }
    return std::move(costs_);
  }

 private:
  void add(const Op& op, AccessSpace space, const GlobalCount& memory, const SharedCount& shared,
           const RemoteCount& remote = {}) {
    const MemoryOp& memory_op = kernel_.memory[op.detail];
    AccessCost cost;
    cost.verb = *verb_of(op.kind);
    cost.space = space;
    cost.width = op.kind == OpKind::async_copy ? memory_op.copy_bytes
                 : memory_op.matrices != 0     ? 16  // of a row
                 : memory_op.issued_bytes != 0 ? memory_op.issued_bytes
                                               : memory_op.bytes();
    cost.instructions = 1;
    cost.joined = memory_op.joined;
    cost.is_uncertain = memory_op.is_uncertain;
    cost.memory = memory;
    cost.shared = shared;
    cost.remote = remote;
    if (space != AccessSpace::remote && op.detail < counts_.shapes.size()) {
      cost.shape = counts_.shapes[op.detail];
      cost.visits = {cost.shape.visits};
    }
    cost.array = array_of(space, cost.shape);
    place(op, cost);
    merge(std::move(cost));
  }

  /// The one array that all its addresses lie in.
  std::string array_of(AccessSpace space, const AddressShape& shape) const {
    if (shape.accesses == 0 || space == AccessSpace::local) return {};
    if (space == AccessSpace::shared) {
      for (const SharedVariable& variable : kernel_.shared_variables) {
        const bool begins = shape.low >= variable.offset;
        if (begins && shape.high - variable.offset < variable.bytes) return variable.name;
      }
      return shape.low >= kernel_.static_shared_bytes ? source_.dynamic_shared : std::string();
    }
    const Allocation* allocation = memory_.find(shape.low);
    if (allocation == nullptr || !allocation->contains(shape.high, 1)) return {};
    for (std::size_t i = 0; i < buffers_; ++i) {
      if (pattern_.buffers[i].name == allocation->name) return arrays_[i];
    }
    return allocation->name;
  }

  bool is_of_pattern(const std::string& file, std::size_t line) const {
    return is_same_file(compiler_file_name(pattern_.source->name), file) &&
           line >= pattern_.body_line;
  }

  void place(const Op& op, AccessCost& cost) const {
    const std::vector<ptx::Place>& places = kernel_.instructions[op.instruction].places;
    const ptx::Place place = user_place(kernel_.instructions[op.instruction]);
    if (place.line == 0) return;
    const auto caller = std::next(std::ranges::find(places, place));
    if (caller != places.end()) {
      const std::string& file = kernel_.file_names[caller->file];
      cost.callers = {{is_of_pattern(file, caller->line) ? fmt::format("line {}", caller->line)
                                                         : fmt::format("{}:{}", file, caller->line),
                       cost.requests(), cost.cost()}};
    }
    cost.file = kernel_.file_names[place.file];
    cost.line = place.line;
    cost.column = place.column;
    cost.is_in_pattern = is_of_pattern(cost.file, cost.line);
    if (!cost.is_in_pattern) return;
    cost.file = pattern_.source->name;
    if (const auto name = name_access(source_, cost, arrays_)) {
      cost.text = name->text;
      cost.line = name->line;
      cost.is_expression = true;
    } else {
      cost.text = trimmed(line_of(pattern_.source->text, cost.line));
    }
  }

  /// Unrolled copies of one expression count together; what one line cannot tell apart stays apart
  /// where it costs differently.
  void merge(AccessCost cost) {
    const auto identity = [](const AccessCost& one) {
      return std::tie(one.file, one.line, one.text, one.array, one.verb, one.space, one.width);
    };
    const auto known = std::ranges::find_if(costs_, [&](const AccessCost& other) {
      return identity(other) == identity(cost) &&
             (cost.is_certain() ||
              other.cost() * cost.requests() == cost.cost() * other.requests());
    });
    if (known == costs_.end()) {
      costs_.push_back(std::move(cost));
      return;
    }
    known->instructions += cost.instructions;
    known->joined += cost.joined;
    known->is_uncertain |= cost.is_uncertain;
    known->memory += cost.memory;
    known->shared += cost.shared;
    known->remote += cost.remote;
    known->shape += cost.shape;
    std::ranges::move(cost.visits, std::back_inserter(known->visits));
    for (const AccessCost::Caller& caller : cost.callers) {
      const auto same = std::ranges::find(known->callers, caller.place, &AccessCost::Caller::place);
      if (same == known->callers.end()) {
        known->callers.push_back(caller);
      } else {
        same->requests += caller.requests;
        same->cost += caller.cost;
      }
    }
  }

  const Pattern& pattern_;
  const AddressSpace& memory_;
  const LaunchCount& counts_;
  const Kernel& kernel_;
  SourceText source_;
  std::vector<std::string> arrays_;  ///< the buffers and shared ones, as the source names them
  std::size_t buffers_ = 0;          ///< how many of them are the pattern's buffers
  std::vector<AccessCost> costs_;
};

}  // namespace

std::optional<AccessName> name_access(const SourceText& source, const AccessCost& access,
                                      const std::vector<std::string>& arrays) {
  if (is_in(source.macro_lines, access.line)) return std::nullopt;
  // The likeliest first: what is done as this access does it, then pointers handed to functions.
  std::array<std::vector<const SourceAccess*>, 3> candidates;
  for (const SourceAccess& found : source.accesses) {
    if (found.first_line > access.line || found.last_line < access.line) continue;
    const bool is_array = is_in(arrays, found.base);
    const bool is_pointer = is_in(source.pointers, found.base);
    const bool may_be = access.space == AccessSpace::local
                            ? !is_array && !is_pointer && !found.is_argument
                            : found.base == access.array || (is_pointer && !is_array);
    if (!may_be) continue;
    if (!found.is_argument && fits_role(access.verb, found.role)) candidates[0].push_back(&found);
    candidates[found.is_argument ? 1 : 2].push_back(&found);
  }
  const auto known = std::ranges::find_if(candidates, [](const auto& all) { return !all.empty(); });
  if (known == candidates.end()) return std::nullopt;
  const SourceAccess& first = *known->front();
  // All may be one expression, written once or more often.
  const bool is_one = std::ranges::all_of(
      *known, [&](const SourceAccess* other) { return other->text == first.text; });
  if (is_one) return AccessName{first.text, first.first_line};
  if (access.array.empty()) return std::nullopt;
  return AccessName{access.array + "[...]", access.line};
}

std::uint64_t AccessCost::ideal() const {
  if (space == AccessSpace::shared) return shared.ideal;
  return ideal_sectors(memory.bytes_wanted, memory.requests, cost());
}

bool AccessCost::is_certain() const {
  return is_expression && !text.ends_with("[...]");
}

double AccessCost::lanes_per_request() const {
  const std::uint64_t lanes = space == AccessSpace::shared ? shared.lanes : memory.lanes;
  return static_cast<double>(lanes) / static_cast<double>(requests());
}

std::vector<AddressShape::Visit> AccessCost::iterations() const {
  const std::size_t rounds = visits.empty() ? 0 : visits.front().size();
  const bool is_even = std::ranges::all_of(visits, [&](const auto& of_copy) {
    return of_copy.size() == rounds && (visits.size() == 1 || rounds < AddressShape::most_visits);
  });
  if (!is_even) return {};
  // Several expressions of one line may stand in one iteration.
  if (!is_certain()) return shape.visits;
  std::vector<AddressShape::Visit> all;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (const auto& of_copy : visits) all.push_back(of_copy[round]);
  }
  return all;
}

Explanation explain(const Configuration& configuration, const std::string& device,
                    const MemoryModel& model, const EmulatorExecution& execution) {
  Explanation explanation = {configuration,
                             device,
                             model,
                             execution.notes(),
                             execution.counted().are_totals,
                             execution.counted().executed_share,
                             {}};
  for (const EmulatorExecution::CountedKernel& counted : execution.counted_kernels()) {
    std::ranges::move(Collector(*configuration.pattern, execution.memory(), counted).run(),
                      std::back_inserter(explanation.accesses));
  }
  // By line, the pattern's own first.
  std::ranges::stable_sort(explanation.accesses, {}, [](const AccessCost& cost) {
    return std::tuple(!cost.is_in_pattern, std::string_view(cost.file), cost.line);
  });
  for (AccessCost& access : explanation.accesses) {
    access.advice = advise(access, explanation.accesses, model);
  }
  return explanation;
}

}  // namespace sweep
