#include "engine/emulator/ptx/body_reader.h"

#include <fmt/format.h>

#include "engine/emulator/ptx/constant.h"
#include "engine/emulator/ptx/declaration.h"
#include "engine/emulator/ptx/name_resolution.h"
#include "engine/emulator/ptx/operand_reader.h"
#include "engine/emulator/ptx/places.h"
#include "engine/emulator/ptx/scopes.h"

namespace sweep::ptx {
namespace {

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
    resolve_names(body_, scopes_, module_, function_);
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

  void declare_registers() {
    for (const DeclaredRegister& declared : read_registers(lexer_)) {
      if (declared.is_range) {
        scopes_.declare_registers(line_, declared.name, declared.type, declared.count);
      } else {
        scopes_.declare_register(line_, declared.name, declared.type);
      }
    }
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
    body_.scope_of_instruction.push_back(scopes_.current());
    function_.code.push_back(std::move(instruction));
  }

  /// Reads what follows `name:`, if it belongs to the label.
  void read_label(std::string_view name) {
    if (lexer_.is_suffix("branchtargets") || lexer_.is_suffix("calltargets")) {
      scopes_.declare(line_, name,
                      {Symbol::Kind::table, static_cast<std::uint32_t>(body_.tables.size())});
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
    body_.tables.push_back(std::move(table));
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

  Lexer& lexer_;
  const ModuleNames& module_;
  Function& function_;
  Scopes scopes_;
  Places places_;
  OperandReader operands_;
  BodyNames body_;
  std::uint32_t place_ = 0;
  std::uint32_t line_ = 0;  ///< of the statement
};

}  // namespace

void read_body(Lexer& lexer, const ModuleNames& module, const std::vector<std::string_view>& names,
               Function& function) {
  BodyReader(lexer, module, function).read(names);
}

}  // namespace sweep::ptx
