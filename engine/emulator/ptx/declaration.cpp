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
  for (;;) {
    if (lexer.accept_suffix("align")) {
      read_alignment(lexer);
    } else if (lexer.is_suffix() && find_space(lexer.current().text)) {
      lexer.advance();
    } else {
      return;
    }
  }
}

bool is_opaque(std::string_view name) {
  return name == "texref" || name == "samplerref" || name == "surfref";
}

VariableType read_variable_type(Lexer& lexer) {
  VariableType type;
  bool has_type = false;
  while (lexer.is_suffix()) {
    const Token token = lexer.current();
    const std::string_view name = token.text;
    const auto found = is_opaque(name) ? Type::b64 : find_type(name);
    lexer.advance();
    if (found) {
      type.type = *found;
      has_type = true;
    } else if (name == "align") {
      type.align = read_alignment(lexer);
    } else if (name == "v2" || name == "v4" || name == "v8") {
      type.vector = static_cast<unsigned>(name[1] - '0');
    } else if (name == "ptr") {
      skip_pointee(lexer);
    } else if (name == "attribute") {
      if (lexer.is_mark('(')) lexer.skip_group();
    } else if (name != "managed") {
      Lexer::fail_at(token,
                     fmt::format("{} is not a type or an attribute of a variable", quoted(token)));
    }
  }
  if (!has_type) lexer.fail_expected("a type");
  return type;
}

/// A variable, and how its elements lie in memory, so that nested braces find their place.
struct Declarator {
  Variable variable;
  /// Bytes of an element at each level of braces: 32 and 4 for `.b32 a[4][8]`. At least one.
  std::vector<std::uint64_t> strides;
  bool has_open_length = false;  ///< `a[]`: the initialiser says how long
};

/// Reads the name and the lengths: `a[4][8]`.
Declarator read_declarator(Lexer& lexer, Space space, const VariableType& type) {
  Declarator declared;
  Variable& variable = declared.variable;
  variable.name = lexer.take_word("the name of a variable");
  if (type.type == Type::pred) lexer.fail("a predicate is not kept in memory");
  std::vector<std::uint64_t> lengths;
  while (lexer.accept('[')) {
    const bool is_open = lexer.is_mark(']') && lengths.empty();
    lengths.push_back(is_open ? 0 : read_unsigned(lexer, largest_variable, "a length"));
    if (lengths.size() > most_dimensions) lexer.fail("an array has too many dimensions");
    lexer.expect(']');
  }
  declared.has_open_length = !lengths.empty() && lengths.front() == 0;
  if (type.vector > 1) lengths.push_back(type.vector);
  variable.space = space;
  variable.type = type.type;
  variable.bytes = bytes_of(type.type);
  variable.align = type.align != 0 ? type.align : variable.bytes * type.vector;
  declared.strides.assign(std::max<std::size_t>(lengths.size(), 1), variable.bytes);
  for (std::size_t i = lengths.size(); i-- > 0;) {
    declared.strides[i] = variable.bytes;
    if (lengths[i] != 0 && variable.bytes > largest_variable / lengths[i]) {
      lexer.fail("a variable is larger than 256 TiB");
    }
    variable.bytes *= lengths[i];
    if (lengths[i] == 0 && i > 0) lexer.fail("only the first length of an array may be left out");
  }
  return declared;
}

/// Reads what follows the `=` of a variable: a number, an address, or braces around such.
class InitializerReader {
 public:
  InitializerReader(Lexer& lexer, Declarator& declared)
      : lexer_(lexer),
        strides_(declared.strides),
        has_open_length_(declared.has_open_length),
        variable_(declared.variable),
        element_bytes_(bytes_of(variable_.type)) {}

  void read() {
    if (lexer_.is_mark('{')) {
      read_braces(0, 0);
    } else {
      read_element(0);
    }
    const std::uint64_t stride = strides_.front();
    if (has_open_length_) variable_.bytes = (end_ + stride - 1) / stride * stride;
  }

