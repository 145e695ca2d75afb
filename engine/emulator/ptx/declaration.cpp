#include "engine/emulator/ptx/declaration.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "engine/emulator/ptx/lexer.h"

namespace sweep::ptx {
namespace {

constexpr std::uint64_t most_alignment = std::uint64_t{1} << 20;
constexpr std::size_t most_dimensions = 32;
constexpr std::size_t deepest_braces = 32;

/// What stands in front of a variable's name.
struct VariableType {
  Type type = Type::b8;
  unsigned vector = 1;      ///< elements of `.v2` or `.v4`
  std::uint64_t align = 0;  ///< 0: as the type wants
};

std::uint64_t read_alignment(Lexer& lexer) {
  const Token token = lexer.current();
  const std::uint64_t align = read_unsigned(lexer, most_alignment, "an alignment");
  if (!std::has_single_bit(align)) Lexer::fail_at(token, "an alignment is a power of two");
  return align;
}

/// What the pointer points to concerns ptxas alone.
void skip_pointee(Lexer& lexer) {
  while (lexer.is_suffix()) {
    if (lexer.accept_suffix("align")) {
      read_alignment(lexer);
    } else if (find_space(lexer.current().text)) {
      lexer.advance();
    } else {
      return;
    }
  }
}

bool is_opaque(std::string_view name) {
  return name == "texref" || name == "samplerref" || name == "surfref";
}

/// Reads one word of a variable's type and says whether it was one that names the type itself.
bool read_type_suffix(Lexer& lexer, VariableType& type) {
  const std::string_view name = lexer.current().text;
  const auto found = is_opaque(name) ? Type::b64 : find_type(name);
  if (found) {
    type.type = *found;
    lexer.advance();
    return true;
  }
  if (name == "align") {
    lexer.advance();
    type.align = read_alignment(lexer);
  } else if (name == "v2" || name == "v4" || name == "v8") {
    type.vector = static_cast<unsigned>(name[1] - '0');
    lexer.advance();
  } else if (name == "ptr") {
    lexer.advance();
    skip_pointee(lexer);
  } else if (name == "attribute") {
    lexer.advance();
    lexer.skip_parentheses();
  } else if (name == "managed") {
    lexer.advance();
  } else {
    lexer.fail(
        fmt::format("{} is not a type or an attribute of a variable", quoted(lexer.current())));
  }
  return false;
}

VariableType read_variable_type(Lexer& lexer) {
  VariableType type;
  bool has_type = false;
  while (lexer.is_suffix()) has_type |= read_type_suffix(lexer, type);
  if (!has_type) lexer.fail_expected("a type");
  return type;
}

std::uint64_t multiply(const Lexer& lexer, std::uint64_t bytes, std::uint64_t count) {
  if (count != 0 && bytes > largest_variable / count)
    lexer.fail("a variable is larger than 256 TiB");
  return bytes * count;
}

/// Reads `[4][8]`. The lengths; the first is 0 for `[]`.
std::vector<std::uint64_t> read_lengths(Lexer& lexer) {
  std::vector<std::uint64_t> lengths;
  while (lexer.accept('[')) {
    if (lexer.is_mark(']') && lengths.empty()) {
      lengths.push_back(0);
    } else {
      lengths.push_back(read_unsigned(lexer, largest_variable, "a length"));
    }
    if (lengths.size() > most_dimensions) lexer.fail("an array has too many dimensions");
    lexer.expect(']');
  }
  return lengths;
}

/// How the elements of a variable lie in memory, so that nested braces find their place.
struct Layout {
  Type type = Type::b8;
  /// Bytes of an element at each level of braces: 32 and 4 for `.b32 a[4][8]`. At least one.
  std::vector<std::uint64_t> strides;
  std::uint64_t bytes = 0;       ///< of all
  bool has_open_length = false;  ///< `a[]`: the initialiser says how long; `bytes` does not count
};

/// Reads the lengths behind a name: how the variable lies in memory.
Layout read_layout(Lexer& lexer, const VariableType& type) {
  Layout layout;
  layout.type = type.type;
  std::vector<std::uint64_t> lengths = read_lengths(lexer);
  layout.has_open_length = !lengths.empty() && lengths.front() == 0;
  if (type.vector > 1) lengths.push_back(type.vector);
  layout.bytes = bytes_of(type.type);
  layout.strides.assign(lengths.empty() ? 1 : lengths.size(), layout.bytes);
  for (std::size_t i = lengths.size(); i-- > 0;) {
    layout.strides[i] = layout.bytes;
    layout.bytes = multiply(lexer, layout.bytes, lengths[i]);
    if (lengths[i] == 0 && i > 0) lexer.fail("only the first length of an array may be left out");
  }
  return layout;
}

/// The name and what follows it, of a variable without an initialiser.
DeclaredVariable read_declarator(Lexer& lexer, Space space, const VariableType& type,
                                 Layout& layout) {
  DeclaredVariable declared;
  declared.name = lexer.take_word("the name of a variable");
  if (type.type == Type::pred) lexer.fail("a predicate is not kept in memory");
  layout = read_layout(lexer, type);
  Variable& variable = declared.variable;
  variable.name = declared.name;
  variable.space = space;
  variable.type = type.type;
  const std::uint64_t natural = std::uint64_t{bytes_of(type.type)} * type.vector;
  variable.align = type.align != 0 ? type.align : natural;
  variable.bytes = layout.bytes;
  return declared;
}

/// Reads what follows the `=` of a variable: a number, an address, or braces around such.
class InitializerReader {
 public:
  InitializerReader(Lexer& lexer, const Layout& layout, Variable& variable)
      : lexer_(lexer), layout_(layout), variable_(variable) {}

