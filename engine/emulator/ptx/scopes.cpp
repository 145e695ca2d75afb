#include "engine/emulator/ptx/scopes.h"

#include <fmt/format.h>

#include <charconv>

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
  Entry entry;
  entry.symbol = symbol;
  if (!scopes_[current_].names.try_emplace(name, entry).second) {
    throw SyntaxError(line, fmt::format("'{}' is declared twice", name));
  }
}

void Scopes::declare_register(std::uint32_t line, std::string_view name, Type type) {
  declare(line, name, Symbol{});
  Entry& entry = scopes_[current_].names[name];
  entry.type = type;
  entry.is_unused_register = true;
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
    Entry entry;
    entry.type = range->second.type;
    entry.is_unused_register = true;
    return &scope.names.emplace(name, entry).first->second;
  }
  return nullptr;
}

}  // namespace sweep::ptx
