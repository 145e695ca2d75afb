#include "engine/emulator/ptx/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "engine/emulator/ptx/declaration.h"
#include "engine/emulator/ptx/lexer.h"
#include "engine/text/characters.h"

namespace sweep::ptx {
namespace {

/// Newer versions add to the language and change nothing that was in it: the first word that is not
/// known here ends the reading, whatever the version says.
constexpr unsigned oldest_version = 60;
constexpr std::size_t most_digits = 4;

/// `.noreturn`, `.attribute(...)`
void skip_attributes(Lexer& lexer) {
  while (lexer.is_suffix()) {
    lexer.advance();
    if (lexer.is_mark('(')) lexer.skip_group();
  }
}

/// `x`, `x, y` or `x, y, z`.
void read_cluster(Lexer& lexer, Function& function) {
  constexpr std::uint64_t most = 0xffff;
  function.cluster.fill(1);
  std::size_t axis = 0;
  do {
    if (axis == function.cluster.size()) lexer.fail("a cluster has at most three extents");
    function.cluster.at(axis++) =
        static_cast<std::uint32_t>(read_unsigned(lexer, most, "a number of blocks"));
  } while (lexer.accept(','));
}

/// Reads up to the body or the semicolon. A pragma has a semicolon of its own.
void read_performance_directives(Lexer& lexer, Function& function) {
  constexpr std::uint64_t most_threads = std::numeric_limits<std::uint32_t>::max();
  bool is_exact = false;
  while (!lexer.is_mark('{') && !lexer.is_mark(';')) {
    if (lexer.is_end() || lexer.is_mark('}')) lexer.fail_expected("'{' or ';'");
    const Token token = lexer.current();
    lexer.advance();
    if (token.kind != Token::Kind::suffix) continue;
    if (token.text == "pragma") lexer.skip_statement();
    function.needs_cluster |= token.text == "explicitcluster";
    function.has_grid_of_clusters |= token.text == "blocksareclusters";
    if (token.text == "reqnctapercluster") read_cluster(lexer, function);
    if (token.text == "maxclusterrank") {
      function.max_cluster_blocks =
          static_cast<std::uint32_t>(read_unsigned(lexer, most_threads, "a number of blocks"));
    }
    if (token.text != "reqntid" && (token.text != "maxntid" || is_exact)) continue;
    is_exact = token.text == "reqntid";
    std::uint64_t threads = 1;
    do {
      threads *= read_unsigned(lexer, most_threads, "a number of threads");
      if (threads > most_threads) lexer.fail("a block has too many threads");
    } while (lexer.accept(','));
    function.max_threads = static_cast<std::uint32_t>(threads);
  }
}

}  // namespace

SyntaxError::SyntaxError(std::size_t line, const std::string& message)
    : std::runtime_error(fmt::format("line {} of the PTX: {}", line, message)), line_(line) {}

std::string Instruction::opcode() const {
  std::string result(mnemonic);
  for (const std::string_view modifier : modifiers) {
    result += '.';
    result += modifier;
  }
  return result;
}

class ModuleReader {
 public:
  explicit ModuleReader(Module& module) : module_(module) {}

  void read() {
    Lexer lexer(module_.text_);
    if (!lexer.accept_suffix("version")) lexer.fail_expected("'.version'");
    read_version(lexer);
    while (!lexer.is_end()) read_directive(lexer);
    if (module_.target_.empty()) lexer.fail("there is no '.target'");
    if (!has_address_size_) lexer.fail("there is no '.address_size 64'");
    resolve_aliases(lexer);
  }

 private:
  void read_version(Lexer& lexer) {
    const Token token = lexer.current();
    const std::string_view text = token.text;
    const std::size_t point = text.size() < 2 ? 0 : text.size() - 2;
    if (token.kind == Token::Kind::number && text.substr(point).starts_with('.')) {
      const std::string digits = std::string(text.substr(0, point)) + text.back();
      if (digits.size() <= most_digits && std::ranges::all_of(digits, is_digit)) {
        module_.version_ = static_cast<unsigned>(std::stoul(digits));
      }
    }
    if (module_.version_ < oldest_version) {
      lexer.fail(fmt::format("PTX of version {} is not supported: it has to be {}.{} or newer",
                             quoted(token), oldest_version / 10, oldest_version % 10));
    }
    lexer.advance();
  }

  void read_directive(Lexer& lexer) {
    bool is_extern = false;
    while (lexer.is_suffix("visible") || lexer.is_suffix("extern") || lexer.is_suffix("weak") ||
           lexer.is_suffix("common")) {
      is_extern |= lexer.is_suffix("extern");
      lexer.advance();
    }
    const Token token = lexer.current();
    const std::string_view name = lexer.take_suffix("a directive");
    if (name == "entry" || name == "func") {
      find_function_text(lexer, name == "entry");
    } else if (name == "file") {
      read_file(lexer);
    } else if (name == "section") {
      while (!lexer.is_mark('{')) {
        if (lexer.is_end() || lexer.is_mark('}')) lexer.fail_expected("'{'");
        lexer.advance();
      }
      lexer.skip_body();
    } else if (const auto space = find_space(name); space && *space != Space::generic) {
      read_module_variables(lexer, *space, is_extern);
    } else if (name == "target") {
      read_target(lexer);
    } else if (name == "address_size") {
      const Token size = lexer.current();
      const std::int64_t bits = read_integer(lexer);
      has_address_size_ = bits == 64;
      if (!has_address_size_) {
        Lexer::fail_at(size,
                       fmt::format("addresses of {} bits are not supported, of 64 are", bits));
      }
    } else if (name == "alias") {
      const std::string_view alias = lexer.take_word("the name of a function");
      lexer.expect(',');
      aliases_.emplace_back(alias, lexer.take_word("the name of a function"));
      lexer.expect(';');
    } else if (name == "pragma") {
      lexer.skip_statement();
    } else if (name == "loc") {
      while (!lexer.is_suffix() && !lexer.is_end()) lexer.advance();
    } else {
      lexer.fail(fmt::format("{} is not a directive of a module", quoted(token)));
    }
  }

