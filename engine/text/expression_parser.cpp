#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/expression.h"
#include "engine/text/text_limits.h"

namespace sweep {
namespace {

using Node = Expression::Node;
using NodePtr = std::shared_ptr<const Node>;

enum class TokenKind { integer, name, word, symbol, end };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  std::size_t offset = 0;
  std::int64_t integer = 0;
  std::optional<double> real = {};
};

/// The operator that `word` means in other languages, or nothing.
std::string_view operator_called(std::string_view word) {
  if (word == "and") return "&&";
  if (word == "or") return "||";
  if (word == "mod") return "%";
  return {};
}

/// Thrown to leave the parser at the first mistake; the message is already recorded.
struct NoExpression {};

class Lexer {
 public:
  Lexer(std::string_view text, const Location& where, Diagnostics& diagnostics, Numbers numbers)
      : where_(where), text_(text), diagnostics_(diagnostics), numbers_(numbers) {}

  Token next() {
    while (position_ < text_.size() && is_space(text_[position_])) ++position_;
    if (position_ == text_.size()) return {TokenKind::end, {}, text_.size(), 0};
    const char c = text_[position_];
    if (is_digit(c)) return number();
    if (is_word(c)) return take(TokenKind::name, dotted_length(position_));
    if (c == '\'' || c == '"') return word();
    return symbol();
  }

  [[noreturn]] void reject(std::size_t offset, std::size_t length, std::string message,
                           std::string help = {}) {
    diagnostics_.error(where_.shifted(offset, length), std::move(message), std::move(help));
    throw NoExpression{};
  }
  [[noreturn]] void reject(const Token& token, std::string message, std::string help = {}) {
    reject(token.offset, token.text.size(), std::move(message), std::move(help));
  }

 protected:
  const Location& where_;

 private:
  Token take(TokenKind kind, std::size_t length) {
    const Token token{kind, text_.substr(position_, length), position_};
    position_ += length;
    return token;
  }

  std::size_t name_length(std::size_t from) const {
    std::size_t end = from;
    while (end < text_.size() && is_word(text_[end])) ++end;
    return end - from;
  }

  /// The name, and further ones after dots where numbers are real.
  std::size_t dotted_length(std::size_t from) const {
    std::size_t length = name_length(from);
    while (numbers_ == Numbers::reals && text_.substr(from + length).starts_with('.') &&
           name_length(from + length + 1) > 0) {
      length += 1 + name_length(from + length + 1);
    }
    return length;
  }

  Token word() {
    const std::size_t close = text_.find(text_[position_], position_ + 1);
    if (close == std::string_view::npos) reject(position_, 1, "this quote is never closed");
    Token token = take(TokenKind::word, close + 1 - position_);
    token.text = token.text.substr(1, token.text.size() - 2);
    return token;
  }

