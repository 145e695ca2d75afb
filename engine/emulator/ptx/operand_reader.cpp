#include <fmt/format.h>

#include <algorithm>

#include "engine/emulator/ptx/body_reader.h"
#include "engine/emulator/ptx/lexer.h"
#include "engine/text/characters.h"

namespace sweep::ptx {
namespace {

constexpr int deepest_operand = 8;

Operand operand_of(Operand::Kind kind, std::string_view name = {}) {
  Operand operand;
  operand.kind = kind;
  operand.name = name;
  return operand;
}

/// Vectors of three, or four with an unused last one; alone they name all of it.
constexpr std::string_view vectors =
    " %tid %ntid %ctaid %nctaid %clusterid %nclusterid %cluster_ctaid %cluster_nctaid ";
constexpr std::string_view scalars =
    " %laneid %warpid %nwarpid %smid %nsmid %gridid %is_explicit_cluster %cluster_ctarank "
    "%cluster_nctarank %lanemask_eq %lanemask_le %lanemask_lt %lanemask_ge %lanemask_gt %clock "
    "%clock_hi %clock64 %globaltimer %globaltimer_lo %globaltimer_hi %total_smem_size "
    "%aggr_smem_size %dynamic_smem_size %current_graph_exec %reserved_smem_offset_begin "
    "%reserved_smem_offset_end %reserved_smem_offset_cap ";

bool is_among(std::string_view names, std::string_view name) {
  return names.find(fmt::format(" {} ", name)) != std::string_view::npos;
}

/// `prefix` and a number below `count`.
bool is_numbered(std::string_view name, std::string_view prefix, unsigned count) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  if (name.empty() || name.size() > 2) return false;
  return std::ranges::all_of(name, is_digit) && std::stoul(std::string(name)) < count;
}

/// Whether PTX predefines the register: "%tid.x", "%envreg7". The emulator may not have it.
bool is_special_register(std::string_view name) {
  if (is_among(scalars, name)) return true;
  std::string_view vector = name;
  if (name.size() > 2 && name[name.size() - 2] == '.' &&
      std::string_view("xyzw").find(name.back()) != std::string_view::npos) {
    vector = name.substr(0, name.size() - 2);
  }
  if (is_among(vectors, vector)) return true;
  if (name.ends_with("_64") && is_numbered(name.substr(0, name.size() - 3), "%pm", 8)) return true;
  return is_numbered(name, "%pm", 8) || is_numbered(name, "%envreg", 32) ||
         is_numbered(name, "%reserved_smem_offset_", 2);
}

}  // namespace

Operand OperandReader::read() {
  Operand first = read_one(0);
  if (!lexer_.is_mark('|')) return first;
  Operand pair = operand_of(Operand::Kind::list);
  pair.elements.push_back(std::move(first));
  while (lexer_.accept('|')) pair.elements.push_back(read_one(0));
  return pair;
}

Operand OperandReader::read_parenthesised_list() {
  return read_list('(', ')', 0);
}

RegisterId OperandReader::read_guard() {
  const Token token = lexer_.current();
  const std::string_view name = lexer_.take_word("a predicate");
  const auto symbol = scopes_.find(name);
  if (!symbol || symbol->kind != Symbol::Kind::reg) {
    Lexer::fail_at(token, fmt::format("{} is not a predicate", quoted(token)));
  }
  return symbol->index;
}

Operand OperandReader::read_one(int depth) {
  if (depth > deepest_operand) lexer_.fail("an operand is nested too deeply");
  if (lexer_.is_mark('[')) return read_address(depth);
  if (lexer_.is_mark('{')) return read_list('{', '}', depth);
  if (lexer_.accept('!')) {
    Operand operand = read_word();
    operand.is_negated = true;
    return operand;
  }
  if (lexer_.is_word() && lexer_.current().text != "WARP_SZ") return read_word();
  if (lexer_.is_mark('-')) return read_negated_word();
  return read_number();
}

Operand OperandReader::read_list(char open, char close, int depth) {
  Operand list = operand_of(Operand::Kind::list);
  lexer_.expect(open);
  while (!lexer_.is_mark(close)) {
    list.elements.push_back(read_one(depth + 1));
    if (!lexer_.accept(',')) break;
  }
  lexer_.expect(close);
  return list;
}

Operand OperandReader::read_address(int depth) {
  Operand address = operand_of(Operand::Kind::address);
  lexer_.expect('[');
  if (lexer_.is_word() && lexer_.current().text != "WARP_SZ") {
    read_base(address);
    address.value = read_offset(lexer_);
  } else {
    address.value = read_integer(lexer_);
  }
  while (lexer_.accept(',')) address.elements.push_back(read_one(depth + 1));
  lexer_.expect(']');
  return address;
}

/// A register or variable of the function.
std::optional<Operand> OperandReader::find_local(std::string_view name) {
  const auto symbol = scopes_.find(name);
  if (symbol && symbol->kind == Symbol::Kind::reg) {
    Operand operand = operand_of(Operand::Kind::reg, name);
    operand.reg = symbol->index;
    return operand;
  }
  if (!symbol || symbol->kind != Symbol::Kind::variable) return std::nullopt;
  Operand operand = operand_of(Operand::Kind::variable, name);
  operand.variable = {true, symbol->index};
  return operand;
}

void OperandReader::read_base(Operand& address) {
  const Token token = lexer_.current();
  address.name = take_dotted_word();
  address.base = Operand::Base::variable;
  if (const auto local = find_local(address.name)) {
    if (local->kind == Operand::Kind::reg) address.base = Operand::Base::reg;
    address.reg = local->reg;
    address.variable = local->variable;
    return;
  }
  const auto global = module_.variables.find(address.name);
  if (global == module_.variables.end()) {
    Lexer::fail_at(token, fmt::format("{} is neither a register nor a variable", quoted(token)));
  }
  address.variable = {false, global->second};
}

Operand OperandReader::read_number() {
  const Constant constant = read_constant(lexer_);
  Operand operand = operand_of(constant.kind == Constant::Kind::integer ? Operand::Kind::integer
                               : constant.kind == Constant::Kind::f32   ? Operand::Kind::f32
                                                                        : Operand::Kind::f64);
  operand.value = static_cast<std::int64_t>(constant.bits);
  return operand;
}

Operand OperandReader::read_word() {
  const Token token = lexer_.current();
  const std::string_view name = take_dotted_word();
  if (name == "_") return operand_of(Operand::Kind::sink);
  if (auto local = find_local(name)) {
    if (local->kind == Operand::Kind::variable) local->value = read_offset(lexer_);
    return *local;
  }
  if (name.size() > token.text.size() && scopes_.find(token.text)) {
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

Operand OperandReader::read_negated_word() {
  // Only video instructions negate registers. What stands behind a copy of the reader tells.
  Lexer ahead = lexer_;
  ahead.advance();
  if (!ahead.is_word() || ahead.current().text == "WARP_SZ") return read_number();
  const char* const start = lexer_.current().text.data();
  lexer_.advance();
  const Token token = lexer_.current();
  const std::string_view name = read_word().name;
  if (name.empty()) Lexer::fail_at(token, "'-' needs a register, not '_'");
  return operand_of(
      Operand::Kind::other,
      std::string_view(start, static_cast<std::size_t>(name.data() + name.size() - start)));
}

std::string_view OperandReader::take_dotted_word() {
  const std::string_view word = lexer_.take_word("an operand");
  if (!lexer_.is_suffix_of(word)) return word;
  const std::size_t length = word.size() + 1 + lexer_.current().text.size();
  lexer_.advance();
  return {word.data(), length};
}

}  // namespace sweep::ptx
