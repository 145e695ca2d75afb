#include "engine/emulator/ptx/function_header.h"

#include <fmt/format.h>

#include <limits>

#include "engine/emulator/ptx/constant.h"
#include "engine/emulator/ptx/declaration.h"

namespace sweep::ptx {
namespace {

/// `.noreturn`, `.attribute(...)`
void skip_attributes(Lexer& lexer) {
  while (lexer.is_suffix()) {
    lexer.advance();
    if (lexer.is_mark('(')) lexer.skip_parentheses();
  }
}

/// Goes to the next directive, or to the end of the header. A pragma has a semicolon of its own.
void skip_to_directive(Lexer& lexer) {
  for (;;) {
    if (lexer.accept_suffix("pragma")) {
      lexer.skip_statement();
      continue;
    }
    if (lexer.is_suffix() || lexer.is_mark('{') || lexer.is_mark(';')) return;
    if (lexer.is_end() || lexer.is_mark('}')) lexer.fail_expected("'{' or ';'");
    lexer.advance();
  }
}

/// Reads `32, 8` or `32, 8, 1`.
std::uint32_t read_thread_count(Lexer& lexer) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t product = 1;
  do {
    product *= read_unsigned(lexer, most, "a number of threads");
    if (product > most) lexer.fail("a block has too many threads");
  } while (lexer.accept(','));
  return static_cast<std::uint32_t>(product);
}

void read_performance_directives(Lexer& lexer, Function& function) {
  bool is_exact = false;
  skip_to_directive(lexer);
  while (lexer.is_suffix()) {
    const std::string_view name = lexer.take_suffix("a directive");
    if (name == "reqntid" || (name == "maxntid" && !is_exact)) {
      is_exact = name == "reqntid";
      function.max_threads = read_thread_count(lexer);
    }
    skip_to_directive(lexer);
  }
}

void add_parameters(std::vector<DeclaredParameter>&& parameters, std::vector<Variable>& variables,
                    FunctionHeader& header) {
  for (DeclaredParameter& parameter : parameters) {
    header.has_register_parameters |= parameter.is_register;
    header.names.push_back(parameter.declared.name);
    variables.push_back(std::move(parameter.declared.variable));
  }
}

}  // namespace

std::string_view skip_function_header(Lexer& lexer) {
  if (lexer.is_mark('(')) lexer.skip_parentheses();
  skip_attributes(lexer);
  const std::string_view name = lexer.take_word("the name of a function");
  do {
    skip_to_directive(lexer);
    if (lexer.is_suffix()) lexer.advance();
  } while (!lexer.is_mark('{') && !lexer.is_mark(';'));
  return name;
}

FunctionHeader read_function_header(Lexer& lexer) {
  FunctionHeader header;
  Function& function = header.function;
  std::vector<DeclaredParameter> results;
  if (lexer.is_mark('(')) results = read_parameters(lexer);
  skip_attributes(lexer);
  function.name = lexer.take_word("the name of a function");
  if (lexer.is_mark('(')) add_parameters(read_parameters(lexer), function.parameters, header);
  add_parameters(std::move(results), function.results, header);
  read_performance_directives(lexer, function);
  function.has_body = lexer.is_mark('{');
  function.variables = function.parameters;
  function.variables.insert(function.variables.end(), function.results.begin(),
                            function.results.end());
  return header;
}

}  // namespace sweep::ptx
