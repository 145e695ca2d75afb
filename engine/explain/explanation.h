#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/explain/access_cost.h"

namespace sweep {

/// What would make an access cheaper, in one or two sentences drawn from its counts and addresses
/// alone; empty when nothing is known to help. `all` are the kernel's accesses, this one among
/// them: they tell fields of one structure from lone strides.
std::string advise(const AccessCost& access, std::span<const AccessCost> all,
                   const MemoryModel& model);

/// What one configuration's memory accesses cost, line by line.
struct Explanation {
  Configuration configuration;
  std::string device;  ///< the emulator's name
  MemoryModel model;
  std::vector<std::string> notes;  ///< how the figures came about
  /// False: the figures are of the executed blocks, which are not all.
  bool are_totals = true;
  double executed_share = 1;         ///< of the grid's blocks
  std::vector<AccessCost> accesses;  ///< by line
  std::vector<std::string> advice;   ///< one for each access; empty where nothing helps

  /// Bytes wanted of bytes moved, in %, of the global accesses of a kind; nothing without any.
  std::optional<double> efficiency(AccessVerb verb) const;
  /// Wavefronts of shared accesses beyond those without conflicts.
  std::uint64_t conflicts() const;
  bool uses(AccessSpace space) const;
  /// The accesses with advice, that with the most beyond its ideal first; as indices.
  std::vector<std::size_t> worst_first() const;
};

/// After the execution's launch, with EmulatorSettings::notes_shapes.
Explanation explain(const Configuration& configuration, const std::string& device,
                    const MemoryModel& model, const EmulatorExecution& execution);

/// The pattern's source with what each line's accesses cost below it, then what costs most and what
/// would help. Text is folded at 100 columns; lines of source are left as they are.
std::string write_listing(const Explanation& explanation, bool color);

/// The same as one JSON object.
std::string write_explanation_json(const Explanation& explanation);

}  // namespace sweep
