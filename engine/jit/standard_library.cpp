#include "engine/jit/standard_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/spec/cuda_scanner.h"
#include "engine/spec/cuda_words.h"
#include "engine/text/characters.h"

namespace sweep {
namespace {

/// A header that CUDA has a form of, in cuda/std.
struct StandardHeader {
  std::string_view name;
  std::string_view declares;  ///< what kernels are likely to use
};

constexpr std::array<StandardHeader, 28> standard_headers = {{
    {"type_traits",
     " add_const add_const_t add_lvalue_reference add_lvalue_reference_t add_pointer add_pointer_t "
     "aligned_storage aligned_storage_t alignment_of bool_constant common_type common_type_t "
     "conditional conditional_t conjunction conjunction_v decay decay_t disjunction disjunction_v "
     "enable_if enable_if_t extent extent_v false_type integral_constant invoke_result "
     "invoke_result_t is_arithmetic is_arithmetic_v is_array is_array_v is_assignable is_base_of "
     "is_base_of_v is_class is_class_v is_const is_const_v is_constant_evaluated is_constructible "
     "is_constructible_v is_convertible is_convertible_v is_default_constructible "
     "is_default_constructible_v is_empty is_empty_v is_enum is_enum_v is_floating_point "
     "is_floating_point_v is_function is_function_v is_fundamental is_fundamental_v is_integral "
     "is_integral_v is_invocable is_invocable_v is_lvalue_reference is_lvalue_reference_v "
     "is_pointer is_pointer_v is_reference is_reference_v is_same is_same_v is_scalar is_scalar_v "
     "is_signed is_signed_v is_standard_layout is_standard_layout_v is_trivial is_trivial_v "
     "is_trivially_copyable is_trivially_copyable_v is_unsigned is_unsigned_v is_void is_void_v "
     "is_volatile is_volatile_v make_signed make_signed_t make_unsigned make_unsigned_t negation "
     "negation_v rank rank_v remove_all_extents remove_all_extents_t remove_const remove_const_t "
     "remove_cv remove_cv_t remove_cvref remove_cvref_t remove_extent remove_extent_t "
     "remove_pointer remove_pointer_t remove_reference remove_reference_t remove_volatile "
     "remove_volatile_t true_type type_identity type_identity_t underlying_type "
     "underlying_type_t void_t "},
    {"utility",
     " as_const declval exchange in_place index_sequence index_sequence_for "
     "integer_sequence make_index_sequence make_integer_sequence make_pair pair swap "},
    {"limits", " float_denorm_style float_round_style numeric_limits "},
    {"tuple",
     " apply forward_as_tuple get ignore make_from_tuple make_tuple tie tuple tuple_cat "
     "tuple_element_t tuple_size_v "},
    {"array", " array to_array "},
    {"functional",
     " bit_and bit_not bit_or bit_xor cref divides equal_to greater greater_equal hash identity "
     "invoke less less_equal logical_and logical_not logical_or minus modulus multiplies negate "
     "not_equal_to plus ref reference_wrapper "},
    {"bit",
     " bit_cast bit_ceil bit_floor bit_width countl_one countl_zero countr_one countr_zero endian "
     "has_single_bit popcount rotl rotr "},
    {"algorithm",
     " all_of any_of copy copy_if copy_n count count_if equal equal_range fill fill_n find find_if "
     "for_each lower_bound max_element min_element minmax none_of reverse rotate swap_ranges "
     "transform upper_bound "},
    {"numeric",
     " accumulate adjacent_difference gcd inclusive_scan inner_product iota lcm "
     "midpoint partial_sum reduce "},
    {"cmath",
     " fpclassify isgreater isgreaterequal isless islessequal islessgreater isnormal isunordered "
     "lerp "},
    {"concepts",
     " convertible_to derived_from floating_point integral invocable same_as signed_integral "
     "unsigned_integral "},
    {"cstddef", " byte max_align_t "},
    {"complex", " complex norm polar "},
    {"initializer_list", " "},
    {"iterator", " advance begin distance end iterator_traits next prev reverse_iterator size "},
    {"memory", " addressof assume_aligned "},
    {"optional", " nullopt nullopt_t optional "},
    {"ratio", " ratio "},
    {"span", " dynamic_extent span "},
    {"variant", " get_if holds_alternative monostate variant visit "},
    {"chrono", " "},
    {"cfloat", " "},
    {"climits", " "},
    {"cstdint", " "},
    {"cstring", " "},
    {"numbers", " "},
    {"version", " "},
    {"mdspan", " mdspan "},
}};

/// Math functions of one number, and of two, which <cmath> has for integers too.
constexpr std::string_view unary =
    " acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs floor "
    "lgamma log log10 log1p log2 logb nearbyint rint round sin sinh sqrt tan tanh tgamma trunc ";
constexpr std::string_view binary =
    " atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder ";

/// What else the compiler and the prelude declare outside of all namespaces.
constexpr std::string_view others =
    " abs fma frexp ilogb isfinite isinf isnan labs ldexp llabs llrint llround lrint lround modf "
    "nan remquo scalbln scalbn signbit clock free malloc memcpy memset printf ptrdiff_t size_t "
    "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t ";

bool is_global(std::string_view name) {
  if (is_in_list(unary, name) || is_in_list(binary, name) || is_in_list(others, name)) return true;
  // sqrtf
  const std::string_view base = name.substr(0, name.empty() ? 0 : name.size() - 1);
  return name.ends_with('f') && (is_in_list(unary, base) || is_in_list(binary, base));
}

/// What compiles faster than CUDA's headers, and what the compiler or these have in std already.
struct OwnDefinition {
  std::string_view name;
  std::string_view text;
};
constexpr std::array<OwnDefinition, 9> own_definitions = {{
    {"max",
     "template <class T> constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }\n"
     "template <class T, class Less> constexpr const T& max(const T& a, const T& b, Less less) {\n"
     "  return less(a, b) ? b : a;\n}\n"},
    {"min",
     "template <class T> constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }\n"
     "template <class T, class Less> constexpr const T& min(const T& a, const T& b, Less less) {\n"
     "  return less(b, a) ? b : a;\n}\n"},
    {"clamp",
     "template <class T>\nconstexpr const T& clamp(const T& v, const T& low, const T& high) {\n"
     "  return v < low ? low : high < v ? high : v;\n}\n"},
    {"nullptr_t", "using nullptr_t = decltype(nullptr);\n"},
    {"forward", ""},
    {"initializer_list", ""},
    {"move", ""},
    {"tuple_element", ""},
    {"tuple_size", ""},
}};

constexpr std::string_view numbers = R"(
template <class T>
concept sweep_integer = requires(T v) { v % 1; };
template <class T>
inline constexpr bool sweep_is_number = sweep_integer<T>;
template <>
inline constexpr bool sweep_is_number<float> = true;
template <>
inline constexpr bool sweep_is_number<double> = true;
)";

/// What texts name.
struct Names {
  WordSet all;
  WordSet qualified;        ///< with std:: before them
  bool uses_space = false;  ///< using namespace std
};

void add_names(std::string_view text, Names& names) {
  const std::string code = blank_non_code(text);
  const std::vector<std::string_view> tokens = cuda_tokens(code);
  const CudaTokens all = tokens;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (!is_name_token(tokens[at])) continue;
    names.all.emplace(tokens[at]);
    if (tokens[at] != "std") continue;
    const bool is_of_cuda = at >= 3 && tokens[at - 1] == ":" && tokens[at - 3] == "cuda";
    if (has_at(all, at + 1, ":") && at + 3 < tokens.size() && !is_of_cuda) {
      names.qualified.emplace(tokens[at + 3]);
    }
    names.uses_space |= has_at(all, at + 1, ";") && at >= 2 && tokens[at - 1] == "namespace" &&
                        tokens[at - 2] == "using";
  }
}

