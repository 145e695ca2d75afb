#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>

#include "engine/emulator/lower/code_analysis.h"
#include "engine/emulator/lower/lowering.h"

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
    emit_body({.frame = frame});
    return std::move(flat_);
  }

 private:
  /// A function whose body is being emitted.
  struct Active {
    const ptx::Function* function = nullptr;
    std::uint32_t frame = 0;
    std::uint32_t at = 0;  ///< the instruction that is being emitted, a call
    // Of one that calls itself:
    std::uint32_t way_back = none;  ///< the register that says to which call it returns
    std::uint32_t jump = none;      ///< the step with the places behind its calls
  };

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
    if (names_ > most_names) refuse_length(active_.empty() ? function : *active_.front().function);
    flat_.frames.push_back(
        {.function = &function,
         .first_register = static_cast<std::uint32_t>(flat_.registers.size()),
         .variable_offsets = std::vector<std::uint64_t>(function.variables.size()),
         .called_from = std::move(called_from),
         .base = region_ == none ? none : flat_.regions[region_].base});
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
    const bool has_region = region_ != none;
    std::uint64_t& bytes = has_region ? flat_.regions[region_].bytes : flat_.local_bytes;
    offset = align_up(bytes, variable.align);
    bytes = offset + variable.bytes;
    if (bytes > (has_region ? call_stack_bytes : window_size)) {
      throw unsupported("'{}' needs more local memory than a thread can have", function.name);
    }
  }

  void emit_body(Active active) {
    const std::uint32_t frame = active.frame;
    const ptx::Function& function = *flat_.frames[frame].function;
    if (active_.size() > deepest_call) {
      throw unsupported("'{}' calls functions that call others, more than {} deep",
                        active_.front().function->name, deepest_call);
    }
    active.function = &function;
    active_.push_back(active);
    std::vector<std::size_t> returns;
    for (const ptx::Instruction& instruction : function.code) {
      flat_.frames[frame].begins.push_back(here());
      if (here() > most_instructions) refuse_length(*active_.front().function);
      place_module_shared(frame, instruction.operands);
      if (instruction.mnemonic == "call") {
        active_.back().at = static_cast<std::uint32_t>(&instruction - function.code.data());
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

  std::uint32_t here() const { return static_cast<std::uint32_t>(flat_.code.size()); }

  void emit_call(std::uint32_t caller, const ptx::Instruction& call) {
    const Operand& callee = call.operands[1];
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
    const auto again = std::ranges::find(active_, function, &Active::function);
    if (again != active_.end()) {
      emit_call_within(caller, call, static_cast<std::size_t>(again - active_.begin()));
    } else if (calls_itself(*function)) {
      emit_call_from_outside(caller, call, *function);
    } else {
      const std::uint32_t frame = begin_frame(*function, chain_of(caller, call));
      bind(caller, frame, call);
      emit_body({.frame = frame});
    }
    flat_.code[skip].target = here();
  }

  // Functions that call themselves.

  /// Whether a function calls itself, or one that calls it.
  bool calls_itself(const ptx::Function& function) {
    std::set<const ptx::Function*> seen;
    std::vector<const ptx::Function*> open = {&function};
    while (!open.empty()) {
      const ptx::Function* const from = open.back();
      open.pop_back();
      for (const ptx::Function* to : callees_of(*from)) {
        if (to == &function) return true;
        if (seen.insert(to).second) open.push_back(to);
      }
    }
    return false;
  }

  const std::vector<const ptx::Function*>& callees_of(const ptx::Function& function) {
    const auto [known, is_new] = callees_.try_emplace(&function);
    if (!is_new) return known->second;
    for (const ptx::Instruction& instruction : function.code) {
      if (instruction.mnemonic != "call") continue;
      const Operand& callee = instruction.operands[1];
      const bool is_known = callee.kind == Operand::Kind::function && !is_system_call(callee.name);
      const ptx::Function* const found = is_known ? module_.find_function(callee.name) : nullptr;
      if (found != nullptr) known->second.push_back(found);
    }
    return known->second;
  }

  std::uint32_t new_register(ptx::Type type) {
    flat_.registers.push_back(type);
    return static_cast<std::uint32_t>(flat_.registers.size() - 1);
  }

  /// Adds an instruction that stands for a part of a call.
  ptx::Instruction& make(std::uint32_t frame, const ptx::Instruction& call,
                         std::string_view mnemonic, std::uint32_t target = 0,
                         std::uint32_t step = none) {
    ptx::Instruction& made = flat_.made.emplace_back();
    made.mnemonic = mnemonic;
    made.place = call.place;
    made.ptx_line = call.ptx_line;
    flat_.code.push_back({&made, frame, target, step});
    return made;
  }

  std::uint32_t add_step(CallStep step) {
    flat_.steps.push_back(std::move(step));
    return static_cast<std::uint32_t>(flat_.steps.size() - 1);
  }

  /// Adds `register = value`. A frame's instruction names the registers of others, too: their
  /// numbers count from its own first one.
  void set_register(std::uint32_t frame, const ptx::Instruction& call, std::uint32_t index,
                    std::uint32_t value) {
    Operand number;
    number.kind = Operand::Kind::integer;
    number.value = value;
    ptx::Instruction& move = make(frame, call, "mov");
    move.modifiers = {"u32"};
    move.operands = {register_operand(frame, index), number};
  }
  Operand register_operand(std::uint32_t frame, std::uint32_t index) const {
    Operand operand;
    operand.kind = Operand::Kind::reg;
    operand.reg = index - flat_.frames[frame].first_register;
    return operand;
  }

  void emit_call_from_outside(std::uint32_t caller, const ptx::Instruction& call,
                              const ptx::Function& function) {
    const bool begins_region = region_ == none;
    if (begins_region) {
      region_ = static_cast<std::uint32_t>(flat_.regions.size());
      flat_.regions.push_back({.base = new_register(ptx::Type::b64)});
    }
    const std::uint32_t frame = begin_frame(function, chain_of(caller, call));
    const std::uint32_t region = region_;
    if (begins_region) {
      for (std::size_t i = 0; i < function.variables.size(); ++i) place_variable(frame, i);
      const std::uint32_t enter = add_step({.kind = FrameMove::Kind::enter,
                                            .region = region,
                                            .copies = arguments_of(caller, frame, call)});
      make(caller, call, call_step_name, 0, enter);
    } else {
      bind(caller, frame, call);
    }
    const std::uint32_t way_back = new_register(ptx::Type::b32);
    const std::uint32_t jump = add_step({.targets = {0}});
    set_register(caller, call, way_back, 0);
    emit_body({.frame = frame, .way_back = way_back, .jump = jump});
    ptx::Instruction& back = make(frame, call, "brx", 0, jump);
    back.place = 0;
    back.modifiers = {"idx"};
    back.operands = {register_operand(frame, way_back)};
    flat_.steps[jump].targets.front() = here();
    if (!begins_region) return;
    const std::uint32_t leave = add_step({.kind = FrameMove::Kind::leave,
                                          .region = region,
                                          .copies = results_of(caller, frame, call)});
    make(caller, call, call_step_name, 0, leave);
    region_ = none;
  }

  /// A call of a function that is under way, by itself or by one that it calls.
  void emit_call_within(std::uint32_t caller, const ptx::Instruction& call, std::size_t of) {
    CallStep push = {.kind = FrameMove::Kind::push, .region = region_};
    for (std::size_t i = of; i < active_.size(); ++i) {
      const Active& active = active_[i];
      const std::uint32_t first = flat_.frames[active.frame].first_register;
      const auto [known, is_new] = behind_calls_.try_emplace(active.function);
      if (is_new) known->second = registers_behind_calls(*active.function);
      for (const ptx::RegisterId id : known->second[active.at])
        push.registers.push_back(first + id);
      if (active.way_back != none) push.registers.push_back(active.way_back);
    }
    CallRegion& region = flat_.regions[region_];
    constexpr std::uint64_t widest = 16;
    region.kept = std::max<std::uint64_t>(region.kept, push.registers.size() * widest);
    const Active callee = active_[of];
    CallStep pop = push;
    pop.kind = FrameMove::Kind::pop;
    push.copies = arguments_of(caller, callee.frame, call);
    pop.copies = results_of(caller, callee.frame, call);
    make(caller, call, call_step_name, 0, add_step(std::move(push)));
    const auto number = static_cast<std::uint32_t>(flat_.steps[callee.jump].targets.size());
    set_register(caller, call, callee.way_back, number);
    make(caller, call, "bra", flat_.frames[callee.frame].begins.front());
    flat_.steps[callee.jump].targets.push_back(here());
    make(caller, call, call_step_name, 0, add_step(std::move(pop)));
  }

  std::vector<ptx::Place> chain_of(std::uint32_t frame, const ptx::Instruction& call) const {
    std::vector<ptx::Place> chain = flat_.places_of(frame, call);
    // The ends of a long one tell most: where the call stands, and where in the kernel all began.
    constexpr std::ptrdiff_t end = 32;
    if (std::ssize(chain) > 2 * end) chain.erase(chain.begin() + end, chain.end() - end);
    return chain;
  }

  /// Where the caller has what a call passes to or from variables of the callee, from the first on.
  std::vector<FrameMove::Copy> passed(std::uint32_t caller, std::uint32_t callee, std::size_t count,
                                      std::size_t first, const Operand& list) const {
    const std::size_t given = list.elements.size();
    const ptx::Function& function = *flat_.frames[callee].function;
    if (given != count) {
      throw unsupported("a call passes {} values to or from '{}', which has {}", given,
                        function.name, count);
    }
    std::vector<FrameMove::Copy> copies;
    for (std::size_t i = 0; i < count; ++i) {
      const Operand& value = list.elements[i];
      const bool is_kernel_parameter =
          caller == 0 && value.variable.index < flat_.frames.front().function->parameter_count;
      if (value.kind != Operand::Kind::variable || !value.variable.is_local_to_function ||
          is_kernel_parameter) {
        throw unsupported(
            "a call of '{}' passes registers or constants: only .param variables are supported",
            function.name);
      }
      copies.push_back({flat_.frames[caller].variable_offsets[value.variable.index],
                        flat_.frames[callee].variable_offsets[first + i],
                        function.variables[first + i].bytes});
    }
    return copies;
  }
  std::vector<FrameMove::Copy> arguments_of(std::uint32_t caller, std::uint32_t callee,
                                            const ptx::Instruction& call) const {
    return passed(caller, callee, flat_.frames[callee].function->parameter_count, 0,
                  call.operands[2]);
  }
  std::vector<FrameMove::Copy> results_of(std::uint32_t caller, std::uint32_t callee,
                                          const ptx::Instruction& call) const {
    const ptx::Function& function = *flat_.frames[callee].function;
    return passed(caller, callee, function.result_count, function.parameter_count,
                  call.operands[0]);
  }

  /// The callee's parameters and results are the caller's variables; it gets others of its own.
  void bind(std::uint32_t caller, std::uint32_t callee, const ptx::Instruction& call) {
    std::size_t next = 0;
    for (const auto& copies :
         {arguments_of(caller, callee, call), results_of(caller, callee, call)}) {
      for (const FrameMove::Copy& copy : copies) {
        flat_.frames[callee].variable_offsets[next++] = copy.outer;
      }
    }
    while (next < flat_.frames[callee].variable_offsets.size()) place_variable(callee, next++);
  }

  const ptx::Module& module_;
  FlatCode flat_;
  std::vector<Active> active_;
  std::uint32_t region_ = none;  ///< the one that is under way
  std::map<const ptx::Function*, std::vector<const ptx::Function*>> callees_;
  std::map<const ptx::Function*, std::map<std::uint32_t, std::vector<ptx::RegisterId>>>
      behind_calls_;
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
