#include "tests/text/expression_tree.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

namespace sweep::testing {
namespace {

using Form = Tree::Form;
using Integer = boost::multiprecision::cpp_int;

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

struct Infix {
  const char* text;
  int precedence;
};
constexpr int conditional_precedence = 0;
constexpr int prefix_precedence = 11;
constexpr std::array arithmetic = {Infix{"+", 9},  Infix{"-", 9},  Infix{"*", 10}, Infix{"/", 10},
                                   Infix{"%", 10}, Infix{"<<", 8}, Infix{">>", 8}, Infix{"&", 5},
                                   Infix{"^", 4},  Infix{"|", 3}};
constexpr std::array comparisons = {Infix{"<", 7},  Infix{"<=", 7}, Infix{">", 7},
                                    Infix{">=", 7}, Infix{"==", 6}, Infix{"!=", 6}};
constexpr std::array logical = {Infix{"&&", 2}, Infix{"||", 1}, Infix{"==", 6}, Infix{"!=", 6}};

/// Small numbers mostly, so that many expressions have a value.
std::int64_t random_magnitude(Choices& choices) {
  switch (choices.next(8)) {
    case 5:
      return std::int64_t{1} << choices.next(63);
    case 6:
      return highest - choices.next(3);
    case 7:
      return std::max(highest / (std::int64_t{1} << choices.next(63)) - choices.next(3),
                      std::int64_t{0});
    default:
      return choices.next(12);
  }
}

class Grower {
 public:
  explicit Grower(Choices& choices) : choices_(choices) {}

  Tree grow(bool boolean, int depth) {
    if (depth == 0 || choices_.is_used_up()) return leaf(boolean);
    if (choices_.next(8) == 0) {
      return {Form::conditional,
              "?",
              conditional_precedence,
              0,
              {grow(true, depth - 1), grow(boolean, depth - 1), grow(boolean, depth - 1)}};
    }
    return boolean ? boolean_node(depth - 1) : integer_node(depth - 1);
  }

 private:
  Tree leaf(bool boolean) {
    if (boolean) {
      constexpr std::array texts = {"false", "true", "P", "Q"};
      const auto which = choices_.next(texts.size());
      return {which < 2 ? Form::literal : Form::name, texts.at(which), 100, 0, {}};
    }
    if (choices_.next(3) == 0) {
      return {Form::name, std::string(1, static_cast<char>('A' + choices_.next(4))), 100, 0, {}};
    }
    return literal(random_magnitude(choices_));
  }

  Tree literal(std::int64_t value) {
    const auto spelled = [&](std::string text) {
      return Tree{Form::literal, std::move(text), 100, value, {}};
    };
    constexpr std::array units = {"Ki", "Mi", "Gi"};
    const auto unit = choices_.next(4);
    if (unit < 3 && value % (std::int64_t{1} << (10 * (unit + 1))) == 0) {
      return spelled(std::to_string(value >> (10 * (unit + 1))) +
                     std::string(choices_.next(3), ' ') + units.at(unit));
    }
    // What reads as a power is refused: `2 ^ 5`, `10 ^ 9`.
    if (choices_.next(5) == 1 || value == 2 || value == 10) {
      std::array<char, 32> text{};
      std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
      return spelled(text.data());
    }
    return spelled(std::to_string(value));
  }

  template <std::size_t n>
  Tree infix(const std::array<Infix, n>& operators, bool boolean_operands, int depth) {
    const Infix& chosen = operators.at(choices_.next(n));
    return {Form::infix,
            chosen.text,
            chosen.precedence,
            0,
            {grow(boolean_operands, depth), grow(boolean_operands, depth)}};
  }

  Tree integer_node(int depth) {
    switch (choices_.next(8)) {
      case 0: {
        constexpr std::array prefixes = {"-", "~", "+"};
        return {Form::prefix,
                prefixes.at(choices_.next(3)),
                prefix_precedence,
                0,
                {grow(false, depth)}};
      }
      case 1: {
        Tree call{Form::function, choices_.next(2) == 0 ? "min" : "max", 100, 0, {}};
        for (std::uint32_t i = 0, count = 2 + choices_.next(3); i < count; ++i) {
          call.operands.push_back(grow(false, depth));
        }
        return call;
      }
      case 2:
        return choices_.next(2) == 0 ? Tree{Form::function, "log2", 100, 0, {grow(false, depth)}}
                                     : Tree{Form::function,
                                            "ceil_div",
                                            100,
                                            0,
                                            {grow(false, depth), grow(false, depth)}};
      default:
        return infix(arithmetic, false, depth);
    }
  }

