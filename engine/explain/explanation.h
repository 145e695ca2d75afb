#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/emulator/execution/emulator_backend.h"
#include "engine/spec/pattern.h"

namespace sweep {

// What CUDA source declares, found without parsing it. `code` has comments, literals and
// preprocessor lines blanked (blank_non_code); each name comes once, in the order found.

/// Names that stand behind a `*` or `auto` and qualifiers, and before `=`, `,`, `;`, `)` or `{`.
std::vector<std::string> pointer_names(std::string_view code);

/// Names of arrays without a size that are declared `extern`: dynamic shared memory.
std::vector<std::string> dynamic_array_names(std::string_view code);

/// The macros of `cuda` whose replacement may touch memory.
std::vector<std::string> memory_macros(std::string_view cuda);

/// An expression in CUDA source that may touch memory.
struct SourceAccess {
  enum class Role {
    load,
    store,
    update,  ///< += and its kin: loads and stores
    atomic,  ///< what an atomic function gets the address of
    any,     ///< its address goes elsewhere
  };
  std::string base;  ///< the name it starts from
  std::string text;  ///< as it stands there, blanks and line breaks made one blank
  std::size_t first_line = 0;
  std::size_t last_line = 0;
  Role role = Role::load;
  bool is_argument = false;  ///< a pointer handed to a function, `data + i`
};

/// What can be told from CUDA source about its memory accesses, without understanding its types.
struct SourceText {
  std::vector<SourceAccess> accesses;
  std::vector<std::string> pointers;  ///< names declared as pointers, or with `auto`
  std::string dynamic_shared;         ///< the `extern __shared__` array, when there is one alone
  /// Lines that use a macro of the file that may touch memory: nothing can be told about them.
  std::vector<std::size_t> macro_lines;
};

/// Finds subscripts, dereferences and pointers to members; lines count from `first_line`.
SourceText read_source_text(std::string_view cuda, std::size_t first_line);

enum class AccessVerb { load, store, atomic, copy };
/// `remote` is the shared memory of the cluster's other blocks.
enum class AccessSpace { global, shared, local, remote };

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
  std::uint32_t width = 4;         ///< bytes that a lane accesses, as the hardware executes it
  std::uint32_t instructions = 0;  ///< in the machine's program
  std::uint32_t joined = 0;   ///< further ones of the PTX, which the compiler made part of these
  bool is_uncertain = false;  ///< what the compiler made of it is not known: it is as in the PTX
  GlobalCount memory;         ///< of global and local accesses
  SharedCount shared;         ///< of shared accesses
  RemoteCount remote;         ///< of those to other blocks, whose cost is not known
  AddressShape shape;
  /// What the warps did as they came by, of each copy that the compiler made of the expression.
  std::vector<std::vector<AddressShape::Visit>> visits;
  struct Caller {
    std::string place;  ///< "line 45"
    std::uint64_t requests = 0;
    std::uint64_t cost = 0;
  };
  std::vector<Caller> callers;  ///< of the function that it stands in, where that was inlined
  std::string advice;           ///< what would make it cheaper; empty where nothing helps

  std::uint64_t requests() const {
    return space == AccessSpace::shared   ? shared.requests
           : space == AccessSpace::remote ? remote.requests
                                          : memory.requests;
  }
  /// What it cost: sectors, or wavefronts of a shared access.
  std::uint64_t cost() const {
    return space == AccessSpace::shared ? shared.wavefronts : memory.sectors;
  }
  /// What it would cost if the lanes' bytes lay as densely as possible, each request costing one.
  std::uint64_t ideal() const;
  std::uint64_t excess() const { return cost() - ideal(); }
  /// Whether it is one expression's alone.
  bool is_certain() const;
  double lanes_per_request() const;
  /// By iteration of the loop that it stands in; empty where the copies of an unrolled loop were
  /// not executed equally often.
  std::vector<AddressShape::Visit> iterations() const;
};

struct AccessName {
  std::string text;      ///< "data[i * STRIDE]"; "data[...]" when several would fit
  std::size_t line = 0;  ///< where the expression begins
};

/// The expression that an access comes from, when the source leaves no doubt about it: found by its
/// line, verb, space and array. `arrays` are the source's names of all known arrays.
std::optional<AccessName> name_access(const SourceText& source, const AccessCost& access,
                                      const std::vector<std::string>& arrays);

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
  double executed_share = 1;                 ///< of the grid's blocks
  std::vector<AccessCost> accesses;          ///< those executed, by line
  std::vector<std::string> prediction = {};  ///< sentences on the time that it would take on a GPU
};

/// After the execution's launch, with EmulatorSettings::notes_shapes. What cannot be told is left
/// empty.
Explanation explain(const Configuration& configuration, const std::string& device,
                    const MemoryModel& model, const EmulatorExecution& execution);

/// "load in[i * STRIDE]: 32 sectors/request (ideal 4), 12.5 % useful", and where the figures are
/// totals how many sectors or wavefronts in all.
std::string describe_cost(const AccessCost& access, const Explanation& explanation);

/// The pattern's source with what each line's accesses cost below it, then what costs most and what
/// would help. Text is folded at 100 columns; lines of source are left as they are.
std::string write_listing(const Explanation& explanation, bool color);

/// The same as one JSON object.
std::string write_explanation_json(const Explanation& explanation);

}  // namespace sweep
