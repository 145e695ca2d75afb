#include "engine/emulator/ptx/body_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

#include "engine/emulator/ptx/declaration.h"
#include "engine/emulator/ptx/lexer.h"
#include "engine/text/characters.h"

namespace sweep::ptx {
namespace {

constexpr std::uint32_t deepest_scope = 64;
constexpr std::size_t most_register_digits = 8;  ///< of the number of a register

}  // namespace

Scopes::Scopes(std::vector<Register>& registers) : registers_(registers), scopes_(1) {}

void Scopes::open(std::uint32_t line) {
  Scope scope;
  scope.parent = current_;
  scope.depth = scopes_[current_].depth + 1;
  if (scope.depth > deepest_scope) throw SyntaxError(line, "braces are nested too deeply");
  current_ = static_cast<std::uint32_t>(scopes_.size());
  scopes_.push_back(std::move(scope));
}

bool Scopes::close() {
  if (current_ == 0) return false;
  current_ = scopes_[current_].parent;
  return true;
}

void Scopes::declare(std::uint32_t line, std::string_view name, Symbol symbol) {
  add(line, name, {symbol});
}

void Scopes::declare_register(std::uint32_t line, std::string_view name, Type type) {
  add(line, name, {.type = type, .is_unused_register = true});
}

void Scopes::add(std::uint32_t line, std::string_view name, const Entry& entry) {
  if (!scopes_[current_].names.try_emplace(name, entry).second) {
    throw SyntaxError(line, fmt::format("'{}' is declared twice", name));
  }
}

void Scopes::declare_registers(std::uint32_t line, std::string_view prefix, Type type,
                               std::uint32_t count) {
  const Range range = {type, count};
  if (!scopes_[current_].ranges.try_emplace(prefix, range).second) {
    throw SyntaxError(line, fmt::format("registers '{}<...>' are declared twice", prefix));
  }
}

std::optional<Symbol> Scopes::find_from(std::uint32_t scope, std::string_view name) {
  for (;; scope = scopes_[scope].parent) {
    if (Entry* const entry = find_entry(scopes_[scope], name)) {
      if (entry->is_unused_register) {
        entry->is_unused_register = false;
        entry->symbol = {Symbol::Kind::reg, static_cast<std::uint32_t>(registers_.size())};
        registers_.push_back(Register{std::string(name), entry->type});
      }
      return entry->symbol;
    }
    if (scope == 0) return std::nullopt;
  }
}

Scopes::Entry* Scopes::find_entry(Scope& scope, std::string_view name) {
  const auto found = scope.names.find(name);
  if (found != scope.names.end()) return &found->second;
  if (scope.ranges.empty()) return nullptr;
  // A prefix may itself end in digits, so each way to split the name is tried.
  for (std::size_t digits = 1; digits <= most_register_digits && digits < name.size(); ++digits) {
    const std::size_t split = name.size() - digits;
    if (!is_digit(name[split])) return nullptr;
    if (name[split] == '0' && digits > 1) continue;
    const auto range = scope.ranges.find(name.substr(0, split));
    if (range == scope.ranges.end()) continue;
    std::uint32_t number = 0;
    std::from_chars(name.data() + split, name.data() + name.size(), number);
    if (number >= range->second.count) continue;
    const Entry entry = {.type = range->second.type, .is_unused_register = true};
    return &scope.names.emplace(name, entry).first->second;
  }
  return nullptr;
}

namespace {

constexpr std::size_t longest_chain = 64;

Place read_place(Lexer& lexer) {
  constexpr std::uint32_t any = std::numeric_limits<std::uint32_t>::max();
  const auto read = [&](std::uint32_t last, std::string_view what) {
    const Token token = lexer.current();
    // A literal, not an expression: no comma stands between the three numbers.
    const Constant constant = read_literal(lexer);
    if (constant.kind != Constant::Kind::integer || constant.bits > last) {
      Lexer::fail_at(token, fmt::format("{} is not from 0 to {}", what, last));
    }
    return static_cast<std::uint32_t>(constant.bits);
  };
  return {read(last_file, "a file"), read(any, "a line"), read(any, "a column")};
}

/// The call chains of one function's instructions. A compiler prints the `.loc` of an inlined
/// instruction with the inlined function and the place of the call, and before it the `.loc` of
/// that call: the latest `.loc` of a place tells how the place itself came to be there. Functions
/// made from one template are called from one place by each other, so a `.loc` that goes back to
/// a function of the current chain, called from the same place as there, means that one.
class Places {
 public:
  /// `chains` gets the empty chain as its first.
  explicit Places(std::vector<CallChain>& chains) : chains_(chains), links_(1) {
    chains_.assign(1, CallChain{});
  }

