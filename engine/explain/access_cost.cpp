#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "engine/emulator/count/model.h"
#include "engine/emulator/machine/launch.h"
#include "engine/explain/explanation.h"
#include "engine/spec/cuda_scanner.h"
#include "engine/spec/included_files.h"

namespace sweep {
namespace {

constexpr std::uint64_t wavefront_bytes = 128;
constexpr double percent = 100;

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

std::optional<AccessVerb> verb_of(OpKind kind) {
  switch (kind) {
    case OpKind::load:
    case OpKind::load_matrix:
      return AccessVerb::load;
    case OpKind::store:
    case OpKind::store_matrix:
      return AccessVerb::store;
    case OpKind::atomic:
      return AccessVerb::atomic;
    case OpKind::async_copy:
      return AccessVerb::copy;
    default:
      return std::nullopt;
  }
}

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool fits_role(AccessVerb verb, SourceAccess::Role role) {
  using Role = SourceAccess::Role;
  switch (role) {
    case Role::load:
      return verb == AccessVerb::load;
    case Role::store:
      return verb == AccessVerb::store;
    case Role::update:
      return verb == AccessVerb::load || verb == AccessVerb::store;
    case Role::atomic:
      return verb == AccessVerb::atomic;
    case Role::any:
      break;
  }
  return true;
}

/// Makes AccessCosts of a kernel's memory instructions.
class Collector {
 public:
  Collector(const Pattern& pattern, const EmulatorExecution& execution)
      : pattern_(pattern),
        execution_(execution),
        kernel_(execution.kernel()),
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
      const SiteCount& site = execution_.counted().count.sites[op.detail];
      if (site.global.requests != 0) add(op, AccessSpace::global, site);
      if (site.shared.requests != 0) add(op, AccessSpace::shared, site);
      if (site.local.requests != 0) add(op, AccessSpace::local, site);
    }
    std::ranges::stable_sort(costs_, [](const AccessCost& a, const AccessCost& b) {
      if (a.is_in_pattern != b.is_in_pattern) return a.is_in_pattern;
      if (a.file != b.file) return a.file < b.file;
      return a.line < b.line;
    });
    return std::move(costs_);
  }

 private:
  void add(const Op& op, AccessSpace space, const SiteCount& site) {
    AccessCost cost;
    const MemoryOp& memory = kernel_.memory[op.detail];
    constexpr std::uint32_t matrix_row_bytes = 16;
    const bool is_matrix = op.kind == OpKind::load_matrix || op.kind == OpKind::store_matrix;
    cost.width = is_matrix                       ? matrix_row_bytes
                 : op.kind == OpKind::async_copy ? memory.copy_bytes
                                                 : memory.bytes();
    cost.verb = *verb_of(op.kind);
    cost.space = space;
    cost.instructions = 1;
    if (space == AccessSpace::shared) {
      cost.shared = site.shared;
    } else {
      cost.memory = space == AccessSpace::global ? site.global : site.local;
    }
    const auto& shapes = execution_.counted().count.shapes;
    if (op.detail < shapes.size()) cost.shape = shapes[op.detail];
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
    const Allocation* allocation = execution_.memory().find(shape.low);
    if (allocation == nullptr || !allocation->contains(shape.high, 1)) return {};
    for (std::size_t i = 0; i < buffers_; ++i) {
      if (pattern_.buffers[i].name == allocation->name) return arrays_[i];
    }
    return allocation->name;
  }

  void place(const Op& op, AccessCost& cost) const {
    const ptx::Place place = user_place(kernel_.instructions[op.instruction]);
    if (place.line == 0) return;
    cost.file = kernel_.file_names[place.file];
    cost.line = place.line;
    cost.column = place.column;
    cost.is_in_pattern = is_same_file(compiler_file_name(pattern_.source->name), cost.file) &&
                         cost.line >= pattern_.body_line;
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
    const auto known = std::ranges::find_if(costs_, [&](const AccessCost& other) {
      const auto identity = [](const AccessCost& one) {
        return std::tie(one.file, one.line, one.text, one.array, one.verb, one.space, one.width);
      };
      const bool is_certain = cost.is_expression && !cost.text.ends_with("[...]");
      return identity(other) == identity(cost) &&
             (is_certain || other.cost() * cost.requests() == cost.cost() * other.requests());
    });
    if (known == costs_.end()) {
      costs_.push_back(std::move(cost));
      return;
    }
    known->instructions += cost.instructions;
    known->memory += cost.memory;
    known->shared += cost.shared;
    known->shape += cost.shape;
  }

  const Pattern& pattern_;
  const EmulatorExecution& execution_;
  const Kernel& kernel_;
  SourceText source_;
  std::vector<std::string> arrays_;  ///< the buffers and shared ones, as the source names them
  std::size_t buffers_ = 0;          ///< how many of them are the pattern's buffers
  std::vector<AccessCost> costs_;
};

}  // namespace

std::optional<AccessName> name_access(const SourceText& source, const AccessCost& access,
                                      const std::vector<std::string>& arrays) {
  const bool has_macro =
      std::ranges::find(source.macro_lines, access.line) != source.macro_lines.end();
  if (has_macro) return std::nullopt;
  const auto may_be = [&](const SourceAccess& found) {
    if (found.first_line > access.line || found.last_line < access.line) return false;
    const bool is_array = is_in(arrays, found.base);
    const bool is_pointer = is_in(source.pointers, found.base);
    if (access.space == AccessSpace::local) return !is_array && !is_pointer && !found.is_argument;
    return found.base == access.array || (is_pointer && !is_array);
  };
  // The likeliest first: what is done as this access does it, then pointers handed to functions.
  std::array<std::vector<const SourceAccess*>, 3> candidates;
  for (const SourceAccess& found : source.accesses) {
    if (!may_be(found)) continue;
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

std::uint64_t AccessCost::requests() const {
  return space == AccessSpace::shared ? shared.requests : memory.requests;
}

std::uint64_t AccessCost::cost() const {
  return space == AccessSpace::shared ? shared.wavefronts : memory.sectors;
}

std::uint64_t AccessCost::ideal() const {
  if (space == AccessSpace::shared) return shared.ideal;
  const std::uint64_t dense = (memory.bytes_wanted + sector_bytes - 1) / sector_bytes;
  return std::min(cost(), std::max(dense, memory.requests));
}

std::uint64_t AccessCost::excess() const {
  return cost() - ideal();
}

double AccessCost::efficiency() const {
  const bool is_shared = space == AccessSpace::shared;
  const std::uint64_t wanted = is_shared ? shared.bytes_wanted : memory.bytes_wanted;
  const std::uint64_t moved = cost() * (is_shared ? wavefront_bytes : sector_bytes);
  return moved == 0 ? 0 : percent * static_cast<double>(wanted) / static_cast<double>(moved);
}

std::string_view name_of(AccessVerb verb) {
  constexpr std::array<std::string_view, 4> names = {"load", "store", "atomic", "copy"};
  return names.at(static_cast<std::size_t>(verb));
}

std::string_view name_of(AccessSpace space) {
  constexpr std::array<std::string_view, 3> names = {"global", "shared", "local"};
  return names.at(static_cast<std::size_t>(space));
}

std::vector<AccessCost> access_costs(const Pattern& pattern, const EmulatorExecution& execution) {
  return Collector(pattern, execution).run();
}

}  // namespace sweep
