#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/jit/nvrtc.h"
#include "engine/spec/pattern.h"

namespace sweep {

/// A line that is moved out of the body.
struct Include {
  std::size_t offset = 0;  ///< in the body
  std::string text;
};

/// A pattern's body, to stand in the namespaces of its configurations. Its #include lines are moved
/// out and blanked, but for those under a condition, and for files beside the pattern that name
/// what only a configuration has: these are compiled with it.
struct SplitBody {
  std::string text;
  std::vector<Include> includes;
  bool has_files = false;           ///< that are compiled with each configuration
  std::vector<std::string> macros;  ///< that it defines, and they
};

SplitBody split_body(const Pattern& pattern);

/// The pattern's included files, which name one another by the names of these headers. Those that
/// are compiled with each configuration have C++'s linkage for C's.
std::vector<SourceHeader> source_headers(const Pattern& pattern);

/// The parameters that a piece of a translation unit depends on, by name, in the pattern's order.
using ParameterNames = std::vector<std::string>;

/// What one of the functions that initialise and check depends on.
struct FunctionDependence {
  /// Whether it may use what the pattern's body declares or defines, so that it must stand behind
  /// it. Its parameters are then among the body's.
  bool needs_body = false;
  ParameterNames parameters;
};

/// What the pieces of a pattern's translation unit depend on: two configurations that agree in a
/// piece's parameters can share it. Where the text alone does not tell, it is all parameters.
struct TextDependence {
  ParameterNames body;  ///< the pattern's body, its structs, and the functions that need it
  std::vector<FunctionDependence> init;   ///< one per buffer; empty where it has no `init`
  std::vector<FunctionDependence> check;  ///< one per verification
};

/// Works it out from the identifiers in the text. A body depends on the parameters it names, in
/// macros and comments too; on all where it includes other headers than those of the engine and
/// of CUDA, pastes tokens, or has variables that outlive a launch, which configurations must not
/// share. A function can do without the body when it uses nothing but its buffers, `i`,
/// parameters, and types and functions that are always there and that the body does not redefine.
TextDependence text_dependence(const Pattern& pattern);

/// The values that a configuration gives to these parameters, as one string.
std::string values_of(const Configuration& configuration, const ParameterNames& parameters);

/// A condition of the form `actual == expected`.
struct Equality {
  std::string_view actual;
  std::string_view expected;
};

/// Splits a CUDA expression at its only `==`; nothing when it has another form, such as
/// `a == b && c == d`, so that only the condition as a whole can be evaluated.
std::optional<Equality> split_equality(std::string_view condition);

/// Of a variable that is filled, and of the function that does so.
struct ConstantNames {
  std::string symbol;  ///< in C++; once compiled, as in the program
  std::string fill;
};

/// Of a step's functions.
struct StepNames {
  std::string kernel;     ///< in C++; once compiled, as in the program
  std::string pack = {};  ///< empty where buffers and scalars are the parameters
};

/// The names of one configuration's functions in a translation unit.
struct EntryNames {
  std::vector<StepNames> steps = {StepNames()};
  std::vector<std::string> init;   ///< one per buffer; empty where it has no `init`
  std::vector<std::string> check;  ///< one per verification
  std::vector<ConstantNames> constants = {};
  /// One per buffer, with its elements' bytes in it once compiled, as bytes_in reads them; empty
  /// where the header says how large these are.
  std::vector<std::string> sizes = {};
};

/// Of a buffer's element, from the compiled name.
std::uint64_t bytes_in(std::string_view size_name);

/// Whether the name stands for an element's place, a buffer or a value in the header's CUDA: a
/// macro of that name is none there.
bool means_of_header(const Pattern& pattern, std::string_view name);

/// CUDA source that holds several configurations of one pattern.
struct TranslationUnit {
  std::string text;
  std::vector<std::string> symbols;  ///< C++ names: the compiler gives their lowered forms
  std::vector<EntryNames> entries;   ///< one per configuration
};

/// Writes the source of `configurations`, all of one pattern: each in a namespace of its own with
/// the parameters it needs as constants, integers being `int` where they fit and `long long`
/// otherwise. What agrees in all parameters it depends on (see TextDependence) is written once:
/// configurations may have kernels, `init` and check functions in common. The pattern's #include
/// lines stand once, before all of them, but those under a condition stay where they are; macros
/// end with the configuration that defines them. `#line` makes the compiler's messages name the
/// pattern file's lines and columns, those of `init` and `verify` too.
///
/// The functions that initialise and check have these signatures; the buffers are all of the
/// pattern's, in order. Each thread of a one-dimensional grid has one element, and the grid must
/// have as many: a loop would cost half as much again to compile.
///   init:  (buffers..., unsigned long long length)
///   check: (buffers..., [expected,] unsigned long long begin, unsigned long long end, failure*)
///   pack:  (buffers..., scalars..., what the step repeats as int..., unsigned char*)
///   fill:  (buffers..., void*, unsigned long long bytes), of any number of threads
/// `pack`, of one thread, writes the number of bytes of the kernel's parameters, as u64, and these.
/// `expected` points to an array of the buffer's type, where the expected values are one; that of a
/// reference's buffer has that one's type. `failure`
/// is struct { u64 count, first, worst; shown actual, expected; double difference, allowed; u64
/// ulps; } as CheckResult explains, with shown = struct { i32 kind, components; u64 bits[4]; };
/// what is of one element is shown when end - begin == 1.
TranslationUnit write_translation_unit(std::span<const Configuration> configurations);

/// CUDA source that declares what only this configuration's body may use, beside editor_prelude():
/// its parameters, its macros, and the headers of CUDA that its element types need.
std::string declarations_of(const Configuration& configuration);

}  // namespace sweep