  /// Reads what follows `.loc`, and gives the index of the chain of the instructions behind it.
  /// A chain names the 64 innermost places.
  std::uint32_t read(Lexer& lexer) {
    Link link;
    link.place = read_place(lexer);
    std::optional<Place> call;
    while (lexer.accept(',')) {
      const std::string_view attribute = lexer.take_word("'function_name' or 'inlined_at'");
      if (attribute == "function_name") {
        link.inlinee.label = lexer.take_word("a label");
        link.inlinee.offset = read_offset(lexer);
      } else if (attribute == "inlined_at") {
        call = read_place(lexer);
      } else {
        lexer.fail(fmt::format("'{}' is not an attribute of a place", attribute));
      }
    }
    if (call) link.caller = find_caller(link.inlinee, *call);
    current_ = find_or_add(link);
    latest_[link.place] = current_;
    return current_;
  }

 private:
  /// The function that a place was inlined with: a label and an offset of debug information.
  struct Inlinee {
    std::string_view label;
    std::int64_t offset = 0;
    friend auto operator<=>(const Inlinee&, const Inlinee&) = default;
  };
  /// The first place of a chain, and the chain of the rest.
  struct Link {
    Place place;
    Inlinee inlinee;
    std::uint32_t caller = 0;
    friend auto operator<=>(const Link&, const Link&) = default;
  };
  std::uint32_t find_caller(const Inlinee& inlinee, const Place& call) {
    std::uint32_t chain = current_;
    for (std::size_t step = 0; step < longest_chain && chain != 0; ++step) {
      const Link& link = links_[chain];
      if (link.inlinee == inlinee && link.caller != 0 && links_[link.caller].place == call) {
        return link.caller;
      }
      chain = link.caller;
    }
    const auto known = latest_.find(call);
    return known != latest_.end() ? known->second : find_or_add(Link{call, {}, 0});
  }

  std::uint32_t find_or_add(const Link& link) {
    const auto [found, is_new] =
        chain_of_link_.try_emplace(link, static_cast<std::uint32_t>(chains_.size()));
    if (is_new) {
      CallChain chain = {link.place};
      const CallChain& outer = chains_[link.caller];
      const std::size_t length = std::min(outer.size(), longest_chain - 1);
      chain.insert(chain.end(), outer.begin(), outer.begin() + static_cast<std::ptrdiff_t>(length));
      chains_.push_back(std::move(chain));
      links_.push_back(link);
    }
    return found->second;
  }

  std::vector<CallChain>& chains_;
  std::vector<Link> links_;  ///< of each chain
  std::map<Link, std::uint32_t> chain_of_link_;
  std::map<Place, std::uint32_t> latest_;
  std::uint32_t current_ = 0;
};

/// Every use of a table copies it.
constexpr std::size_t most_table_entries = std::size_t{1} << 17;

/// The names that `.branchtargets` or `.calltargets` lists.
struct TargetTable {
  std::vector<std::string_view> names;
  std::uint32_t scope = 0;
  std::uint32_t line = 0;
};

class BodyReader {
 public:
  BodyReader(Lexer& lexer, const ModuleNames& module, Function& function)
      : lexer_(lexer),
        module_(module),
        function_(function),
        scopes_(function.registers),
        places_(function.places),
        operands_(lexer, scopes_, module) {}