  void read_target(Lexer& lexer) {
    const Token token = lexer.current();
    module_.target_ = lexer.take_word("a target");
    if (!module_.target_.starts_with("sm_") || module_.target_.size() < 5) {
      Lexer::fail_at(
          token, fmt::format("{} is not a target: it has to be sm_ and a number", quoted(token)));
    }
    while (lexer.accept(',')) lexer.take_word("an option of the target");
  }

  void read_file(Lexer& lexer) {
    const std::uint64_t index = read_unsigned(lexer, last_file, "the number of a file");
    module_.files_[static_cast<std::uint32_t>(index)] = lexer.take_string("the name of a file");
    // The file's time and size may follow.
    while (lexer.accept(',')) read_constant(lexer);
  }

  void read_module_variables(Lexer& lexer, Space space, bool is_extern) {
    const auto line = lexer.current().line;
    for (Variable& variable : read_variables(lexer, space, is_extern)) {
      const auto [found, is_new] = module_.names_.variables.try_emplace(
          variable.name, static_cast<std::uint32_t>(module_.variables_.size()));
      if (is_new) {
        module_.variables_.push_back(std::move(variable));
      } else if (module_.variables_[found->second].is_extern) {
        module_.variables_[found->second] = std::move(variable);
      } else if (!is_extern) {
        throw SyntaxError(line, fmt::format("'{}' is declared twice", variable.name));
      }
    }
  }

  /// Notes where a function's body stands and goes past it.
  void find_function_text(Lexer& lexer, bool is_entry) {
    const std::uint32_t line = lexer.current().line;
    Module::FoundFunction found = read_function_header(lexer);
    found.function.is_entry = is_entry;
    if (found.function.has_body) {
      lexer.skip_body();
    } else {
      lexer.expect(';');
    }
    const std::string_view name = found.function.name;
    const auto [known, is_new] = module_.names_.functions.try_emplace(
        name, static_cast<std::uint32_t>(module_.functions_.size()));
    if (is_new) {
      module_.functions_.push_back(std::move(found));
    } else if (found.function.has_body) {
      if (module_.functions_[known->second].function.has_body) {
        throw SyntaxError(line, fmt::format("'{}' is defined twice", name));
      }
      module_.functions_[known->second] = std::move(found);
    }
  }

  /// An alias is declared as a function, too.
  void resolve_aliases(const Lexer& lexer) {
    for (const auto& [alias, aliasee] : aliases_) {
      const auto target = module_.names_.functions.find(aliasee);
      if (target == module_.names_.functions.end()) {
        lexer.fail(fmt::format("'.alias' names '{}', which is no function", aliasee));
      }
      const std::uint32_t index = target->second;  // the insertion may move it
      module_.names_.functions.insert_or_assign(alias, index);
    }
  }

  /// Reads from behind `.entry` or `.func` to the `{` or `;`.
  static Module::FoundFunction read_function_header(Lexer& lexer) {
    Module::FoundFunction found;
    Function& function = found.function;
    std::vector<Variable> results;
    if (lexer.is_mark('(')) results = read_parameters(lexer, found.has_register_parameters);
    skip_attributes(lexer);
    function.name = lexer.take_word("the name of a function");
    if (lexer.is_mark('(')) {
      function.variables = read_parameters(lexer, found.has_register_parameters);
    }
    function.parameter_count = function.variables.size();
    function.result_count = results.size();
    std::ranges::move(results, std::back_inserter(function.variables));
    read_performance_directives(lexer, function);
    function.has_body = lexer.is_mark('{');
    function.places.resize(1);
    found.body = lexer.offset();
    found.line = lexer.current().line;
    return found;
  }

  Module& module_;
  bool has_address_size_ = false;
  std::vector<std::pair<std::string_view, std::string_view>> aliases_;
};

Module::Module(std::string text) : text_(std::move(text)) {
  ModuleReader(*this).read();
}

const std::string& Module::file_name(std::uint32_t index) const {
  static const std::string none;
  const auto found = files_.find(index);
  return found == files_.end() ? none : found->second;
}

const Function* Module::find_function(std::string_view name) const {
  const auto known = names_.functions.find(name);
  if (known == names_.functions.end()) return nullptr;
  FoundFunction& found = functions_[known->second];
  const std::lock_guard lock(reading_);
  if (!found.function.has_body || found.is_read) return &found.function;
  Lexer lexer(text_, found.body, found.line);
  if (found.has_register_parameters) {
    lexer.fail(fmt::format("'{}' takes its parameters in registers, which is not supported",
                           found.function.name));
  }
  Function function = found.function;
  read_body(lexer, names_, function);
  found.function = std::move(function);
  found.is_read = true;
  return &found.function;
}

std::vector<std::string> Module::entries() const {
  std::vector<std::string> result;
  for (const FoundFunction& found : functions_) {
    if (found.function.is_entry) result.emplace_back(found.function.name);
  }
  return result;
}

}  // namespace sweep::ptx
