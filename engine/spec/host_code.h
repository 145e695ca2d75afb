#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/spec/cuda_scanner.h"

namespace sweep {

/// The text without parentheses around all of it.
std::string without_parentheses(std::string text);

/// A launch of a kernel: `name<arguments><<<grid, block, shared>>>(arguments)`.
struct KernelLaunch {
  std::vector<CudaTokens> template_arguments = {};
  CudaTokens grid = {};
  CudaTokens block = {};
  CudaTokens shared = {};  ///< empty unless given
  std::vector<CudaTokens> arguments = {};
  CudaTokens before = {};  ///< the function that launches, from its head up to the launch
};

/// What expressions of a pattern have in place of names of host code: "block.x" -> "BLOCK_X".
using NamesForHost = std::map<std::string, std::string, std::less<>>;

/// A member of a class that has no functions: its type and its name.
struct ClassField {
  std::string type;
  std::string name;
};

/// What CUDA source says beside its kernels: macros, constants, types, and how the host launches
/// kernels and with how much memory. It goes by the text alone: what it cannot follow it does not
/// give, and what it gives may be wrong.
class HostCode {
 public:
  explicit HostCode(std::string_view cuda);
  HostCode(const HostCode&) = delete;
  HostCode& operator=(const HostCode&) = delete;
  ~HostCode() = default;

  /// The source without comments, literals and preprocessor lines.
  std::string_view code() const { return code_; }
  /// Every launch of a kernel of this name, in order.
  std::vector<KernelLaunch> launches(std::string_view kernel) const;

  /// A whole number that stands in a launch, or what comes to one, in the words of a pattern's
  /// expressions: variables are followed back to what they are given, macros and constants too.
  std::optional<std::string> expression(CudaTokens cuda, const KernelLaunch& launch,
                                        const NamesForHost& names = {}) const;
  /// The same for what is no launch's.
  std::optional<std::string> expression(std::string_view cuda,
                                        const NamesForHost& names = {}) const;
  /// Of a grid or block: one to three, as in dim3(16, 16); nothing where one cannot be followed.
  std::vector<std::string> extents(CudaTokens cuda, const KernelLaunch& launch,
                                   const NamesForHost& names = {}) const;
  /// What the launch's function gives to cudaMalloc and the like for this pointer.
  std::optional<std::string> allocated_bytes(CudaTokens pointer, const KernelLaunch& launch,
                                             const NamesForHost& names = {}) const;

  /// The type that this one stands for by typedefs, using and macros; or itself.
  std::string type_behind(std::string type) const;
  /// The members of a class; nothing for one that is not there or that has more than members.
  std::optional<std::vector<ClassField>> fields_of(std::string_view type) const;
  /// Whether the name is a macro's or declared outside all functions.
  bool declares(std::string_view name) const;
  /// The variables in constant memory.
  const std::set<std::string, std::less<>>& constant_memory() const { return constant_memory_; }
  /// Whether the source has a type of its own of this name.
  bool has_type(std::string_view name) const {
    return classes_.contains(name) || aliases_.contains(name);
  }

 private:
  class Follower;

  void read_file_scope();
  void read_statement(CudaTokens statement);
  void read_declared(CudaTokens statement);

  std::string code_;
  std::vector<std::string_view> tokens_;
  std::map<std::string, std::string, std::less<>> macros_;  ///< without parameters
  std::map<std::string, CudaTokens, std::less<>> values_;   ///< of variables outside functions
  std::map<std::string, std::string, std::less<>> aliases_;
  std::map<std::string, CudaTokens, std::less<>> classes_;  ///< what stands in their braces
  std::set<std::string, std::less<>> constant_memory_;
  std::set<std::string, std::less<>> declared_;
  std::vector<CudaTokens> functions_;
};

}  // namespace sweep
