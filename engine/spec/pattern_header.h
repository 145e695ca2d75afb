#pragma once

#include "engine/spec/map_reader.h"
#include "engine/spec/pattern.h"
#include "engine/text/yaml.h"

namespace sweep {

/// Whether `name` may be a parameter's, buffer's, argument's or struct's name: a C++ identifier
/// that means nothing else in CUDA C++ or in a pattern. Empty then, otherwise the
/// reason, as in "is a word of C++".
std::string_view why_not_a_name(std::string_view name);

/// Where the header's YAML and the CUDA source lie in a pattern file, as byte offsets.
struct PatternLayout {
  std::size_t header_begin = 0;
  std::size_t header_end = 0;
  std::size_t body_begin = 0;
  Location where;  ///< of the comment
};

/// Finds the header: the YAML after "pattern:" in the file's first block comment. Only blanks and
/// `//` comments may stand before it.
std::optional<PatternLayout> find_header(const SourcePtr& source, Diagnostics& diagnostics);

/// The header of a pattern's text that a database has kept, a map; nothing, with errors, where
/// there is none.
std::optional<YamlNode> read_stored_header(const std::string& text, Diagnostics& diagnostics);

/// An expression of a header that comes to an integer.
struct HeaderFigure {
  Expression expression;
  std::string what;        ///< "the length of 'in'"
  std::int64_t least = 0;  ///< that it may be
};

/// What the checks of a pattern need besides it, so that one mistake has one message.
struct HeaderReading {
  std::vector<HeaderFigure> figures;
  std::vector<std::string> names;        ///< of parameters, structs, buffers and arguments
  std::vector<std::string> mistyped;     ///< buffers and arguments of a type there is not
  bool lacks_kernel_parameters = false;  ///< buffers or arguments are missing altogether
  std::vector<Step> reference;           ///< the launches of `reference`
  Location reference_where;
};

/// Reads the header's keys into `pattern` and checks names, types and kinds of expressions.
HeaderReading read_header(const YamlNode& header, Pattern& pattern, Diagnostics& diagnostics);

/// The CUDA C++ in a scalar.
std::optional<CudaExpression> read_cuda(const YamlNode& node, std::string_view what,
                                        Diagnostics& diagnostics);

/// The file of a map with the keys `file` and `type`, if it names one; it is not opened. `types`
/// are what a buffer's type may be; of none nothing is known.
std::optional<DataFile> read_data_keys(const MapReader& reader,
                                       const std::vector<std::string>& types,
                                       Diagnostics& diagnostics);

/// What the elements of a buffer are compared with, from a map of `verify_keys`. The pattern's
/// buffers are read before; with a reference it is that unless the map says another.
std::optional<Verification> read_comparison(const Pattern& pattern, const std::string& buffer,
                                            const YamlNode& node,
                                            const std::vector<std::string>& types,
                                            bool has_reference, Diagnostics& diagnostics);

/// Checks what was read beside the CUDA source: the kernel's signature, and that the default
/// configuration evaluates and satisfies the pattern's own requirements. Notes which buffers the
/// kernel takes as pointers to const.
void check_pattern(Pattern& pattern, HeaderReading& header, Diagnostics& diagnostics);

/// Gives the pattern its reference, of the launches that the header asks for, and where it has no
/// `verify` comparisons with what these write. The pattern is checked and its included files are
/// whole.
void add_reference(Pattern& pattern, const HeaderReading& header, Diagnostics& diagnostics);

/// The reference, compiled as the pattern is, but for fast math and a limit of registers, with
/// those of the pattern's parameters that it names.
PatternPtr fitted_reference(Pattern reference, const Pattern& pattern);

/// The blocks that a pattern file of this text launches with these parameters, by its header alone.
/// Nothing where the text is none or the grid cannot be computed.
std::optional<double> launch_blocks(const std::string& pattern_text, const Bindings& parameters);

}  // namespace sweep
