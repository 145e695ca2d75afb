#include "engine/text/value.h"

#include <algorithm>
#include <array>

namespace sweep {
namespace {

constexpr std::array headers = {
    ElementHeader{"#include <cuda_fp16.h>\n", ""},
    ElementHeader{"#include <cuda_bf16.h>\n",
                  "using bfloat16 = __nv_bfloat16;\nusing bfloat162 = __nv_bfloat162;\n"},
};
constexpr const ElementHeader* fp16 = &headers[0];
constexpr const ElementHeader* bf16 = &headers[1];

/// C's own names for the fixed-width types, and CUDA's for the 16-bit ones. As on Linux `long` has
/// 64 bits.
constexpr std::pair<std::string_view, std::string_view> aliases[] = {
    {"int", "int32_t"},           {"unsigned", "uint32_t"}, {"uint", "uint32_t"},
    {"short", "int16_t"},         {"ushort", "uint16_t"},   {"char", "int8_t"},
    {"uchar", "uint8_t"},         {"long", "int64_t"},      {"ulong", "uint64_t"},
    {"size_t", "uint64_t"},       {"__half", "half"},       {"__nv_bfloat16", "bfloat16"},
    {"nv_bfloat16", "bfloat16"},  {"__half2", "half2"},     {"__nv_bfloat162", "bfloat162"},
    {"nv_bfloat162", "bfloat162"}};

/// The CUDA vector types, which have 1 to 4 components, and the type of one. Of those of 32 bytes
/// CUDA 13 has some that say their alignment.
constexpr std::pair<const char*, const char*> vectors[] = {
    {"char", "int8_t"}, {"uchar", "uint8_t"}, {"short", "int16_t"},    {"ushort", "uint16_t"},
    {"int", "int32_t"}, {"uint", "uint32_t"}, {"longlong", "int64_t"}, {"ulonglong", "uint64_t"},
    {"float", "float"}, {"double", "double"}};

/// The name of a type of several of C's words, which may stand in any order: `unsigned long int`.
/// Empty for another text.
std::string fixed_width_name(std::string_view type) {
  std::string_view sign = "int";
  std::string_view width = "32";
  for (std::size_t at = 0; at < type.size();) {
    const std::size_t end = std::min(type.find(' ', at), type.size());
    const std::string_view word = type.substr(at, end - at);
    at = end + 1;
    if (word == "unsigned") {
      sign = "uint";
    } else if (word == "char" || word == "short" || word == "long") {
      width = word == "char" ? "8" : word == "short" ? "16" : "64";
    } else if (!word.empty() && word != "int" && word != "signed") {
      return {};
    }
  }
  return std::string(sign).append(width).append("_t");
}

}  // namespace

const std::vector<ElementType::Row>& ElementType::table() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> table = {{"int8_t", "signed char", 1},
                              {"uint8_t", "unsigned char", 1},
                              {"int16_t", "short", 2},
                              {"uint16_t", "unsigned short", 2},
                              {"int32_t", "int", 4},
                              {"uint32_t", "unsigned int", 4},
                              {"int64_t", "long long", 8},
                              {"uint64_t", "unsigned long long", 8},
                              {"half", "__half", 2, 1, fp16},
                              {"bfloat16", "__nv_bfloat16", 2, 1, bf16},
                              {"float", "float", 4},
                              {"double", "double", 8},
                              {"bool", "bool", 1},
                              {"half2", "__half2", 4, 2, fp16, "half"},
                              {"bfloat162", "__nv_bfloat162", 4, 2, bf16, "bfloat16"}};
    for (const auto& [base, scalar] : vectors) {
      const std::size_t size = std::ranges::find(table, scalar, &Row::name)->size;
      for (unsigned components = 1; components <= 4; ++components) {
        const std::string name = base + std::to_string(components);
        table.push_back({name, name, size * components, components, nullptr, scalar});
      }
    }
    for (const char* base : {"longlong4", "ulonglong4", "double4"}) {
      Row row = *std::ranges::find(table, base, &Row::name);
      for (const std::size_t alignment : {std::size_t{16}, std::size_t{32}}) {
        row.name = row.cuda = base + ("_" + std::to_string(alignment)) + "a";
        row.alignment = alignment;
        table.push_back(row);
      }
    }
    return table;
  }();
  return rows;
}

std::optional<ElementType> ElementType::find(std::string_view name) {
  for (const auto& [alias, meaning] : aliases) {
    if (alias == name) name = meaning;
  }
  const bool has_words = name.find(' ') != name.npos || name == "signed";
  const std::string fixed = has_words ? fixed_width_name(name) : std::string();
  if (!fixed.empty()) name = fixed;
  const auto row = std::ranges::find(table(), name, &Row::name);
  return row != table().end() ? std::optional(ElementType(*row)) : std::nullopt;
}

ElementType ElementType::scalar() const {
  return row_->scalar.empty() ? *this : *find(row_->scalar);
}

std::size_t ElementType::alignment() const {
  constexpr std::size_t most = 16;
  if (row_->alignment != 0) return row_->alignment;
  return components() == 3 ? scalar().size() : std::min(size(), most);
}

std::span<const std::string> ElementType::names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> result;
    for (const Row& row : table()) result.push_back(row.name);
    return result;
  }();
  return all;
}

std::span<const ElementHeader> element_headers() {
  return headers;
}

ValueKind kind_of(const Value& value) {
  return static_cast<ValueKind>(value.index());
}

std::string_view describe(ValueKind kind) {
  constexpr std::array<std::string_view, 4> words = {"an integer", "a boolean", "an element type",
                                                     "a word"};
  return words.at(static_cast<std::size_t>(kind));
}

std::string to_string(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* type = std::get_if<ElementType>(&value)) return type->name();
  return std::get<std::string>(value);
}

void Bindings::set(std::string_view name, Value value) {
  const auto found = std::ranges::find(entries_, name, &Entry::first);
  if (found != entries_.end()) {
    found->second = std::move(value);
  } else {
    entries_.emplace_back(name, std::move(value));
  }
}

const Value* Bindings::find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &Entry::first);
  return found != entries_.end() ? &found->second : nullptr;
}

std::string to_string(const Bindings& bindings) {
  std::string result;
  for (const auto& [name, value] : bindings.entries()) {
    if (!result.empty()) result += ' ';
    result += name + '=' + to_string(value);
  }
  return result;
}

}  // namespace sweep