  Tree boolean_node(int depth) {
    switch (choices_.next(6)) {
      case 0:
        return {Form::prefix, "!", prefix_precedence, 0, {grow(true, depth)}};
      case 1:
        return {Form::function, "is_pow2", 100, 0, {grow(false, depth)}};
      case 2:
      case 3:
        return infix(logical, true, depth);
      default:
        return infix(comparisons, false, depth);
    }
  }

  Choices& choices_;
};

class Printer {
 public:
  explicit Printer(Choices& choices) : choices_(choices) {}

  /// Prints `tree` where only an operator of at least `lowest_precedence` needs no parentheses.
  void print(const Tree& tree, int lowest_precedence) {
    const std::uint32_t extra = choices_.next(6) == 5 ? 1 + choices_.next(2) : 0;
    const std::uint32_t pairs = std::max(tree.precedence < lowest_precedence ? 1U : 0U, extra);
    for (std::uint32_t i = 0; i < pairs; ++i) put("(");
    print_bare(tree);
    for (std::uint32_t i = 0; i < pairs; ++i) put(")");
  }

  Printed take() { return std::move(result_); }

 private:
  void put(const std::string& token) {
    space();
    result_.text += token;
    space();
  }

  void put(const Tree& tree) {
    space();
    result_.columns.emplace_back(&tree, result_.text.size() + 1);
    result_.text += tree.text;
    space();
  }

  void space() {
    constexpr std::array spaces = {"", "", "", " ", "  ", "\t", "\n"};
    result_.text += spaces.at(choices_.next(spaces.size()));
  }

  void print_bare(const Tree& tree) {
    switch (tree.form) {
      case Form::literal:
      case Form::name:
        return put(tree);
      case Form::prefix:
        put(tree);
        return print(tree.operands[0], prefix_precedence);
      case Form::infix:
        // All of them group from the left.
        print(tree.operands[0], tree.precedence);
        put(tree);
        return print(tree.operands[1], tree.precedence + 1);
      case Form::conditional:
        print(tree.operands[0], conditional_precedence + 1);
        put(tree);
        print(tree.operands[1], conditional_precedence);
        put(":");
        return print(tree.operands[2], conditional_precedence);
      case Form::function:
        put(tree);
        for (std::size_t i = 0; i < tree.operands.size(); ++i) {
          put(i == 0 ? "(" : ",");
          print(tree.operands[i], conditional_precedence);
        }
        return put(")");
    }
  }

  Choices& choices_;
  Printed result_;
};

const char* const overflow = "does not fit a 64-bit integer";
const char* const zero = "divides by zero";
const char* const shift = "shifts by a count outside 0 to 63";
const char* const logarithm = "log2 takes a value of at least 1";

/// Evaluates, leaving at the first fault by throwing it.
class Reference {
 public:
  explicit Reference(const Bindings& bindings) : bindings_(bindings) {}

  Integer integer(const Tree& tree) const {
    const Integer value = exact(tree);
    if (value < lowest || value > highest) throw Fault{&tree, overflow};
    return value;
  }

  bool boolean(const Tree& tree) const {
    const auto& operands = tree.operands;
    const std::string& text = tree.text;
    if (tree.form == Form::literal) return text == "true";
    if (tree.form == Form::name) return std::get<bool>(*bindings_.find(text));
    if (tree.form == Form::conditional) return boolean(operands[boolean(operands[0]) ? 1 : 2]);
    if (text == "!") return !boolean(operands[0]);
    if (text == "&&") return boolean(operands[0]) ? boolean(operands[1]) : false;
    if (text == "||") return boolean(operands[0]) ? true : boolean(operands[1]);
    if (text == "is_pow2") {
      const Integer value = integer(operands[0]);
      for (int k = 0; k < 63; ++k) {
        if (value == Integer(1) << k) return true;
      }
      return false;
    }
    if (is_boolean(operands[0])) {
      const bool left = boolean(operands[0]);
      return (left == boolean(operands[1])) == (text == "==");
    }
    const Integer left = integer(operands[0]);
    const int sign = left.compare(integer(operands[1]));
    if (text == "<") return sign < 0;
    if (text == "<=") return sign <= 0;
    if (text == ">") return sign > 0;
    if (text == ">=") return sign >= 0;
    return (sign == 0) == (text == "==");
  }

