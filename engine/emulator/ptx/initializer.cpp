#include "engine/emulator/ptx/initializer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "engine/emulator/ptx/constant.h"

namespace sweep::ptx {
namespace {

constexpr std::size_t deepest_braces = 32;

class InitializerReader {
 public:
  InitializerReader(Lexer& lexer, const Layout& layout) : lexer_(lexer), layout_(layout) {}

  Initializer read() {
    if (lexer_.is_mark('{')) {
      read_braces(0, 0);
    } else {
      read_element(0);
    }
    return std::move(result_);
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
    result_.bytes = std::max(result_.bytes, offset + element_bytes());
    if (cell.bits != 0 || !cell.symbol.empty()) result_.cells.push_back(std::move(cell));
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
    switch (constant.kind) {
      case Constant::Kind::integer:
        if (is_f32 || is_f64) break;
        return constant.bits & bits_of_all(bytes);
      case Constant::Kind::f32:
        if (is_f64) {
          const double value = std::bit_cast<float>(static_cast<std::uint32_t>(constant.bits));
          return std::bit_cast<std::uint64_t>(value);
        }
        if (bytes != 4) break;
        return constant.bits;
      case Constant::Kind::f64:
        if (is_f32) {
          const auto value = static_cast<float>(std::bit_cast<double>(constant.bits));
          return std::bit_cast<std::uint32_t>(value);
        }
        if (bytes != 8) break;
        return constant.bits;
    }
    lexer_.fail(fmt::format("this number does not initialise a .{}", to_string(layout_.type)));
  }

  Lexer& lexer_;
  const Layout& layout_;
  Initializer result_;
};

}  // namespace

Initializer read_initializer(Lexer& lexer, const Layout& layout) {
  return InitializerReader(lexer, layout).read();
}

}  // namespace sweep::ptx