  void read(const std::vector<std::string_view>& names) {
    line_ = lexer_.current().line;
    for (std::size_t i = 0; i < names.size(); ++i) {
      // Prototypes may leave their parameters without a name of their own.
      if (names[i] != "_") declare_variable(names[i], i);
    }
    lexer_.expect('{');
    while (read_statement()) {
    }
    for (std::size_t i = 0; i < function_.code.size(); ++i) {
      Instruction& instruction = function_.code[i];
      for (Operand& operand : instruction.operands) {
        resolve(operand, scope_of_instruction_[i], instruction.ptx_line);
      }
    }
  }

 private:
  /// False at the end of the body.
  bool read_statement() {
    line_ = lexer_.current().line;
    if (lexer_.accept('}')) return scopes_.close();
    if (lexer_.is_mark('{')) {
      scopes_.open(line_);
      lexer_.advance();
    } else if (lexer_.is_suffix()) {
      read_directive();
    } else {
      read_label_or_instruction();
    }
    return true;
  }

  void read_directive() {
    const Token token = lexer_.current();
    lexer_.advance();
    const std::string_view name = token.text;
    if (name == "reg") {
      declare_registers();
    } else if (name == "loc") {
      place_ = places_.read(lexer_);
    } else if (name == "pragma") {
      lexer_.skip_statement();
    } else if (const auto space = find_space(name); space && *space != Space::generic) {
      declare_variables(*space);
    } else {
      lexer_.fail(fmt::format("{} is not a directive of a function's body", quoted(token)));
    }
  }

  /// Reads `%p` or `%r<5>`, which is `%r0` to `%r4`.
  void declare_registers() {
    constexpr std::uint64_t most_registers = std::uint64_t{1} << 24;  // of one range
    const Type type = read_register_type(lexer_);
    do {
      const std::string_view name = lexer_.take_word("the name of a register");
      if (!lexer_.accept('<')) {
        scopes_.declare_register(line_, name, type);
        continue;
      }
      const auto count = static_cast<std::uint32_t>(
          read_unsigned(lexer_, most_registers, "the number of registers"));
      lexer_.expect('>');
      scopes_.declare_registers(line_, name, type, count);
    } while (lexer_.accept(','));
    lexer_.expect(';');
  }

  void declare_variables(Space space) {
    for (DeclaredVariable& declared : read_variables(lexer_, space, false)) {
      declare_variable(declared.name, function_.variables.size());
      function_.variables.push_back(std::move(declared.variable));
    }
  }

  void declare_variable(std::string_view name, std::size_t index) {
    scopes_.declare(line_, name, {Symbol::Kind::variable, static_cast<std::uint32_t>(index)});
  }

  void read_label_or_instruction() {
    Instruction instruction;
    instruction.ptx_line = line_;
    if (lexer_.accept('@')) {
      instruction.is_guard_negated = lexer_.accept('!');
      const RegisterId guard = operands_.read_guard();
      if (function_.registers[guard].type != Type::pred) {
        throw SyntaxError(line_,
                          fmt::format("'{}' is not a predicate", function_.registers[guard].name));
      }
      instruction.guard = guard;
    }
    instruction.mnemonic = lexer_.take_word("an instruction");
    if (!instruction.guard && lexer_.accept(':')) {
      read_label(instruction.mnemonic);
      return;
    }
    while (lexer_.is_suffix()) instruction.modifiers.push_back(lexer_.take_suffix("a modifier"));
    if (instruction.mnemonic == "call") {
      read_call(instruction);
    } else {
      read_operands(instruction);
    }
    instruction.place = place_;
    scope_of_instruction_.push_back(scopes_.current());
    function_.code.push_back(std::move(instruction));
  }

  /// Reads what follows `name:`, if it belongs to the label.
  void read_label(std::string_view name) {
    if (lexer_.is_suffix("branchtargets") || lexer_.is_suffix("calltargets")) {
      scopes_.declare(line_, name,
                      {Symbol::Kind::table, static_cast<std::uint32_t>(tables_.size())});
      read_table();
    } else if (lexer_.is_suffix("callprototype")) {
      scopes_.declare(line_, name, {Symbol::Kind::prototype, 0});
      lexer_.skip_statement();
    } else {
      scopes_.declare(line_, name,
                      {Symbol::Kind::label, static_cast<std::uint32_t>(function_.code.size())});
    }
  }