  static bool is_boolean(const Tree& tree) {
    switch (tree.form) {
      case Form::literal:
        return tree.text == "true" || tree.text == "false";
      case Form::name:
        return tree.text >= "P";
      case Form::conditional:
        return is_boolean(tree.operands[1]);
      case Form::function:
        return tree.text == "is_pow2";
      default:
        return tree.precedence == 1 || tree.precedence == 2 || tree.precedence == 6 ||
               tree.precedence == 7 || tree.text == "!";
    }
  }

 private:
  Integer exact(const Tree& tree) const {
    switch (tree.form) {
      case Form::literal:
        return tree.value;
      case Form::name:
        return std::get<std::int64_t>(*bindings_.find(tree.text));
      case Form::conditional:
        return integer(tree.operands[boolean(tree.operands[0]) ? 1 : 2]);
      default:
        break;
    }
    std::vector<Integer> values;
    for (const Tree& operand : tree.operands) values.push_back(integer(operand));
    return values.size() == 1 ? unary(tree, values[0]) : combined(tree, values);
  }

  static Integer unary(const Tree& tree, const Integer& value) {
    if (tree.text == "-") return -value;
    if (tree.text == "~") return -value - 1;
    if (tree.text == "+") return value;
    if (value < 1) throw Fault{&tree, logarithm};
    Integer exponent = 0;
    for (Integer power = 2; power <= value; power *= 2) ++exponent;
    return exponent;
  }

  static Integer combined(const Tree& tree, const std::vector<Integer>& values) {
    const Integer& a = values[0];
    const Integer& b = values[1];
    const std::string& text = tree.text;
    if (text == "min") return *std::min_element(values.begin(), values.end());
    if (text == "max") return *std::max_element(values.begin(), values.end());
    if (text == "+") return a + b;
    if (text == "-") return a - b;
    if (text == "*") return a * b;
    if (text == "<<" || text == ">>") {
      if (b < 0 || b > 63) throw Fault{&tree, shift};
      const Integer power = boost::multiprecision::pow(Integer(2), static_cast<unsigned>(b));
      return text == "<<" ? Integer(a * power) : rounded_down(a, power);
    }
    if (text == "&" || text == "|" || text == "^") return bitwise(text[0], a, b);
    if (b == 0) throw Fault{&tree, zero};
    if (text == "/") return a / b;
    if (text == "%") return a - (a / b) * b;
    return -rounded_down(-a, b);  // ceil_div
  }

  static Integer rounded_down(const Integer& a, const Integer& b) {
    Integer quotient = a / b;
    while (b > 0 ? quotient * b > a : quotient * b < a) --quotient;
    return quotient;
  }

  /// Two's complement, bit by bit.
  static Integer bitwise(char operation, const Integer& a, const Integer& b) {
    Integer result = 0;
    for (unsigned k = 0; k < 64; ++k) {
      const Integer power = Integer(1) << k;
      const bool left = rounded_down(a, power) % 2 != 0;
      const bool right = rounded_down(b, power) % 2 != 0;
      const bool bit = operation == '&'   ? left && right
                       : operation == '|' ? left || right
                                          : left != right;
      if (bit) result += k == 63 ? Integer(-power) : power;
    }
    return result;
  }

  const Bindings& bindings_;
};

}  // namespace

Tree random_tree(Choices& choices, bool boolean) {
  return Grower(choices).grow(boolean, 6);
}

Bindings random_bindings(Choices& choices) {
  Bindings bindings;
  for (const char* name : {"A", "B", "C", "D"}) {
    const std::int64_t value = random_magnitude(choices);
    bindings.set(name, choices.next(3) == 2 ? -value - choices.next(2) : value);
  }
  bindings.set("P", choices.next(2) == 1);
  bindings.set("Q", choices.next(2) == 1);
  return bindings;
}

Printed print(const Tree& tree, Choices& choices) {
  Printer printer(choices);
  printer.print(tree, conditional_precedence);
  return printer.take();
}

Outcome reference(const Tree& tree, const Bindings& bindings) {
  const Reference evaluator(bindings);
  try {
    if (Reference::is_boolean(tree)) return evaluator.boolean(tree);
    return evaluator.integer(tree);
  } catch (const Fault& fault) {
    return fault;
  }
}

}  // namespace sweep::testing
