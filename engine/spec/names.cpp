#include "engine/spec/names.h"

#include <algorithm>
#include <array>

#include "engine/spec/spec_limits.h"
#include "engine/text/characters.h"
#include "engine/text/element_type.h"

namespace sweep {
namespace {

constexpr std::array<std::string_view, 92> keywords = {
    "alignas",       "alignof",     "and",
    "and_eq",        "asm",         "auto",
    "bitand",        "bitor",       "bool",
    "break",         "case",        "catch",
    "char",          "char16_t",    "char32_t",
    "char8_t",       "class",       "co_await",
    "co_return",     "co_yield",    "compl",
    "concept",       "const",       "const_cast",
    "consteval",     "constexpr",   "constinit",
    "continue",      "decltype",    "default",
    "delete",        "do",          "double",
    "dynamic_cast",  "else",        "enum",
    "explicit",      "export",      "extern",
    "false",         "float",       "for",
    "friend",        "goto",        "if",
    "inline",        "int",         "long",
    "mutable",       "namespace",   "new",
    "noexcept",      "not",         "not_eq",
    "nullptr",       "operator",    "or",
    "or_eq",         "private",     "protected",
    "public",        "register",    "reinterpret_cast",
    "requires",      "return",      "short",
    "signed",        "sizeof",      "static",
    "static_assert", "static_cast", "struct",
    "switch",        "template",    "this",
    "thread_local",  "throw",       "true",
    "try",           "typedef",     "typeid",
    "typename",      "union",       "unsigned",
    "using",         "virtual",     "void",
    "volatile",      "wchar_t",     "while",
    "xor",           "xor_eq",
};

constexpr std::array<std::string_view, 17> taken = {
    "i",      "threadIdx", "blockIdx",    "blockDim",     "gridDim",  "warpSize",
    "size_t", "pattern",   "min",         "max",          "ceil_div", "is_pow2",
    "log2",   "splat",     "random_bits", "random_below", "permuted",
};

}  // namespace

std::string_view why_not_a_name(std::string_view name) {
  if (name.size() > spec_limits::name_bytes) return "is longer than 255 characters";
  if (name.empty() || !std::ranges::all_of(name, is_word) || is_digit(name.front())) {
    return "is not a name: use letters, digits and _, a letter first";
  }
  if (std::ranges::find(keywords, name) != keywords.end()) return "is a word of C++";
  if (ElementType::find(name)) return "is an element type";
  if (std::ranges::find(taken, name) != taken.end()) return "has another meaning in a pattern";
  if (name.starts_with("__") || name.starts_with("sweep_")) return "is reserved";
  return {};
}

}  // namespace sweep
