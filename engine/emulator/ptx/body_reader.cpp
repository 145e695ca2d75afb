#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "engine/emulator/ptx/declaration.h"
#include "engine/emulator/ptx/lexer.h"
#include "engine/emulator/ptx/scopes.h"

namespace sweep::ptx {
namespace {

constexpr std::size_t longest_chain = 64;
constexpr int deepest_operand = 8;
/// Every use of a table copies it.
constexpr std::size_t most_table_entries = std::size_t{1} << 17;

Place read_place(Lexer& lexer) {
  constexpr std::uint32_t any = std::numeric_limits<std::uint32_t>::max();
  const auto read = [&](std::uint32_t last, std::string_view what) {
    return static_cast<std::uint32_t>(read_unsigned(lexer, last, what));
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
        link.inlinee.first = lexer.take_word("a label");
        link.inlinee.second = read_offset(lexer);
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
  using Inlinee = std::pair<std::string_view, std::int64_t>;
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
    return known != latest_.end() ? known->second : find_or_add({call, {}, 0});
  }

  std::uint32_t find_or_add(const Link& link) {
    const auto [found, is_new] =
        chain_of_link_.try_emplace(link, static_cast<std::uint32_t>(chains_.size()));
    if (is_new) {
      CallChain chain = chains_[link.caller];
      chain.insert(chain.begin(), link.place);
      chain.resize(std::min(chain.size(), longest_chain));
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

Operand operand_of(Operand::Kind kind, std::string_view name = {}) {
  Operand operand;
  operand.kind = kind;
  operand.name = name;
  return operand;
}

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
        places_(function.places) {}

  void read() {
    line_ = lexer_.current().line;
    for (std::size_t i = 0; i < function_.variables.size(); ++i) declare_variable(i);
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
    if (lexer_.accept('{')) {
      scopes_.open(line_);
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
      for (Variable& variable : read_variables(lexer_, *space, false)) {
        function_.variables.push_back(std::move(variable));
        declare_variable(function_.variables.size() - 1);
      }
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
      if (lexer_.accept('<')) {
        const auto count = read_unsigned(lexer_, most_registers, "the number of registers");
        lexer_.expect('>');
        scopes_.declare_registers(line_, name, type, count);
      } else {
        declare(name, Symbol::Kind::unused_register, static_cast<std::size_t>(type));
      }
    } while (lexer_.accept(','));
    lexer_.expect(';');
  }

  void declare(std::string_view name, Symbol::Kind kind, std::size_t index) {
    scopes_.declare(line_, name, {kind, index});
  }

  void declare_variable(std::size_t index) {
    const std::string_view name = function_.variables[index].name;
    // Prototypes may leave their parameters without a name of their own.
    if (name != "_") declare(name, Symbol::Kind::variable, index);
  }

  void read_label_or_instruction() {
    Instruction instruction;
    instruction.ptx_line = line_;
    if (lexer_.accept('@')) {
      instruction.is_guard_negated = lexer_.accept('!');
      instruction.guard = read_guard();
    }
    instruction.mnemonic = lexer_.take_word("an instruction");
    if (!instruction.guard && lexer_.accept(':')) return read_label(instruction.mnemonic);
    while (lexer_.is_suffix()) instruction.modifiers.push_back(lexer_.take_suffix("a modifier"));
    if (instruction.mnemonic == "call") {
      read_call(instruction);
    } else if (!lexer_.is_mark(';')) {
      do {
        instruction.operands.push_back(read_operand());
      } while (lexer_.accept(','));
    }
    lexer_.expect(';');
    instruction.place = place_;
    scope_of_instruction_.push_back(scopes_.current());
    function_.code.push_back(std::move(instruction));
  }

  RegisterId read_guard() {
    const Token token = lexer_.current();
    const std::string_view name = lexer_.take_word("a predicate");
    const auto symbol = scopes_.find(scopes_.current(), name);
    if (!symbol || symbol->kind != Symbol::Kind::reg ||
        function_.registers[symbol->index].type != Type::pred) {
      Lexer::fail_at(token, fmt::format("{} is not a predicate", quoted(token)));
    }
    return symbol->index;
  }

  /// Reads what follows `name:`, if it belongs to the label.
  void read_label(std::string_view name) {
    const std::uint32_t line = lexer_.current().line;
    if (lexer_.accept_suffix("branchtargets") || lexer_.accept_suffix("calltargets")) {
      declare(name, Symbol::Kind::table, tables_.size());
      TargetTable& table = tables_.emplace_back();
      table.scope = scopes_.current();
      table.line = line;
      do {
        table.names.push_back(lexer_.take_word("a target"));
      } while (lexer_.accept(','));
      lexer_.expect(';');
    } else if (lexer_.is_suffix("callprototype")) {
      declare(name, Symbol::Kind::prototype, 0);
      lexer_.skip_statement();
    } else {
      declare(name, Symbol::Kind::label, function_.code.size());
    }
  }

  /// Reads `(results), callee, (arguments), table`, of which the callee alone has to be there.
  void read_call(Instruction& instruction) {
    Operand results = operand_of(Operand::Kind::list);
    Operand arguments = results;
    if (lexer_.is_mark('(')) {
      results = read_list('(', ')', 0);
      lexer_.expect(',');
    }
    instruction.operands.push_back(std::move(results));
    instruction.operands.push_back(read_operand());
    bool has_more = lexer_.accept(',');
    if (has_more && lexer_.is_mark('(')) {
      arguments = read_list('(', ')', 0);
      has_more = lexer_.accept(',');
    }
    instruction.operands.push_back(std::move(arguments));
    if (has_more) instruction.operands.push_back(read_operand());
  }

  // Names of registers and of variables of the function are looked up at once. Any other name
  // becomes a label with its offset, to be looked up when the whole function is known, since labels
  // are used before they are declared.

  /// One operand, with a second one behind `|` if there is one.
  Operand read_operand() {
    Operand first = read_one(0);
    if (!lexer_.is_mark('|')) return first;
    Operand pair = operand_of(Operand::Kind::list);
    pair.elements.push_back(std::move(first));
    while (lexer_.accept('|')) pair.elements.push_back(read_one(0));
    return pair;
  }

  Operand read_one(int depth) {
    if (depth > deepest_operand) lexer_.fail("an operand is nested too deeply");
    if (lexer_.is_mark('[')) return read_address(depth);
    if (lexer_.is_mark('{')) return read_list('{', '}', depth);
    if (lexer_.accept('!')) {
      Operand operand = read_name();
      operand.is_negated = true;
      return operand;
    }
    if (lexer_.is_name()) return read_name();
    if (lexer_.is_mark('-')) {
      // Only video instructions negate registers. What stands behind a copy of the reader tells.
      Lexer ahead = lexer_;
      ahead.advance();
      if (ahead.is_name()) return read_negated_name();
    }
    const Constant constant = read_constant(lexer_);
    using Kind = Operand::Kind;
    Operand number = operand_of(constant.kind == Constant::Kind::integer ? Kind::integer
                                : constant.kind == Constant::Kind::f32   ? Kind::f32
                                                                         : Kind::f64);
    number.value = static_cast<std::int64_t>(constant.bits);
    return number;
  }

  Operand read_list(char open, char close, int depth) {
    Operand list = operand_of(Operand::Kind::list);
    lexer_.expect(open);
    while (!lexer_.is_mark(close)) {
      list.elements.push_back(read_one(depth + 1));
      if (!lexer_.accept(',')) break;
    }
    lexer_.expect(close);
    return list;
  }

  Operand read_address(int depth) {
    Operand address = operand_of(Operand::Kind::address);
    lexer_.expect('[');
    if (lexer_.is_name()) {
      read_base(address);
      address.value = read_offset(lexer_);
    } else {
      address.value = read_integer(lexer_);
    }
    while (lexer_.accept(',')) address.elements.push_back(read_one(depth + 1));
    lexer_.expect(']');
    return address;
  }

  void read_base(Operand& address) {
    const Token token = lexer_.current();
    address.name = take_dotted_word();
    address.base = Operand::Base::variable;
    const auto global = module_.variables.find(address.name);
    if (const auto local = find_local(address.name)) {
      if (local->kind == Operand::Kind::reg) address.base = Operand::Base::reg;
      address.reg = local->reg;
      address.variable = local->variable;
    } else if (global != module_.variables.end()) {
      address.variable = {false, global->second};
    } else {
      Lexer::fail_at(token, fmt::format("{} is neither a register nor a variable", quoted(token)));
    }
  }

  /// A register or variable of the function.
  std::optional<Operand> find_local(std::string_view name) {
    const auto symbol = scopes_.find(scopes_.current(), name);
    Operand operand;
    operand.name = name;
    if (symbol && symbol->kind == Symbol::Kind::reg) {
      operand.kind = Operand::Kind::reg;
      operand.reg = symbol->index;
      return operand;
    }
    if (!symbol || symbol->kind != Symbol::Kind::variable) return std::nullopt;
    operand.kind = Operand::Kind::variable;
    operand.variable = {true, symbol->index};
    return operand;
  }

  Operand read_name() {
    const Token token = lexer_.current();
    const std::string_view name = take_dotted_word();
    if (name == "_") return operand_of(Operand::Kind::sink);
    if (auto local = find_local(name)) {
      if (local->kind == Operand::Kind::variable) local->value = read_offset(lexer_);
      return *local;
    }
    if (name.size() > token.text.size() && scopes_.find(scopes_.current(), token.text)) {
      return operand_of(Operand::Kind::other, name);  // a part of a register, as in "%r1.b0"
    }
    if (is_special_register(name)) return operand_of(Operand::Kind::special, name);
    if (name.front() == '%') {
      Lexer::fail_at(token, fmt::format("{} is not a register", quoted(token)));
    }
    Operand operand = operand_of(Operand::Kind::label, name);
    operand.value = read_offset(lexer_);
    return operand;
  }

  Operand read_negated_name() {
    const char* const start = lexer_.current().text.data();
    lexer_.advance();
    const Token token = lexer_.current();
    const std::string_view name = read_name().name;
    if (name.empty()) Lexer::fail_at(token, "'-' needs a register, not '_'");
    return operand_of(Operand::Kind::other, {start, name.data() + name.size()});
  }

  /// The current word with a suffix that touches it, as "%tid.x".
  std::string_view take_dotted_word() {
    const std::string_view word = lexer_.take_word("an operand");
    if (!lexer_.is_suffix_of(word)) return word;
    const std::string_view suffix = lexer_.take_suffix("a suffix");
    return {word.data(), suffix.data() + suffix.size()};
  }

  void resolve(Operand& operand, std::uint32_t scope, std::uint32_t line) {
    for (Operand& element : operand.elements) resolve(element, scope, line);
    if (operand.kind != Operand::Kind::label) return;
    const auto symbol = scopes_.find(scope, operand.name);
    if (symbol && symbol->kind == Symbol::Kind::table) {
      resolve_table(operand, tables_[symbol->index], line);
    } else if (symbol && symbol->kind == Symbol::Kind::prototype) {
      operand.kind = Operand::Kind::other;
    } else {
      resolve_target(operand, scope, line);
    }
  }

  void resolve_table(Operand& operand, const TargetTable& table, std::uint32_t line) {
    table_entries_ += table.names.size();
    if (table_entries_ > most_table_entries) {
      throw SyntaxError(line, "the function has too many branch targets");
    }
    operand.kind = Operand::Kind::list;
    for (const std::string_view name : table.names) {
      operand.elements.push_back(operand_of(Operand::Kind::label, name));
      resolve_target(operand.elements.back(), table.scope, table.line);
    }
  }

  /// A label, or what the module declares.
  void resolve_target(Operand& operand, std::uint32_t scope, std::uint32_t line) {
    const auto symbol = scopes_.find(scope, operand.name);
    const bool is_label = symbol && symbol->kind == Symbol::Kind::label;
    const auto variable = module_.variables.find(operand.name);
    if (!is_label && variable != module_.variables.end()) {
      operand.kind = Operand::Kind::variable;
      operand.variable = {false, variable->second};
      return;
    }
    if (!is_label && !module_.functions.contains(operand.name)) {
      throw SyntaxError(line, fmt::format("'{}' is not declared", operand.name));
    }
    if (operand.value != 0) {
      throw SyntaxError(line, fmt::format("'{}' is code and takes no offset", operand.name));
    }
    if (is_label) {
      operand.value = symbol->index;
    } else {
      operand.kind = Operand::Kind::function;
    }
  }

  Lexer& lexer_;
  const ModuleNames& module_;
  Function& function_;
  Scopes scopes_;
  Places places_;
  std::vector<std::uint32_t> scope_of_instruction_;
  std::vector<TargetTable> tables_;
  std::size_t table_entries_ = 0;
  std::uint32_t place_ = 0;
  std::uint32_t line_ = 0;  ///< of the statement
};

}  // namespace

void read_body(Lexer& lexer, const ModuleNames& module, Function& function) {
  BodyReader(lexer, module, function).read();
}

}  // namespace sweep::ptx
