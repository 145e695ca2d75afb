#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "engine/emulator/lower/code_analysis.h"

namespace sweep {
namespace {

using ptx::Operand;

constexpr std::size_t most_instructions = 1'000'000;
/// Registers, variables and places of all frames.
constexpr std::size_t most_names = 16'000'000;
constexpr std::size_t deepest_call = 256;  ///< functions become part of others by recursion

/// A name as C++ writes it.
std::string demangled(std::string_view ptx_name) {
  std::string name(ptx_name);
  if (!name.starts_with("_Z")) return name;  // a short plain name may also name a type
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? text.get() : name;
}

/// A function's name as its source has it, without parameters and the engine's namespaces.
std::string function_name(std::string_view ptx_name) {
  std::string name = demangled(ptx_name);
  if (name == ptx_name) return name;
  name.resize(std::min(name.find('('), name.size()));
  if (!name.starts_with("sweep_c")) return name;
  const std::size_t colons = name.find("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

/// The functions that a program does not define.
bool is_system_call(std::string_view name) {
  static constexpr std::array<std::string_view, 4> names = {"vprintf", "__assertfail", "malloc",
                                                            "free"};
  return std::ranges::find(names, name) != names.end();
}

class CallInliner {
 public:
  explicit CallInliner(const ptx::Module& module) : module_(module) {}

  FlatCode run(const std::string& entry) {
    const ptx::Function* kernel = module_.find_function(entry);
    if (kernel == nullptr || !kernel->has_body) {
      throw unsupported("the program has no kernel '{}'", entry);
    }
    const std::uint32_t frame = begin_frame(*kernel, {});
    // The kernel's parameters lie in memory of their own.
    for (std::size_t i = kernel->parameter_count; i < kernel->variables.size(); ++i) {
      place_variable(frame, i);
    }
    emit_body(frame);
    return std::move(flat_);
  }

 private:
  /// Shared variables of the module take room where the kernel reaches code that names them.
  void place_module_shared(std::uint32_t frame, const std::vector<Operand>& operands) {
    for (const Operand& operand : operands) {
      place_module_shared(frame, operand.elements);
      if (!operand.names_variable()) continue;
      const ptx::Variable& variable = flat_.variable(module_, frame, operand.variable);
      if (variable.space != ptx::Space::shared) continue;
      if (variable.is_extern) {
        flat_.dynamic_shared_alignment = std::max(flat_.dynamic_shared_alignment, variable.align);
      } else if (!operand.variable.is_local_to_function) {
        place_shared(variable);
      }
    }
  }

  /// Shared variables lie at one place whatever call they are reached through.
  std::uint64_t place_shared(const ptx::Variable& variable) {
    const auto [known, is_new] = flat_.shared_indices.try_emplace(
        &variable, static_cast<std::uint32_t>(flat_.shared_variables.size()));
    if (!is_new) return flat_.shared_variables[known->second].offset;
    const std::uint64_t offset = align_up(flat_.static_shared_bytes, variable.align);
    flat_.static_shared_bytes = offset + variable.bytes;
    flat_.shared_variables.push_back({variable_name(variable.name), offset, variable.bytes});
    if (flat_.static_shared_bytes > window_size) {
      throw unsupported("the shared variable '{}' is larger than any shared memory", variable.name);
    }
    return offset;
  }

  std::uint32_t begin_frame(const ptx::Function& function, std::vector<ptx::Place> called_from) {
    const auto index = static_cast<std::uint32_t>(flat_.frames.size());
    names_ += function.registers.size() + function.variables.size() + called_from.size();
    if (names_ > most_names) refuse_length(active_.empty() ? function : *active_.front());
    flat_.frames.push_back(
        {.function = &function,
         .first_register = static_cast<std::uint32_t>(flat_.registers.size()),
         .variable_offsets = std::vector<std::uint64_t>(function.variables.size()),
         .called_from = std::move(called_from)});
    for (const ptx::Register& r : function.registers) flat_.registers.push_back(r.type);
    return index;
  }

  void place_variable(std::uint32_t frame, std::size_t index) {
    const ptx::Function& function = *flat_.frames[frame].function;
    const ptx::Variable& variable = function.variables[index];
    std::uint64_t& offset = flat_.frames[frame].variable_offsets[index];
    if (variable.space == ptx::Space::global || variable.space == ptx::Space::constant) {
      throw unsupported(
          "the variable '{}' of global or constant memory is declared within a function",
          variable.name);
    }
    if (variable.space == ptx::Space::shared) {
      if (!variable.is_extern) offset = place_shared(variable);
      return;
    }
    offset = align_up(flat_.local_bytes, variable.align);
    flat_.local_bytes = offset + variable.bytes;
    if (flat_.local_bytes > window_size) {
      throw unsupported("'{}' needs more local memory than a thread can have", function.name);
    }
  }

  void emit_body(std::uint32_t frame) {
    const ptx::Function& function = *flat_.frames[frame].function;
    if (std::ranges::find(active_, &function) != active_.end()) refuse_recursion(frame);
    if (active_.size() > deepest_call) {
      throw unsupported("'{}' calls functions that call others, more than {} deep",
                        active_.front()->name, deepest_call);
    }
    active_.push_back(&function);
    std::vector<std::size_t> returns;
    for (const ptx::Instruction& instruction : function.code) {
      flat_.frames[frame].begins.push_back(here());
      if (here() > most_instructions) refuse_length(*active_.front());
      place_module_shared(frame, instruction.operands);
      if (instruction.mnemonic == "call") {
        emit_call(frame, instruction);
        continue;
      }
      if (instruction.mnemonic == "ret" && frame != 0) returns.push_back(flat_.code.size());
      flat_.code.push_back({&instruction, frame, 0});
    }
    flat_.frames[frame].begins.push_back(here());
    for (const std::size_t place : returns) flat_.code[place].target = here();
    active_.pop_back();
  }

  [[noreturn]] static void refuse_length(const ptx::Function& kernel) {
    throw unsupported("'{}' is too long with the functions it calls", kernel.name);
  }

  [[noreturn]] void refuse_recursion(std::uint32_t frame) const {
    const std::string message =
        fmt::format("'{}' calls itself: the emulator does not execute recursive functions",
                    function_name(flat_.frames[frame].function->name));
    const std::vector<ptx::Place>& calls = flat_.frames[frame].called_from;
    if (calls.empty()) throw UnsupportedError(message);
    throw unsupported_at(module_, calls.front(), message);
  }

  std::uint32_t here() const { return static_cast<std::uint32_t>(flat_.code.size()); }

  void emit_call(std::uint32_t caller, const ptx::Instruction& call) {
    const Operand& results = call.operands[0];
    const Operand& callee = call.operands[1];
    const Operand& arguments = call.operands[2];
    if (callee.kind != Operand::Kind::function) {
      throw unsupported("line {} of the PTX: the emulator does not execute calls through pointers",
                        call.ptx_line);
    }
    const std::size_t skip = flat_.code.size();
    flat_.code.push_back({&call, caller, 0});
    if (is_system_call(callee.name)) return;
    const ptx::Function* function = module_.find_function(callee.name);
    if (function == nullptr || !function->has_body) {
      throw unsupported("line {} of the PTX calls '{}', which the program does not define",
                        call.ptx_line, callee.name);
    }
    const std::uint32_t frame = begin_frame(*function, chain_of(caller, call));
    bind(caller, frame, function->parameter_count, 0, arguments);
    bind(caller, frame, function->result_count, function->parameter_count, results);
    const std::size_t bound = function->parameter_count + function->result_count;
    for (std::size_t i = bound; i < function->variables.size(); ++i) place_variable(frame, i);
    emit_body(frame);
    flat_.code[skip].target = here();
  }

  std::vector<ptx::Place> chain_of(std::uint32_t frame, const ptx::Instruction& call) const {
    std::vector<ptx::Place> chain = flat_.places_of(frame, call);
    // The ends of a long one tell most: where the call stands, and where in the kernel all began.
    constexpr std::ptrdiff_t end = 32;
    if (std::ssize(chain) > 2 * end) chain.erase(chain.begin() + end, chain.end() - end);
    return chain;
  }

  /// The callee's parameters are the caller's variables.
  void bind(std::uint32_t caller, std::uint32_t callee, std::size_t count, std::size_t first,
            const Operand& list) {
    const std::size_t given = list.elements.size();
    const std::string_view name = flat_.frames[callee].function->name;
    if (given != count) {
      throw unsupported("a call passes {} values to or from '{}', which has {}", given, name,
                        count);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const Operand& value = list.elements[i];
      const bool is_kernel_parameter =
          caller == 0 && value.variable.index < flat_.frames.front().function->parameter_count;
      if (value.kind != Operand::Kind::variable || !value.variable.is_local_to_function ||
          is_kernel_parameter) {
        throw unsupported(
            "a call of '{}' passes registers or constants: only .param variables are supported",
            name);
      }
      flat_.frames[callee].variable_offsets[first + i] =
          flat_.frames[caller].variable_offsets[value.variable.index];
    }
  }

  const ptx::Module& module_;
  FlatCode flat_;
  std::vector<const ptx::Function*> active_;
  std::size_t names_ = 0;
};

}  // namespace

std::string variable_name(std::string_view ptx_name) {
  const std::string name = demangled(ptx_name);
  const std::size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

UnsupportedError unsupported_at(const ptx::Module& module, const ptx::Place& place,
                                const std::string& message) {
  const std::filesystem::path file = module.file_name(place.file);
  const std::string where = fmt::format("{}:{}", file.filename().string(), place.line);
  return {where, message, file.string(), place.line};
}

FlatCode inline_calls(const ptx::Module& module, const std::string& entry) {
  return CallInliner(module).run(entry);
}

}  // namespace sweep
