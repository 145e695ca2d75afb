#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/emulator/ptx/module.h"
#include "engine/text/characters.h"

namespace sweep::ptx {

/// What a name stands for within a function.
struct Symbol {
  enum class Kind : std::uint8_t {
    unused_register,  ///< declared and not named yet: its Type
    reg,              ///< a RegisterId
    variable,         ///< an index into Function::variables
    label,            ///< the number of an instruction
    table,            ///< the number of a `.branchtargets` or `.calltargets`
    prototype,        ///< `.callprototype`
  };

  Kind kind = Kind::reg;
  std::uint32_t index = 0;

  Symbol(Kind of, std::size_t number) : kind(of), index(static_cast<std::uint32_t>(number)) {}
};

/// The names of a function, by the braces they are declared in. A function declares thousands of
/// registers and uses few, so a register gets its number when it is found for the first time.
class Scopes {
 public:
  /// The outermost scope is open. Registers go to `registers`.
  explicit Scopes(std::vector<Register>& registers) : registers_(registers), scopes_(1) {}

  /// `line`, here and below, is the line of the text, for errors.
  void open(std::uint32_t line) {
    const std::uint32_t depth = scopes_[current_].depth + 1;
    constexpr std::uint32_t deepest = 64;
    if (depth > deepest) throw SyntaxError(line, "braces are nested too deeply");
    scopes_.push_back({.parent = current_, .depth = depth});
    current_ = static_cast<std::uint32_t>(scopes_.size() - 1);
  }
  /// Closes the innermost scope; false if it is the outermost.
  bool close() {
    const bool is_inner = current_ != 0;
    current_ = scopes_[current_].parent;
    return is_inner;
  }
  /// Names the innermost open scope, also after it is closed.
  std::uint32_t current() const { return current_; }

  void declare(std::uint32_t line, std::string_view name, Symbol symbol) {
    if (!scopes_[current_].names.try_emplace(name, symbol).second) {
      throw SyntaxError(line, fmt::format("'{}' is declared twice", name));
    }
  }
  /// Declares `prefix` followed by 0 to `count` - 1.
  void declare_registers(std::uint32_t line, std::string_view prefix, Type type,
                         std::uint64_t count) {
    if (!scopes_[current_].ranges.try_emplace(prefix, type, count).second) {
      throw SyntaxError(line, fmt::format("registers '{}<...>' are declared twice", prefix));
    }
  }

  /// What the name means in the scope.
  std::optional<Symbol> find(std::uint32_t scope, std::string_view name) {
    for (;; scope = scopes_[scope].parent) {
      if (Symbol* const symbol = find_declared(scopes_[scope], name)) {
        if (symbol->kind == Symbol::Kind::unused_register) {
          registers_.push_back({name, static_cast<Type>(symbol->index)});
          *symbol = {Symbol::Kind::reg, registers_.size() - 1};
        }
        return *symbol;
      }
      if (scope == 0) return std::nullopt;
    }
  }

 private:
  struct Scope {
    std::uint32_t parent = 0;
    std::uint32_t depth = 0;
    std::unordered_map<std::string_view, Symbol> names = {};
    /// Registers' types and how many there are, by their prefix.
    std::unordered_map<std::string_view, std::pair<Type, std::uint64_t>> ranges = {};
  };

  static Symbol* find_declared(Scope& scope, std::string_view name) {
    const auto found = scope.names.find(name);
    if (found != scope.names.end()) return &found->second;
    if (scope.ranges.empty()) return nullptr;
    constexpr std::size_t most_digits = 8;
    // A prefix may itself end in digits, so each way to split the name is tried.
    for (std::size_t digits = 1; digits <= most_digits && digits < name.size(); ++digits) {
      const std::size_t split = name.size() - digits;
      if (!is_digit(name[split])) return nullptr;
      if (name[split] == '0' && digits > 1) continue;
      const auto range = scope.ranges.find(name.substr(0, split));
      if (range == scope.ranges.end()) continue;
      const auto [type, count] = range->second;
      std::uint64_t number = 0;
      std::from_chars(name.data() + split, name.data() + name.size(), number);
      if (number >= count) continue;
      const Symbol symbol(Symbol::Kind::unused_register, static_cast<std::size_t>(type));
      return &scope.names.emplace(name, symbol).first->second;
    }
    return nullptr;
  }

  std::vector<Register>& registers_;
  std::vector<Scope> scopes_;
  std::uint32_t current_ = 0;
};

/// Whether PTX predefines the register; the emulator may not have it.
inline bool is_special_register(std::string_view name) {
  static const auto all = [] {
    // Vectors of three, or four with an unused last one; alone they name all of it.
    std::istringstream vectors(
        "tid ntid ctaid nctaid clusterid nclusterid cluster_ctaid cluster_nctaid");
    std::istringstream scalars(
        "laneid warpid nwarpid smid nsmid gridid is_explicit_cluster cluster_ctarank "
        "cluster_nctarank lanemask_eq lanemask_le lanemask_lt lanemask_ge lanemask_gt clock "
        "clock_hi clock64 globaltimer globaltimer_lo globaltimer_hi total_smem_size "
        "aggr_smem_size dynamic_smem_size current_graph_exec reserved_smem_offset_begin "
        "reserved_smem_offset_end reserved_smem_offset_cap reserved_smem_offset_0 "
        "reserved_smem_offset_1");
    std::set<std::string, std::less<>> names;
    for (std::string word; scalars >> word;) names.insert("%" + word);
    for (std::string word; vectors >> word;) {
      for (const std::string_view part : {"", ".x", ".y", ".z", ".w"}) {
        names.insert(fmt::format("%{}{}", word, part));
      }
    }
    for (int i = 0; i < 32; ++i) names.insert(fmt::format("%envreg{}", i));
    for (int i = 0; i < 8; ++i) names.insert({fmt::format("%pm{}", i), fmt::format("%pm{}_64", i)});
    return names;
  }();
  return all.contains(name);
}

}  // namespace sweep::ptx