  void read_table() {
    TargetTable table;
    table.scope = scopes_.current();
    table.line = lexer_.current().line;
    lexer_.advance();
    do {
      table.names.push_back(lexer_.take_word("a target"));
    } while (lexer_.accept(','));
    lexer_.expect(';');
    tables_.push_back(std::move(table));
  }

  void read_operands(Instruction& instruction) {
    if (!lexer_.is_mark(';')) {
      do {
        instruction.operands.push_back(operands_.read());
      } while (lexer_.accept(','));
    }
    lexer_.expect(';');
  }

  /// Reads `(results), callee, (arguments), table;`, of which the callee alone has to be there.
  void read_call(Instruction& instruction) {
    Operand results;
    results.kind = Operand::Kind::list;
    Operand arguments = results;
    if (lexer_.is_mark('(')) {
      results = operands_.read_parenthesised_list();
      lexer_.expect(',');
    }
    instruction.operands.push_back(std::move(results));
    instruction.operands.push_back(operands_.read());
    bool has_more = lexer_.accept(',');
    if (has_more && lexer_.is_mark('(')) {
      arguments = operands_.read_parenthesised_list();
      has_more = lexer_.accept(',');
    }
    instruction.operands.push_back(std::move(arguments));
    if (has_more) instruction.operands.push_back(operands_.read());
    lexer_.expect(';');
  }

  // Labels are used before they are declared, so names are looked up when the body is known.

  void resolve(Operand& operand, std::uint32_t scope, std::uint32_t line) {
    for (Operand& element : operand.elements) resolve(element, scope, line);
    if (operand.kind != Operand::Kind::label) return;
    const auto symbol = scopes_.find_from(scope, operand.name);
    if (symbol && symbol->kind == Symbol::Kind::label) {
      check_no_offset(operand, line);
      operand.value = symbol->index;
    } else if (symbol && symbol->kind == Symbol::Kind::table) {
      resolve_table(operand, tables_[symbol->index], line);
    } else if (symbol && symbol->kind == Symbol::Kind::prototype) {
      operand.kind = Operand::Kind::other;
    } else {
      resolve_in_module(operand, line);
    }
  }

  void resolve_in_module(Operand& operand, std::uint32_t line) {
    const auto variable = module_.variables.find(operand.name);
    if (variable != module_.variables.end()) {
      operand.kind = Operand::Kind::variable;
      operand.variable = {false, variable->second};
      return;
    }
    if (module_.functions.find(operand.name) == module_.functions.end()) {
      throw SyntaxError(line, fmt::format("'{}' is not declared", operand.name));
    }
    check_no_offset(operand, line);
    operand.kind = Operand::Kind::function;
  }

  void resolve_table(Operand& operand, const TargetTable& table, std::uint32_t line) {
    table_entries_ += table.names.size();
    if (table_entries_ > most_table_entries) {
      throw SyntaxError(line, "the function has too many branch targets");
    }
    operand.kind = Operand::Kind::list;
    for (const std::string_view name : table.names) {
      Operand target;
      target.kind = Operand::Kind::label;
      target.name = name;
      const auto symbol = scopes_.find_from(table.scope, name);
      if (symbol && symbol->kind == Symbol::Kind::label) {
        target.value = symbol->index;
      } else {
        resolve_in_module(target, table.line);
      }
      operand.elements.push_back(std::move(target));
    }
  }

  static void check_no_offset(const Operand& operand, std::uint32_t line) {
    if (operand.value == 0) return;
    throw SyntaxError(line, fmt::format("'{}' is code and takes no offset", operand.name));
  }

  Lexer& lexer_;
  const ModuleNames& module_;
  Function& function_;
  Scopes scopes_;
  Places places_;
  OperandReader operands_;
  std::vector<std::uint32_t> scope_of_instruction_;
  std::vector<TargetTable> tables_;
  std::size_t table_entries_ = 0;
  std::uint32_t place_ = 0;
  std::uint32_t line_ = 0;  ///< of the statement
};

}  // namespace

void read_body(Lexer& lexer, const ModuleNames& module, const std::vector<std::string_view>& names,
               Function& function) {
  BodyReader(lexer, module, function).read(names);
}

}  // namespace sweep::ptx