/// The names of the macros that the texts use, and of those that these use.
void add_macros(const std::vector<std::string_view>& texts, Names& names) {
  std::vector<Directive> definitions;
  for (const std::string_view text : texts) {
    for (Directive& directive : find_directives(text)) {
      if (!defined_macro(directive).empty()) definitions.push_back(std::move(directive));
    }
  }
  constexpr int deepest_use = 16;  // in each other
  for (int depth = 0; depth < deepest_use; ++depth) {
    const auto used_from = std::partition(
        definitions.begin(), definitions.end(),
        [&](const Directive& each) { return !names.all.contains(defined_macro(each)); });
    if (used_from == definitions.end()) break;
    for (auto used = used_from; used != definitions.end(); ++used) add_names(used->text, names);
    definitions.erase(used_from, definitions.end());
  }
}

class LibraryWriter {
 public:
  LibraryWriter(Names names, const std::vector<std::string_view>& included,
                const std::function<bool(std::string_view)>& is_in_toolkit)
      : names_(std::move(names)), included_(included), is_in_toolkit_(is_in_toolkit) {}

  std::string write() {
    std::string text;
    for (const std::string& name : names_.all) text += for_integers(name);
    if (!text.empty()) text.insert(0, numbers);
    if (!names_.qualified.empty() || names_.uses_space) text += write_space();
    return text.empty() ? text : "#pragma once\n" + text;
  }

