#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/emulator/ptx/type.h"

namespace sweep::ptx {

/// PTX text that is not PTX, or not of a version this reader knows. The message stands alone and
/// names the line of the PTX text.
class SyntaxError : public std::runtime_error {
 public:
  SyntaxError(std::size_t line, const std::string& message);
  std::size_t line() const { return line_; }

 private:
  std::size_t line_;
};

/// The highest number that a `.file` can have. Compilers count from 1.
constexpr std::uint32_t last_file = 0xffff;

/// A place in a source file, from `.loc`. The file is an index into Module::file_name; 0: unknown.
/// Compilers give line 0 to what they add of their own.
struct Place {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  friend auto operator<=>(const Place&, const Place&) = default;
};

/// Where an instruction comes from: its own place first, then, as far as the function it stands in
/// was inlined, the place of the call, and of that call's, outwards, up to 64 of them.
using CallChain = std::vector<Place>;

using RegisterId = std::uint32_t;

struct Register {
  std::string_view name;  ///< with its number: "%r12"
  Type type = Type::b32;
};

/// The most bytes that one variable may have.
constexpr std::uint64_t largest_variable = std::uint64_t{1} << 48;

/// A variable or a parameter in memory.
struct Variable {
  std::string_view name;
  Space space = Space::global;
  Type type = Type::b8;
  std::uint64_t align = 1;
  std::uint64_t bytes = 0;  ///< 0 for an `.extern` array without a length
  bool is_extern = false;
  /// What an initialiser puts at some offset: a value, or the address of a variable or function.
  struct Cell {
    std::uint64_t offset = 0;
    unsigned size = 0;  ///< bytes
    std::uint64_t bits = 0;
    std::string_view symbol;  ///< its address (plus `bits`); empty: just `bits`
    bool is_generic = false;  ///< generic(symbol)
    unsigned shift = 0;       ///< the cell holds the address from this bit upwards: 0xFF00(symbol)
  };
  std::vector<Cell> initial;  ///< what is not named is zero
};

/// Names a variable: of the function when `is_local_to_function`, else of the module.
struct VariableRef {
  bool is_local_to_function = false;
  std::uint32_t index = 0;

  friend bool operator==(const VariableRef&, const VariableRef&) = default;
};

struct Operand {
  enum class Kind : std::uint8_t {
    sink,      ///< `_`
    reg,       ///< a register
    special,   ///< `%tid.x`, `%clock64`, ...: see `name`
    integer,   ///< `value`; also WARP_SZ
    f32,       ///< bits in the low half of `value`
    f64,       ///< bits in `value`
    variable,  ///< the address of `variable` plus `value`
    function,  ///< the function called `name`
    address,   ///< `[base + value]`; `base` says what `reg` or `variable` stands for
    label,     ///< instruction number `value` of the function, which may be just past the last
    list,      ///< `{a, b}`, `(a, b)` or `a|b`: see `elements`
    other,     ///< none of these, as a call prototype, `%r1.b0` or `-%r1`: see `name`
  };
  enum class Base : std::uint8_t { none, reg, variable };

  Kind kind = Kind::sink;
  Base base = Base::none;   ///< of an address
  bool is_negated = false;  ///< `!p`; for numbers the sign is in the value
  RegisterId reg = 0;
  VariableRef variable;
  std::int64_t value = 0;
  std::string_view name;
  /// Of a list; of an address what stands in its brackets behind the first comma, as the
  /// coordinates of `[tensor, {x, y}]`.
  std::vector<Operand> elements;

  /// Whether it is a register, or an address that begins with one: `reg`.
  bool names_register() const {
    return kind == Kind::reg || (kind == Kind::address && base == Base::reg);
  }
  /// The same for `variable`.
  bool names_variable() const {
    return kind == Kind::variable || (kind == Kind::address && base == Base::variable);
  }
};

/// One instruction, whatever it is: nothing here knows what instructions there are.
struct Instruction {
  std::string_view mnemonic;                ///< "ld"
  std::vector<std::string_view> modifiers;  ///< in order, without dots: "global", "L2::128B", "f32"
  std::optional<RegisterId> guard;          ///< `@p`
  bool is_guard_negated = false;            ///< `@!p`
  std::vector<Operand> operands;
  std::uint32_t place = 0;     ///< index into Function::places
  std::uint32_t ptx_line = 0;  ///< from 1

  /// "ld.global.f32"
  std::string opcode() const;
};

/// `.branchtargets` and calls' prototypes are resolved: `brx.idx` has a `list` of labels as its
/// second operand. A call is `call (results...), callee, (arguments...)`: three operands, a list,
/// a function or register, and a list; an indirect call has the prototype or table as the fourth.
struct Function {
  std::string_view name;
  bool is_entry = false;
  bool has_body = false;
  std::vector<Register> registers;  ///< those that an instruction names, not all that are declared
  /// Parameters, results and everything declared inside, in scopes too; names are unique or
  /// shadowed, references are by index. The parameters come first, then the results.
  std::vector<Variable> variables;
  std::size_t parameter_count = 0;
  std::size_t result_count = 0;
  std::vector<Instruction> code;
  std::vector<CallChain> places;  ///< the first is empty: no place known
  std::uint32_t max_threads = 0;  ///< .maxntid or .reqntid as a product; 0: not given
  /// .reqnctapercluster: a cluster's extents in blocks; 0: not given.
  std::array<std::uint32_t, 3> cluster{};
  std::uint32_t max_cluster_blocks = 0;  ///< .maxclusterrank; 0: not given
  bool needs_cluster = false;            ///< .explicitcluster
  bool has_grid_of_clusters = false;     ///< .blocksareclusters
};

/// What a module declares outside of functions, by name. The names point into its text.
struct ModuleNames {
  std::unordered_map<std::string_view, std::uint32_t> variables;  ///< index of Module::variables
  std::unordered_map<std::string_view, std::uint32_t> functions;  ///< aliases too
};

/// A PTX module. Reading one finds its declarations; a function's body is read when it is asked
/// for first, since headers drag much into a module that no kernel reaches. Strings of the parts
/// point into the text that the module keeps. Safe to use from several threads.
class Module {
 public:
  /// Throws SyntaxError.
  explicit Module(std::string text);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  ~Module() = default;

  unsigned version() const { return version_; }  ///< major * 10 + minor: 90 for ".version 9.0"
  const std::string& target() const { return target_; }  ///< "sm_90"
  /// The name of a `.file`; empty for an index that there is none of.
  const std::string& file_name(std::uint32_t index) const;
  /// Module-scope variables.
  const std::vector<Variable>& variables() const { return variables_; }
  /// The function of this name with its body, or null. Throws SyntaxError.
  const Function* find_function(std::string_view name) const;
  std::vector<std::string> entries() const;

 private:
  friend class ModuleReader;
  /// A function whose text has been found: what stands in front of its body.
  struct FoundFunction {
    Function function;                     ///< without a body until it is asked for
    bool has_register_parameters = false;  ///< which are refused with the body
    bool is_read = false;
    std::size_t body = 0;  ///< where it begins in the text, and in which line
    std::uint32_t line = 1;
  };

  const std::string text_;
  unsigned version_ = 0;
  std::string target_;
  std::unordered_map<std::uint32_t, std::string> files_;
  std::vector<Variable> variables_;
  mutable std::vector<FoundFunction> functions_;
  mutable std::mutex reading_;  ///< over the functions that are read
  ModuleNames names_;
};

}  // namespace sweep::ptx