 private:
  /// Reads `{...}` whose first element lies at `offset`.
  void read_braces(std::size_t level, std::uint64_t offset) {
    if (level >= deepest_braces) lexer_.fail("an initialiser is nested too deeply");
    const std::uint64_t stride = strides_[std::min(level, strides_.size() - 1)];
    const std::uint64_t start = offset;
    lexer_.expect('{');
    while (!lexer_.is_mark('}')) {
      if (lexer_.is_mark('{')) {
        offset = start + (offset - start + stride - 1) / stride * stride;
        read_braces(level + 1, offset);
        offset += stride;
      } else {
        read_element(offset);
        offset += element_bytes_;
      }
      if (offset > largest_variable) lexer_.fail("a variable is larger than 256 TiB");
      if (!lexer_.accept(',')) break;
    }
    lexer_.expect('}');
  }

  void read_element(std::uint64_t offset) {
    if (!has_open_length_ && offset + element_bytes_ > variable_.bytes) {
      lexer_.fail("the initialiser has more elements than the variable");
    }
    Variable::Cell cell;
    cell.offset = offset;
    cell.size = element_bytes_;
    if (lexer_.is_name()) {
      read_address(cell);
    } else {
      const Constant constant = read_constant(lexer_);
      if (lexer_.is_mark('(') && constant.kind == Constant::Kind::integer) {
        read_masked_address(constant.bits, cell);
      } else {
        cell.bits = bits_of_number(constant);
      }
    }
    end_ = std::max(end_, offset + element_bytes_);
    // What is not named is zero.
    if (cell.bits != 0 || !cell.symbol.empty()) variable_.initial.push_back(cell);
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
    const bool is_f32 = variable_.type == Type::f32;
    const bool is_f64 = variable_.type == Type::f64;
    using Kind = Constant::Kind;
    if (constant.kind == Kind::integer && !is_f32 && !is_f64) {
      return constant.bits & bits_of_all(element_bytes_);
    }
    if (constant.kind == Kind::f32 && is_f64) {
      const double value = std::bit_cast<float>(static_cast<std::uint32_t>(constant.bits));
      return std::bit_cast<std::uint64_t>(value);
    }
    if (constant.kind == Kind::f64 && is_f32) {
      return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(constant.bits)));
    }
    if (constant.kind == Kind::f32 && element_bytes_ == 4) return constant.bits;
    if (constant.kind == Kind::f64 && element_bytes_ == 8) return constant.bits;
    lexer_.fail(fmt::format("this number does not initialise a .{}", to_string(variable_.type)));
  }

  Lexer& lexer_;
  const std::vector<std::uint64_t>& strides_;
  const bool has_open_length_;
  Variable& variable_;
  const unsigned element_bytes_;
  std::uint64_t end_ = 0;  ///< of the last element named
};

}  // namespace

std::vector<Variable> read_variables(Lexer& lexer, Space space, bool is_extern) {
  const bool is_opaque_type = lexer.is_suffix() && is_opaque(lexer.current().text);
  const VariableType type = read_variable_type(lexer);
  std::vector<Variable> variables;
  do {
    Declarator declared = read_declarator(lexer, space, type);
    declared.variable.is_extern = is_extern;
    if (lexer.accept('=')) {
      if (is_opaque_type && lexer.is_mark('{')) {
        lexer.skip_group();  // the modes of a sampler, which are no memory
      } else {
        InitializerReader(lexer, declared).read();
      }
    }
    variables.push_back(std::move(declared.variable));
  } while (lexer.accept(','));
  lexer.expect(';');
  return variables;
}

std::vector<Variable> read_parameters(Lexer& lexer, bool& has_registers) {
  std::vector<Variable> parameters;
  lexer.expect('(');
  while (!lexer.is_mark(')') && !lexer.is_end()) {
    const std::string_view directive = lexer.take_suffix("'.param'");
    const bool is_register = directive == "reg";
    if (directive != "param" && !is_register) {
      lexer.fail(fmt::format("'.{}' is not the space of a parameter", directive));
    }
    has_registers |= is_register;
    VariableType type = read_variable_type(lexer);
    if (is_register && type.type == Type::pred) type.type = Type::b8;  // its body is refused
    parameters.push_back(read_declarator(lexer, Space::param, type).variable);
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
