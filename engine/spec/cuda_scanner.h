#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/diagnostic.h"

namespace sweep {

/// The text with comments, string and character literals and preprocessor lines blanked; every
/// other character keeps its place, line breaks stay.
std::string blank_non_code(std::string_view cuda);

/// Of code without comments: the place from `at` on that is no white space.
std::size_t skip_space(std::string_view code, std::size_t at);
/// The place behind the word at `at`.
std::size_t end_of_word(std::string_view code, std::size_t at);
/// The word at `at`, or nothing.
std::string_view word_at(std::string_view code, std::size_t at);

/// The words of code without comments, and its other characters one by one, as parts of that text.
using CudaTokens = std::span<const std::string_view>;
std::vector<std::string_view> cuda_tokens(std::string_view code);
/// Whether the token is a word that begins with no digit.
bool is_name_token(std::string_view token);
/// Whether this token stands there.
bool has_at(CudaTokens tokens, std::size_t at, std::string_view text);
bool has_token(CudaTokens tokens, std::string_view text);
/// The place after the bracket that closes the one at `open`; nothing when it is never closed.
std::optional<std::size_t> after_matching(CudaTokens tokens, std::size_t open,
                                          std::string_view closing);
/// What stands between the commas outside all brackets; nothing for no tokens. In an expression
/// `<` and `>` are no brackets.
enum class Angles { are_brackets, are_operators };
std::vector<CudaTokens> split_at_commas(CudaTokens tokens, Angles angles = Angles::are_brackets);
/// The text from the first token to the last.
std::string_view code_of(CudaTokens tokens);

/// A preprocessor line, with the lines it is continued on.
struct Directive {
  std::string name;        ///< "include", "if", ...; empty when no word follows the '#'
  std::size_t offset = 0;  ///< of the '#' in the scanned text
  std::size_t length = 0;  ///< up to the line break that ends it
  std::string text;        ///< the part after the name: the last text.size() of its characters
};

/// Every preprocessor line of the text, in order; what looks like one in a comment or a literal is
/// none.
std::vector<Directive> find_directives(std::string_view cuda);

/// The macro that a #define defines; empty for another line.
std::string defined_macro(const Directive& directive);

/// A piece of a text.
struct Extent {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Every comment outside preprocessor lines.
std::vector<Extent> find_comments(std::string_view cuda);

/// Where a block comment begins that is never closed.
std::optional<std::size_t> find_open_comment(std::string_view cuda);

/// One parameter of a kernel, as declared.
struct KernelParameter {
  std::string type;        ///< without const, volatile and restrict; "T*", for an array too
  std::string name;        ///< empty when there is none
  bool is_const = false;   ///< a pointer to const
  std::size_t offset = 0;  ///< of the declaration's first character in the scanned text
  std::size_t length = 0;
  std::string default_value = {};

  bool is_pack() const { return type.ends_with("..."); }
};

/// A parameter of a template, as declared.
struct TemplateParameter {
  std::string type;  ///< of its value: "int"; "typename" for a type, "template" for a template
  std::string name;  ///< empty when there is none
  std::string default_value;
  bool is_pack = false;
};

/// A `__global__` function found in CUDA source.
struct KernelDeclaration {
  std::string name;
  std::size_t offset = 0;  ///< of the name
  bool is_template = false;
  bool is_extern_c = false;
  bool is_in_namespace = false;
  std::vector<KernelParameter> parameters;
  std::vector<TemplateParameter> template_parameters = {};
  std::string scope = {};          ///< the named namespaces: "a::b"
  std::string launch_bounds = {};  ///< the most threads that a block has, as declared
  std::string_view body = {};  ///< what stands in its braces, without comments; see find_kernels
};

/// The macros without parameters that the text defines as something with `__global__` in it.
std::vector<std::string> kernel_macros(std::string_view cuda);

/// Every `__global__` function that the text declares, in order; `macros` stand for `__global__`
/// besides its own. With `code`, the text as blank_non_code gives it, bodies are parts of that.
std::vector<KernelDeclaration> find_kernels(std::string_view cuda,
                                            std::vector<std::string> macros = {});
std::vector<KernelDeclaration> find_kernels_in(std::string_view code,
                                               std::span<const std::string> macros = {});

/// The name under which a C++ type is known to ElementType ("unsigned int" -> "uint32_t"), or the
/// type's own text.
std::string canonical_type(std::string_view type);

/// Whether the compiler can be given the CUDA source that stands in `source` from byte `begin` on:
/// no line is too long, no comment is left open, and brackets do not stand in each other too deep
/// (spec_limits). If not, adds a message.
bool check_code_shape(const SourcePtr& source, std::size_t begin, Diagnostics& diagnostics);

/// Whether every bracket has its partner in the CUDA source from byte `begin` on, as far as the
/// text tells; if not, adds a message about one without, which the indents help to choose. For code
/// that does not compile: included files and macros can make good what looks wrong.
bool check_brackets(const SourcePtr& source, std::size_t begin, Diagnostics& diagnostics);

/// The same as check_code_shape for the CUDA expression `text` of a pattern's header.
void check_expression_shape(std::string_view text, const Location& where, Diagnostics& diagnostics);

}  // namespace sweep