  /// A real number where the digits go on with a point or a power of ten, else an integer.
  Token number() {
    if (numbers_ == Numbers::integers) return integer();
    const char* begin = text_.data() + position_;
    double value = 0;
    const auto [stop, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    const std::string_view text(begin, static_cast<std::size_t>(stop - begin));
    if (text.find_first_not_of("0123456789") == text.npos) return integer();
    if (error != std::errc{}) {
      reject(position_, text.size(), "this number does not fit a floating-point number");
    }
    const std::size_t end = position_ + text.size();
    if (const std::size_t more = name_length(end); more > 0) {
      reject(end, more, fmt::format("'{}' is not a unit", text_.substr(end, more)),
             "Ki, Mi and Gi stand behind integers");
    }
    Token token = take(TokenKind::integer, text.size());
    token.real = value;
    return token;
  }

  /// Digits, in base 10 or 16, then an optional unit, with or without a space between.
  Token integer() {
    const std::size_t start = position_;
    const bool hexadecimal =
        text_.substr(start).starts_with("0x") || text_.substr(start).starts_with("0X");
    const std::size_t first_digit = start + (hexadecimal ? 2 : 0);
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(
        text_.data() + first_digit, text_.data() + text_.size(), value, hexadecimal ? 16 : 10);
    std::size_t end = static_cast<std::size_t>(stop - text_.data());
    bool overflow = error == std::errc::result_out_of_range || value > limit;
    if (end == first_digit) reject(start, end - start, "a hexadecimal number needs digits");
    if (end < text_.size() && text_[end] == '.') {
      reject(start, end - start + 1, "numbers are integers here",
             text_.substr(end).starts_with("..")
                 ? "a range of values is written {from: 1, to: 8}"
                 : "write a fraction as a division, or scale the unit");
    }
    std::size_t unit_start = end;
    while (unit_start < text_.size() && text_[unit_start] == ' ') ++unit_start;
    const std::string_view unit = text_.substr(unit_start, name_length(unit_start));
    constexpr std::array<std::string_view, 3> units = {"Ki", "Mi", "Gi"};
    const auto known = std::ranges::find(units, unit);
    if (known != units.end()) {
      const auto shift = 10 * (known - units.begin() + 1);
      overflow = overflow || value > (limit >> shift);
      value <<= shift;
      end = unit_start + unit.size();
    } else if (!unit.empty() && !is_digit(unit.front()) && operator_called(unit).empty()) {
      reject(unit_start, unit.size(), fmt::format("'{}' is not a unit", unit),
             "the units are Ki, Mi and Gi (1 << 10, 1 << 20, 1 << 30)");
    }
    if (overflow) {
      reject(start, end - start, "this number does not fit a 64-bit integer",
             fmt::format("the largest is {}", limit));
    }
    Token token = take(TokenKind::integer, end - start);
    token.integer = static_cast<std::int64_t>(value);
    return token;
  }

  Token symbol() {
    static constexpr std::array<std::string_view, 8> two = {
        "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    const std::string_view rest = text_.substr(position_);
    for (const std::string_view candidate : two) {
      if (rest.starts_with(candidate)) return take(TokenKind::symbol, 2);
    }
    if (std::string_view("+-*/%!~<>&^|?:(),").find(rest.front()) != std::string_view::npos) {
      return take(TokenKind::symbol, 1);
    }
    std::size_t length = 1;  // the whole UTF-8 character
    while (length < rest.size() && continues_character(rest[length])) ++length;
    std::string help;
    if (rest.front() == '=') help = "write == to compare";
    reject(position_, length,
           fmt::format("'{}' has no meaning in an expression", rest.substr(0, length)), help);
  }

  static constexpr std::uint64_t limit = std::numeric_limits<std::int64_t>::max();

  std::string_view text_;
  Diagnostics& diagnostics_;
  Numbers numbers_;
  std::size_t position_ = 0;
};

struct BinaryOperator {
  std::string_view symbol;
  Operation operation;
  int precedence;
};

constexpr BinaryOperator binary_operators[] = {
    {"||", Operation::logical_or, 1},    {"&&", Operation::logical_and, 2},
    {"|", Operation::bit_or, 3},         {"^", Operation::bit_xor, 4},
    {"&", Operation::bit_and, 5},        {"==", Operation::equal, 6},
    {"!=", Operation::not_equal, 6},     {"<", Operation::less, 7},
    {"<=", Operation::less_equal, 7},    {">", Operation::greater, 7},
    {">=", Operation::greater_equal, 7}, {"<<", Operation::shift_left, 8},
    {">>", Operation::shift_right, 8},   {"+", Operation::add, 9},
    {"-", Operation::subtract, 9},       {"*", Operation::multiply, 10},
    {"/", Operation::divide, 10},        {"%", Operation::remainder, 10}};

struct Function {
  std::string_view name;
  Operation operation;
  std::size_t fewest;
  std::size_t most;
};

constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();
constexpr Function functions[] = {{"min", Operation::min, 2, any_number},
                                  {"max", Operation::max, 2, any_number},
                                  {"ceil_div", Operation::ceil_div, 2, 2},
                                  {"is_pow2", Operation::is_pow2, 1, 1},
                                  {"log2", Operation::log2, 1, 1}};

bool is_bare_comparison(const Node& node) {
  return node.is_comparison() && !node.parenthesised;
}

class Parser : Lexer {
 public:
  Parser(std::string_view text, const Location& where, Diagnostics& diagnostics, Numbers numbers)
      : Lexer(text, where, diagnostics, numbers) {
    advance();
  }

  NodePtr parse() {
    if (token_.kind == TokenKind::end) reject(0, 1, "an expression is missing here");
    NodePtr root = conditional();
    if (token_.kind != TokenKind::end) {
      const std::string_view meant = operator_called(token_.text);
      reject(token_, fmt::format("'{}' is not expected here", token_.text),
             meant.empty() ? "" : fmt::format("write {} instead", meant));
    }
    return root;
  }

 private:
  /// Bounds the recursion, so that no input overflows the stack. What enters leaves, or throws.
  void enter() {
    if (++depth_ <= text_limits::expression_depth) return;
    reject(token_.offset, 1, "this expression is nested too deeply");
  }
  NodePtr leave(NodePtr result) {
    --depth_;
    return result;
  }

  void advance() {
    previous_ = token_;
    token_ = next();
  }

  bool at(std::string_view symbol) const {
    return token_.kind == TokenKind::symbol && token_.text == symbol;
  }

  bool accept(std::string_view symbol) {
    const bool is_there = at(symbol);
    if (is_there) advance();
    return is_there;
  }

  void expect(std::string_view symbol, std::string_view after) {
    if (accept(symbol)) return;
    reject(token_.offset, 1, fmt::format("a '{}' is missing {}", symbol, after));
  }

  std::shared_ptr<Node> node(Operation operation, const Token& token,
                             std::vector<NodePtr> operands) const {
    auto result = std::make_shared<Node>();
    result->operation = operation;
    result->where = where_.shifted(token.offset, token.text.size());
    result->name = token.text;
    result->operands = std::move(operands);
    return result;
  }

  NodePtr conditional() {
    enter();
    NodePtr condition = binary(1);
    const Token token = token_;
    if (!accept("?")) return leave(std::move(condition));
    NodePtr yes = conditional();
    expect(":", "after the first branch of '?'");
    NodePtr no = conditional();
    return leave(node(Operation::conditional, token, {condition, yes, no}));
  }

  /// The operator at hand, if it binds as strongly as `least` at least.
  const BinaryOperator* binary_operator(int least) const {
    const auto* found = std::ranges::find_if(
        binary_operators, [&](const BinaryOperator& candidate) { return at(candidate.symbol); });
    const bool binds = found != std::end(binary_operators) && found->precedence >= least;
    return binds ? found : nullptr;
  }

  NodePtr binary(int least) {
    NodePtr left = unary();
    while (const BinaryOperator* found = binary_operator(least)) {
      const Token token = token_;
      // The tree leans left by one level for each; walking it must not overflow the stack.
      if (++operators_ > text_limits::expression_operators) {
        reject(token.offset, 1, "this expression is too long",
               fmt::format("it can have {} operators", text_limits::expression_operators));
      }
      const Token base = previous_;
      advance();
      if (found->operation == Operation::bit_xor) reject_power(base);
      NodePtr right = binary(found->precedence + 1);
      const bool is_bitwise =
          found->operation >= Operation::bit_and && found->operation <= Operation::bit_or;
      if (is_bitwise && (is_bare_comparison(*left) || is_bare_comparison(*right))) {
        reject(token,
               fmt::format("'{}' beside a comparison reads differently in C than it looks",
                           token.text),
               "put parentheses around the comparison, or around the operands of the "
               "bitwise operator");
      }
      left = node(found->operation, token, {left, right});
    }
    return left;
  }

  /// Rejects the exponent at hand where `base ^ exponent` reads as a power of 2 or of 10.
  void reject_power(const Token& base) {
    if (base.text != "2" && base.text != "10") return;
    if (token_.kind != TokenKind::integer) return;
    Arithmetic power = std::int64_t{1};
    const auto* value = std::get_if<std::int64_t>(&power);
    for (std::int64_t i = 0; value != nullptr && i < token_.integer; ++i) {
      power = apply(Operation::multiply, *value, base.integer);
      value = std::get_if<std::int64_t>(&power);
    }
    std::string way;
    if (value != nullptr && base.integer == 2) way = fmt::format("1 << {} or ", token_.integer);
    if (value != nullptr) way += fmt::format("{} for the power, ", *value);
    reject(
        base.offset, token_.offset + token_.text.size() - base.offset,
        fmt::format("'^' is XOR, as in C: this is {}, not a power", base.integer ^ token_.integer),
        fmt::format("write {}0x{:x} ^ {} for XOR", way, base.integer, token_.text));
  }

  NodePtr unary() {
    enter();
    const Token token = token_;
    constexpr std::pair<std::string_view, Operation> prefixes[] = {{"+", Operation::plus},
                                                                   {"-", Operation::minus},
                                                                   {"!", Operation::logical_not},
                                                                   {"~", Operation::bit_not}};
    for (const auto& [symbol, operation] : prefixes) {
      if (accept(symbol)) return leave(node(operation, token, {unary()}));
    }
    return leave(primary());
  }

  NodePtr primary() {
    const Token token = token_;
    if (token.kind == TokenKind::end) {
      reject(token.offset, 1, "the expression ends where a value is expected");
    }
    if (token.kind == TokenKind::symbol && !at("(")) {
      reject(token, fmt::format("'{}' stands where a value is expected", token.text));
    }
    advance();
    if (token.kind == TokenKind::integer) return literal(token, token.integer);
    if (token.kind == TokenKind::word) return literal(token, std::string(token.text));
    if (token.kind == TokenKind::name) return at("(") ? call(token) : name(token);
    const NodePtr inner = conditional();
    expect(")", fmt::format("for the '(' in column {}", where_.column + token.offset));
    auto result = std::make_shared<Node>(*inner);
    result->parenthesised = true;
    return result;
  }

  NodePtr literal(const Token& token, Value value) const {
    auto result = node(Operation::literal, token, {});
    result->value = std::move(value);
    result->real = token.real;
    return result;
  }

  NodePtr name(const Token& token) const {
    if (token.text == "true" || token.text == "false") return literal(token, token.text == "true");
    return node(Operation::name, token, {});
  }

  NodePtr call(const Token& token) {
    advance();
    if (token.text == "sizeof") return size_of(token);
    const Function* function = std::ranges::find(functions, token.text, &Function::name);
    if (function == std::end(functions)) {
      std::vector<std::string> known = {"sizeof"};
      for (const Function& candidate : functions) known.emplace_back(candidate.name);
      reject(token, fmt::format("there is no function '{}'", token.text),
             suggest(token.text, known, "the functions are"));
    }
    std::vector<NodePtr> operands;
    if (!at(")")) {
      do {
        operands.push_back(conditional());
      } while (accept(","));
    }
    expect(")", fmt::format("after the arguments of '{}'", token.text));
    if (operands.size() < function->fewest || operands.size() > function->most) {
      reject(token, fmt::format("'{}' takes {}{} argument{}, not {}", token.text, function->fewest,
                                function->most == any_number ? " or more" : "",
                                function->most == 1 ? "" : "s", operands.size()));
    }
    return node(function->operation, token, std::move(operands));
  }

  NodePtr size_of(const Token& token) {
    const Token type = token_;
    if (type.kind != TokenKind::name) {
      reject(type.offset, 1, "sizeof takes the name of a type");
    }
    // C's own types may have several words.
    std::string words;
    for (; token_.kind == TokenKind::name; advance()) {
      words.append(words.empty() ? "" : " ").append(token_.text);
    }
    const std::size_t end = token_.offset + 1;
    expect(")", "after the type in sizeof");
    auto result = node(Operation::name, type, {});
    result->name = fmt::format("sizeof({})", words);
    result->where = where_.shifted(token.offset, end - token.offset);
    if (const auto element = ElementType::find(words)) {
      result->operation = Operation::literal;
      result->value = static_cast<std::int64_t>(element->size());
    }
    return result;
  }

  Token token_;
  Token previous_;
  int depth_ = 0;
  int operators_ = 0;
};

}  // namespace

std::optional<Expression> Expression::parse(std::string_view text, const Location& where,
                                            Diagnostics& diagnostics, Numbers numbers) {
  try {
    NodePtr root = Parser(text, where, diagnostics, numbers).parse();
    Location whole = where;
    whole.length = std::max<std::size_t>(text.size(), 1);
    return Expression(std::string(text), std::move(whole), std::move(root));
  } catch (const NoExpression&) {
    return std::nullopt;
  }
}

}  // namespace sweep
