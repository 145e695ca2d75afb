#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/emulator/execution/emulator_execution.h"
#include "engine/explain/source_access.h"
#include "engine/spec/pattern.h"

namespace sweep {

enum class AccessVerb { load, store, atomic, copy };
enum class AccessSpace { global, shared, local };

/// What the executed memory instructions of one expression of the source cost together. A generic
/// instruction that reached two memories is two of them.
struct AccessCost {
  std::string file;
  std::size_t line = 0;  ///< 0: the compiler does not tell
  std::size_t column = 0;
  bool is_in_pattern = false;  ///< the line is one of the pattern's own
  /// The expression, or the whole line where the source does not tell which of its parts it is.
  std::string text;
  bool is_expression = false;
  std::string array;  ///< the name of the memory it reached, where it is one array's
  AccessVerb verb = AccessVerb::load;
  AccessSpace space = AccessSpace::global;
  std::uint32_t width = 4;         ///< bytes that a lane accesses
  std::uint32_t instructions = 0;  ///< in the machine's program
  GlobalCount memory;              ///< of global and local accesses
  SharedCount shared;              ///< of shared accesses
  AddressShape shape;

  std::uint64_t requests() const;
  /// What it cost: sectors, or wavefronts of a shared access.
  std::uint64_t cost() const;
  /// What it would cost if the lanes' bytes lay as densely as possible, each request costing one.
  std::uint64_t ideal() const;
  std::uint64_t excess() const;
  /// Bytes wanted of those moved; of a shared access of those that its wavefronts could move.
  double efficiency() const;
};

std::string_view name_of(AccessVerb verb);
std::string_view name_of(AccessSpace space);

/// The accesses that were executed, by line. Throws nothing; what cannot be told is left empty.
std::vector<AccessCost> access_costs(const Pattern& pattern, const EmulatorExecution& execution);

/// What is known about an executed access before its expression is looked for.
struct AccessTraits {
  std::size_t line = 0;
  AccessVerb verb = AccessVerb::load;
  AccessSpace space = AccessSpace::global;
  std::string array;  ///< the source's name for the memory it reached; empty: unknown
};

struct AccessName {
  std::string text;      ///< "data[i * STRIDE]"; "data[...]" when several would fit
  std::size_t line = 0;  ///< where the expression begins
};

/// The expression that an access comes from, when the source leaves no doubt about it. `arrays` are
/// the source's names of all known arrays.
std::optional<AccessName> name_access(const SourceText& source, const AccessTraits& access,
                                      const std::vector<std::string>& arrays);

}  // namespace sweep