  void read() {
    if (lexer_.is_mark('{')) {
      read_braces(0, 0);
    } else {
      read_element(0);
    }
    if (!layout_.has_open_length) return;
    const std::uint64_t stride = layout_.strides.front();
    variable_.bytes = (end_ + stride - 1) / stride * stride;
  }

 private:
  std::uint64_t element_bytes() const { return bytes_of(layout_.type); }

  /// Reads `{...}` whose first element lies at `offset`.
  void read_braces(std::size_t level, std::uint64_t offset) {
    if (level >= deepest_braces) lexer_.fail("an initialiser is nested too deeply");
    const std::uint64_t stride = layout_.strides[std::min(level, layout_.strides.size() - 1)];
    const std::uint64_t start = offset;
    lexer_.expect('{');
    while (!lexer_.is_mark('}')) {
      if (lexer_.is_mark('{')) {
        offset = start + (offset - start + stride - 1) / stride * stride;
        read_braces(level + 1, offset);
        offset += stride;
      } else {
        read_element(offset);
        offset += element_bytes();
      }
      if (offset > largest_variable) lexer_.fail("a variable is larger than 256 TiB");
      if (!lexer_.accept(',')) break;
    }
    lexer_.expect('}');
  }

  void read_element(std::uint64_t offset) {
    if (!layout_.has_open_length && offset + element_bytes() > layout_.bytes) {
      lexer_.fail("the initialiser has more elements than the variable");
    }
    Variable::Cell cell;
    cell.offset = offset;
    cell.size = bytes_of(layout_.type);
    if (lexer_.is_word() && lexer_.current().text != "WARP_SZ") {
      read_address(cell);
    } else {
      const Constant constant = read_constant(lexer_);
      if (lexer_.is_mark('(') && constant.kind == Constant::Kind::integer) {
        read_masked_address(constant.bits, cell);
      } else {
        cell.bits = bits_of_number(constant);
      }
    }
    end_ = std::max(end_, offset + element_bytes());
    // What is not named is zero.
    if (cell.bits != 0 || !cell.symbol.empty()) variable_.initial.push_back(std::move(cell));
  }

  /// Reads `name`, `name+4`, `generic(name)` or `generic(name)+4`.
  void read_address(Variable::Cell& cell) {
    const std::string_view name = lexer_.take_word("a name");
    if (name == "generic" && lexer_.accept('(')) {
      cell.is_generic = true;
      cell.symbol = lexer_.take_word("a name");
      cell.bits = static_cast<std::uint64_t>(read_offset(lexer_));
      lexer_.expect(')');
    } else {
      cell.symbol = name;
    }
    cell.bits += static_cast<std::uint64_t>(read_offset(lexer_));
  }

