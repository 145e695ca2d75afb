#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/emulator/ptx/lexer.h"
#include "engine/emulator/ptx/module.h"

namespace sweep::ptx {

/// What a name stands for within a function.
struct Symbol {
  enum class Kind : std::uint8_t {
    reg,        ///< a RegisterId
    variable,   ///< an index into Function::variables
    label,      ///< the number of an instruction
    table,      ///< the number of a `.branchtargets` or `.calltargets`
    prototype,  ///< `.callprototype`
  };

  Kind kind = Kind::reg;
  std::uint32_t index = 0;
};

/// The names of a function, by the braces they are declared in. A function declares thousands of
/// registers and uses few, so a register gets its number when it is found for the first time.
class Scopes {
 public:
  /// The outermost scope is open. Registers go to `registers`.
  explicit Scopes(std::vector<Register>& registers);

  void open(std::uint32_t line);
  /// Closes the innermost scope; false if it is the outermost.
  bool close();
  /// Names the innermost open scope, also after it is closed.
  std::uint32_t current() const { return current_; }

  /// These throw on a name that the scope has already. `line` is the line of the text.
  void declare(std::uint32_t line, std::string_view name, Symbol symbol);
  void declare_register(std::uint32_t line, std::string_view name, Type type);
  /// `prefix` followed by 0 to `count` - 1.
  void declare_registers(std::uint32_t line, std::string_view prefix, Type type,
                         std::uint32_t count);

  /// What the name means in the current scope, or in any other.
  std::optional<Symbol> find(std::string_view name) { return find_from(current_, name); }
  std::optional<Symbol> find_from(std::uint32_t scope, std::string_view name);

 private:
  struct Entry {
    Symbol symbol = {};
    Type type = Type::b32;
    bool is_unused_register = false;  ///< it has a type, and no number yet
  };
  struct Range {
    Type type = Type::b32;
    std::uint32_t count = 0;
  };
  struct Scope {
    std::uint32_t parent = 0;
    std::uint32_t depth = 0;
    std::unordered_map<std::string_view, Entry> names;
    std::unordered_map<std::string_view, Range> ranges;
  };

  void add(std::uint32_t line, std::string_view name, const Entry& entry);
  Entry* find_entry(Scope& scope, std::string_view name);

  std::vector<Register>& registers_;
  std::vector<Scope> scopes_;
  std::uint32_t current_ = 0;
};

/// Reads operands. Names of registers and of variables of the function are looked up at once. Any
/// other name becomes an Operand of the kind `label` with the name and its offset, to be looked up
/// when the whole function is known, since labels are used before they are declared.
class OperandReader {
 public:
  OperandReader(Lexer& lexer, Scopes& scopes, const ModuleNames& module)
      : lexer_(lexer), scopes_(scopes), module_(module) {}

  /// One operand, with a second one behind `|` if there is one.
  Operand read();
  /// `(a, b)`; nothing within is allowed too.
  Operand read_parenthesised_list();
  /// A predicate's register, for a guard.
  RegisterId read_guard();

 private:
  Operand read_one(int depth);
  Operand read_list(char open, char close, int depth);
  Operand read_address(int depth);
  void read_base(Operand& address);
  std::optional<Operand> find_local(std::string_view name);
  Operand read_number();
  Operand read_word();
  Operand read_negated_word();
  /// The current word with a suffix that touches it, as "%tid.x".
  std::string_view take_dotted_word();

  Lexer& lexer_;
  Scopes& scopes_;
  const ModuleNames& module_;
};

/// Reads the body of `function`, from its `{` past its `}`. The function's variables are its
/// parameters and results, whose names in the text are `names`, in the same order.
void read_body(Lexer& lexer, const ModuleNames& module, const std::vector<std::string_view>& names,
               Function& function);

}  // namespace sweep::ptx