 private:
  static std::string for_integers(std::string_view name) {
    if (is_in_list(unary, name)) {
      return fmt::format(
          "template <sweep_integer T> inline double {0}(T x) {{ return {0}(double(x)); }}\n", name);
    }
    if (is_in_list(binary, name)) {
      return fmt::format(
          "template <class T, class U> requires(sweep_is_number<T> && sweep_is_number<U>)\n"
          "inline double {0}(T x, U y) {{\n"
          "  return {0}(double(x), double(y));\n}}\n",
          name);
    }
    return {};
  }

  /// Whether the program names it as one of std's.
  bool is_named(std::string_view name) const {
    return names_.qualified.contains(name) || (names_.uses_space && names_.all.contains(name));
  }

  /// CUDA's own form of a header, if the toolkit has one.
  std::string own_form(std::string_view header) const {
    // <algorithm> has another name in some.
    for (const char* end : {"", "_"}) {
      std::string name = fmt::format("cuda/std/{}{}{}", *end == '_' ? "__" : "", header, end);
      if (is_in_toolkit_(name)) return name;
    }
    return {};
  }

  /// Whether a name that has no std:: before it is likely to be the header's.
  bool is_at_hand(const StandardHeader& header) const {
    constexpr std::array<std::string_view, 3> plain = {"limits", "type_traits", "utility"};
    return std::ranges::find(plain, header.name) != plain.end() ||
           std::ranges::find(included_, header.name) != included_.end();
  }

  void use_headers(std::string& includes, std::string& declarations, WordSet& unknown) const {
    for (const StandardHeader& header : standard_headers) {
      std::string declared;
      for (const std::string_view name : cuda_tokens(header.declares)) {
        unknown.erase(std::string(name));
        const bool is_used =
            names_.qualified.contains(name) || (is_at_hand(header) && is_named(name));
        if (is_used) declared += fmt::format("using cuda::std::{};\n", name);
      }
      const std::string form = declared.empty() ? std::string() : own_form(header.name);
      if (form.empty()) continue;
      includes += fmt::format("#include <{}>\n", form);
      declarations += declared;
    }
  }

  std::string write_space() const {
    std::string includes;
    std::string declarations;
    std::string own;
    WordSet unknown = names_.qualified;
    use_headers(includes, declarations, unknown);
    for (const std::string& name : names_.uses_space ? names_.all : names_.qualified) {
      if (!is_global(name)) continue;
      own += fmt::format("using ::{};\n", name);
      unknown.erase(name);
    }
    for (const auto& [name, text] : own_definitions) {
      if (is_named(name)) own += text;
      unknown.erase(std::string(name));
    }
    const bool needs_all = std::ranges::any_of(unknown, [](const std::string& name) {
      return !is_host_word(name, "(") && !is_host_word(name, "<");
    });
    for (const std::string_view header : included_) {
      const std::string form = needs_all ? own_form(header) : std::string();
      if (!form.empty()) includes += fmt::format("#include <{}>\n", form);
    }
    if (needs_all) declarations = "using namespace cuda::std;\n";
    return fmt::format("{}namespace cuda {{ namespace std {{}} }}\nnamespace std {{\n{}{}}}\n",
                       includes, declarations, own);
  }

  Names names_;
  const std::vector<std::string_view>& included_;
  const std::function<bool(std::string_view)>& is_in_toolkit_;
};

}  // namespace

bool is_shared_with_host(std::string_view header) {
  return std::ranges::find(standard_headers, header, &StandardHeader::name) !=
         standard_headers.end();
}

std::string standard_library(const std::vector<std::string_view>& texts,
                             const std::vector<std::string_view>& included,
                             const std::function<bool(std::string_view)>& is_in_toolkit) {
  Names names;
  for (const std::string_view text : texts) add_names(text, names);
  add_macros(texts, names);
  return LibraryWriter(std::move(names), included, is_in_toolkit).write();
}

}  // namespace sweep