  /// Reads `(name)` behind a mask: 0xFF00(name) is the second byte of the address.
  void read_masked_address(std::uint64_t mask, Variable::Cell& cell) {
    const auto shift = static_cast<unsigned>(std::countr_zero(mask));
    if (mask == 0 || shift % 8 != 0 || mask >> shift != bits_of_all(cell.size)) {
      lexer_.fail("a mask in front of an address takes as many of its bytes as an element has");
    }
    cell.shift = shift;
    lexer_.expect('(');
    read_address(cell);
    lexer_.expect(')');
  }

  static std::uint64_t bits_of_all(unsigned bytes) {
    return bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
  }

  /// The number as an element of the variable holds it.
  std::uint64_t bits_of_number(const Constant& constant) const {
    const bool is_f32 = layout_.type == Type::f32;
    const bool is_f64 = layout_.type == Type::f64;
    const unsigned bytes = bytes_of(layout_.type);
    using Kind = Constant::Kind;
    if (constant.kind == Kind::integer && !is_f32 && !is_f64) {
      return constant.bits & bits_of_all(bytes);
    }
    if (constant.kind == Kind::f32 && is_f64) {
      const double value = std::bit_cast<float>(static_cast<std::uint32_t>(constant.bits));
      return std::bit_cast<std::uint64_t>(value);
    }
    if (constant.kind == Kind::f64 && is_f32) {
      return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(constant.bits)));
    }
    if (constant.kind == Kind::f32 && bytes == 4) return constant.bits;
    if (constant.kind == Kind::f64 && bytes == 8) return constant.bits;
    lexer_.fail(fmt::format("this number does not initialise a .{}", to_string(layout_.type)));
  }

  Lexer& lexer_;
  const Layout& layout_;
  Variable& variable_;
  std::uint64_t end_ = 0;  ///< of the last element named
};

}  // namespace

std::vector<DeclaredVariable> read_variables(Lexer& lexer, Space space, bool is_extern) {
  const bool is_opaque_type = lexer.is_suffix() && is_opaque(lexer.current().text);
  const VariableType type = read_variable_type(lexer);
  std::vector<DeclaredVariable> variables;
  do {
    Layout layout;
    DeclaredVariable declared = read_declarator(lexer, space, type, layout);
    declared.variable.is_extern = is_extern;
    if (lexer.accept('=')) {
      if (is_opaque_type && lexer.is_mark('{')) {
        lexer.skip_braces();  // the modes of a sampler, which are no memory
      } else {
        InitializerReader(lexer, layout, declared.variable).read();
      }
    }
    variables.push_back(std::move(declared));
  } while (lexer.accept(','));
  lexer.expect(';');
  return variables;
}

std::vector<DeclaredVariable> read_parameters(Lexer& lexer) {
  std::vector<DeclaredVariable> parameters;
  lexer.expect('(');
  while (!lexer.is_mark(')') && !lexer.is_end()) {
    const std::string_view directive = lexer.take_suffix("'.param'");
    const bool is_register = directive == "reg";
    if (directive != "param" && !is_register) {
      lexer.fail(fmt::format("'.{}' is not the space of a parameter", directive));
    }
    const VariableType type = read_variable_type(lexer);
    Layout layout;
    if (is_register && type.type == Type::pred) {
      parameters.push_back({lexer.take_word("the name of a parameter"), {}});
    } else {
      parameters.push_back(read_declarator(lexer, Space::param, type, layout));
    }
    parameters.back().is_register = is_register;
    if (!lexer.accept(',')) break;
  }
  lexer.expect(')');
  return parameters;
}

Type read_register_type(Lexer& lexer) {
  const VariableType type = read_variable_type(lexer);
  if (type.vector > 1) lexer.fail("registers that are vectors are not supported");
  return type.type;
}

}  // namespace sweep::ptx
