#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "engine/text/value.h"

namespace sweep::testing {

/// Random decisions, taken from a list so that shrinking the list shrinks what it decided; 0 when
/// the list is used up.
class Choices {
 public:
  explicit Choices(std::vector<std::uint32_t> list) : list_(std::move(list)) {}
  /// A number below `count`.
  std::uint32_t next(std::uint32_t count) { return at_ < list_.size() ? list_[at_++] % count : 0; }
  bool is_used_up() const { return at_ >= list_.size(); }

 private:
  std::vector<std::uint32_t> list_;
  std::size_t at_ = 0;
};

/// An expression as this test sees it, apart from the engine's parser and evaluator.
struct Tree {
  enum class Form { literal, name, prefix, infix, conditional, function };

  Form form = Form::literal;
  std::string text;                      ///< the literal, the name, the operator or the function
  int precedence = 100;                  ///< as in C; higher binds tighter
  boost::multiprecision::cpp_int value;  ///< of an integer literal
  std::vector<Tree> operands;
};

/// A random expression of integers or booleans over the names A, B, C, D and P, Q.
Tree random_tree(Choices& choices, bool boolean);
/// Random values for those names, small ones and extreme ones.
Bindings random_bindings(Choices& choices);

/// A tree as text, with the column of each operator, function and operand on the way.
struct Printed {
  std::string text;
  std::vector<std::pair<const Tree*, std::size_t>> columns;
};
/// Random spaces, and random parentheses beside those that precedence needs.
Printed print(const Tree& tree, Choices& choices);

/// Why a tree has no value, and where.
struct Fault {
  const Tree* tree;
  std::string message;  ///< a part of the engine's
};
using Outcome = std::variant<boost::multiprecision::cpp_int, bool, Fault>;

/// What the tree comes to over unbounded integers, looked at for 64-bit overflow after each step.
Outcome reference(const Tree& tree, const Bindings& bindings);

}  // namespace sweep::testing
