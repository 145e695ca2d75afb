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
constexpr const ElementHeader* unneeded = nullptr;
constexpr const ElementHeader* fp16 = &headers[0];
constexpr const ElementHeader* bf16 = &headers[1];

struct Row {
  std::string name;
  std::string cuda;
  std::size_t size;
  unsigned components;
  const ElementHeader* header;
};

std::vector<Row> make_table() {
  std::vector<Row> table = {
      {"int8_t", "signed char", 1, 1, unneeded},
      {"uint8_t", "unsigned char", 1, 1, unneeded},
      {"int16_t", "short", 2, 1, unneeded},
      {"uint16_t", "unsigned short", 2, 1, unneeded},
      {"int32_t", "int", 4, 1, unneeded},
      {"uint32_t", "unsigned int", 4, 1, unneeded},
      {"int64_t", "long long", 8, 1, unneeded},
      {"uint64_t", "unsigned long long", 8, 1, unneeded},
      {"half", "__half", 2, 1, fp16},
      {"bfloat16", "__nv_bfloat16", 2, 1, bf16},
      {"float", "float", 4, 1, unneeded},
      {"double", "double", 8, 1, unneeded},
      {"half2", "__half2", 4, 2, fp16},
      {"bfloat162", "__nv_bfloat162", 4, 2, bf16},
  };
  struct Base {
    const char* name;
    std::size_t size;
  };
  constexpr std::array bases = {
      Base{"char", 1},  Base{"uchar", 1},  Base{"short", 2},    Base{"ushort", 2},
      Base{"int", 4},   Base{"uint", 4},   Base{"longlong", 8}, Base{"ulonglong", 8},
      Base{"float", 4}, Base{"double", 8},
  };
  for (const Base& base : bases) {
    for (unsigned components = 1; components <= 4; ++components) {
      std::string name = base.name + std::to_string(components);
      table.push_back({name, name, base.size * components, components, unneeded});
    }
  }
  return table;
}

const std::vector<Row>& table() {
  static const std::vector<Row> rows = make_table();
  return rows;
}

/// C's own names for the fixed-width types, and CUDA's for the 16-bit ones.
struct Alias {
  std::string_view name;
  std::string_view means;
};
constexpr std::array aliases = {
    Alias{"int", "int32_t"},
    Alias{"unsigned", "uint32_t"},
    Alias{"uint", "uint32_t"},
    Alias{"short", "int16_t"},
    Alias{"ushort", "uint16_t"},
    Alias{"char", "int8_t"},
    Alias{"uchar", "uint8_t"},
    Alias{"__half", "half"},
    Alias{"__nv_bfloat16", "bfloat16"},
    Alias{"__half2", "half2"},
    Alias{"__nv_bfloat162", "bfloat162"},
};

}  // namespace

std::optional<ElementType> ElementType::find(std::string_view name) {
  for (const Alias& alias : aliases) {
    if (alias.name == name) name = alias.means;
  }
  for (std::size_t row = 0; row < table().size(); ++row) {
    if (table()[row].name == name) return ElementType(row);
  }
  return std::nullopt;
}

std::span<const std::string> ElementType::names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> result;
    for (const Row& row : table()) result.push_back(row.name);
    return result;
  }();
  return all;
}

const std::string& ElementType::name() const {
  return table()[row_].name;
}
const std::string& ElementType::cuda() const {
  return table()[row_].cuda;
}
std::size_t ElementType::size() const {
  return table()[row_].size;
}
unsigned ElementType::components() const {
  return table()[row_].components;
}
const ElementHeader* ElementType::header() const {
  return table()[row_].header;
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
  struct Writer {
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
    std::string operator()(ElementType type) const { return type.name(); }
    std::string operator()(const std::string& word) const { return word; }
  };
  return std::visit(Writer{}, value);
}

void Bindings::set(std::string_view name, Value value) {
  const auto found = std::ranges::find(entries_, name, &std::pair<std::string, Value>::first);
  if (found != entries_.end()) {
    found->second = std::move(value);
  } else {
    entries_.emplace_back(name, std::move(value));
  }
}

const Value* Bindings::find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &std::pair<std::string, Value>::first);
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
