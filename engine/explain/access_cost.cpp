#include "engine/explain/access_cost.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "engine/emulator/count/model.h"
#include "engine/emulator/machine/fault.h"
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
  if (role == Role::any) return true;
  switch (verb) {
    case AccessVerb::load:
      return role == Role::load || role == Role::update;
    case AccessVerb::store:
      return role == Role::store || role == Role::update;
    case AccessVerb::atomic:
      return role == Role::atomic;
    case AccessVerb::copy:
      return false;
  }
  return false;
}

using Candidates = std::vector<const SourceAccess*>;

/// Whether all are one expression, written once or more often.
bool is_one(const Candidates& candidates) {
  return !candidates.empty() && std::ranges::all_of(candidates, [&](const SourceAccess* other) {
    return other->text == candidates.front()->text;
  });
}

Candidates with_role(const Candidates& candidates, AccessVerb verb) {
  Candidates result;
  std::ranges::copy_if(candidates, std::back_inserter(result),
                       [&](const SourceAccess* access) { return fits_role(verb, access->role); });
  return result;
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
      for (const KernelParameter& parameter : kernel.parameters) {
        parameters_.push_back(parameter.name);
      }
    }
    const std::size_t buffers = std::min(parameters_.size(), pattern.buffers.size());
    arrays_.assign(parameters_.begin(), parameters_.begin() + static_cast<std::ptrdiff_t>(buffers));
    for (const SharedVariable& variable : kernel_.shared_variables) {
      arrays_.push_back(variable.name);
    }
    if (!source_.dynamic_shared.empty()) arrays_.push_back(source_.dynamic_shared);
  }

  std::vector<AccessCost> run() {
    for (const Op& op : kernel_.ops) {
      if (verb_of(op.kind)) add_site(op);
    }
    std::ranges::stable_sort(costs_, [](const AccessCost& a, const AccessCost& b) {
      if (a.is_in_pattern != b.is_in_pattern) return a.is_in_pattern;
      if (a.file != b.file) return a.file < b.file;
      return a.line < b.line;
    });
    return std::move(costs_);
  }

 private:
  void add_site(const Op& op) {
    const SiteCount& site = execution_.counted().count.sites[op.detail];
    if (site.global.requests != 0) add(op, AccessSpace::global, site);
    if (site.shared.requests != 0) add(op, AccessSpace::shared, site);
    if (site.local.requests != 0) add(op, AccessSpace::local, site);
  }

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
    if (space == AccessSpace::shared) return shared_array(shape);
    const Allocation* allocation = execution_.memory().find(shape.low);
    if (allocation == nullptr || !allocation->contains(shape.high, 1)) return {};
    for (std::size_t i = 0; i < pattern_.buffers.size() && i < parameters_.size(); ++i) {
      if (pattern_.buffers[i].name == allocation->name) return parameters_[i];
    }
    return allocation->name;
  }

  std::string shared_array(const AddressShape& shape) const {
    for (const SharedVariable& variable : kernel_.shared_variables) {
      const bool is_inside =
          shape.low >= variable.offset && shape.high - variable.offset < variable.bytes;
      if (is_inside) return variable.name;
    }
    return shape.low >= kernel_.static_shared_bytes ? source_.dynamic_shared : std::string();
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
    const AccessTraits traits = {cost.line, cost.verb, cost.space, cost.array};
    if (const auto name = name_access(source_, traits, arrays_)) {
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
      const bool is_alike = other.file == cost.file && other.line == cost.line &&
                            other.text == cost.text && other.array == cost.array &&
                            other.verb == cost.verb && other.space == cost.space &&
                            other.width == cost.width;
      const bool is_certain = cost.is_expression && !cost.text.ends_with("[...]");
      return is_alike &&
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
  std::vector<std::string> parameters_;  ///< the kernel's, as its source names them
  std::vector<std::string> arrays_;
  std::vector<AccessCost> costs_;
};

}  // namespace

std::optional<AccessName> name_access(const SourceText& source, const AccessTraits& access,
                                      const std::vector<std::string>& arrays) {
  const bool has_macro =
      std::ranges::find(source.macro_lines, access.line) != source.macro_lines.end();
  if (has_macro) return std::nullopt;
  const auto may_be = [&](const SourceAccess& found) {
    if (found.first_line > access.line || found.last_line < access.line) return false;
    if (access.space == AccessSpace::local) {
      return !is_in(arrays, found.base) && !is_in(source.pointers, found.base) &&
             !found.is_argument;
    }
    if (found.base == access.array) return true;
    return is_in(source.pointers, found.base) && !is_in(arrays, found.base);
  };
  Candidates direct;
  Candidates arguments;
  for (const SourceAccess& found : source.accesses) {
    if (may_be(found)) (found.is_argument ? arguments : direct).push_back(&found);
  }
  for (const Candidates& candidates : {with_role(direct, access.verb), arguments, direct}) {
    if (is_one(candidates))
      return AccessName{candidates.front()->text, candidates.front()->first_line};
    if (candidates.empty()) continue;
    if (access.array.empty()) return std::nullopt;
    return AccessName{access.array + "[...]", access.line};
  }
  return std::nullopt;
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
  switch (verb) {
    case AccessVerb::load:
      return "load";
    case AccessVerb::store:
      return "store";
    case AccessVerb::atomic:
      return "atomic";
    case AccessVerb::copy:
      break;
  }
  return "copy";
}

std::string_view name_of(AccessSpace space) {
  switch (space) {
    case AccessSpace::global:
      return "global";
    case AccessSpace::shared:
      return "shared";
    case AccessSpace::local:
      break;
  }
  return "local";
}

std::vector<AccessCost> access_costs(const Pattern& pattern, const EmulatorExecution& execution) {
  return Collector(pattern, execution).run();
}

}  // namespace sweep
