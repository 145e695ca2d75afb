#include "tests/emulator/machine/reference.h"

#include <bit>
#include <cstring>
#include <map>
#include <stdexcept>

#include "tests/emulator/machine/reference_arithmetic.h"

namespace sweep::testing {
namespace {

using ptx::Instruction;
using ptx::Operand;

struct Thread {
  std::uint32_t number = 0;
  std::map<ptx::RegisterId, std::uint64_t> registers;
  std::size_t at = 0;
  bool has_ended = false;
  bool waits = false;
};

bool has(const Instruction& instruction, std::string_view modifier) {
  for (const std::string_view one : instruction.modifiers) {
    if (one == modifier) return true;
  }
  return false;
}

class ReferenceBlock {
 public:
  ReferenceBlock(const ptx::Module& module, Dim3 grid, Dim3 block, std::uint64_t index,
                 std::uint64_t address, std::vector<std::byte>& out)
      : function_(*module.find_function("k")),
        grid_(grid),
        block_(block),
        index_(index),
        address_(address),
        out_(out),
        shared_(0x4000) {
    std::uint64_t next = 0;
    for (const ptx::Variable& variable : function_.variables) {
      if (variable.space != ptx::Space::shared) continue;
      next = (next + variable.align - 1) / variable.align * variable.align;
      offsets_[variable.name] = next;
      next += variable.bytes;
    }
    threads_.resize(static_cast<std::size_t>(block.count()));
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      threads_[i].number = static_cast<std::uint32_t>(i);
    }
  }

  void run() {
    bool is_anyone_left = true;
    while (is_anyone_left) {
      is_anyone_left = false;
      for (Thread& thread : threads_) {
        while (!thread.has_ended && !thread.waits) step(thread);
        is_anyone_left |= !thread.has_ended;
      }
      if (is_anyone_left) release();
    }
  }

 private:
  std::uint64_t special(const Thread& thread, std::string_view name) const {
    const std::uint32_t t = thread.number;
    const std::map<std::string_view, std::uint64_t> values = {
        {"%tid.x", t % block_.x},
        {"%tid.y", t / block_.x % block_.y},
        {"%tid.z", t / block_.x / block_.y},
        {"%ntid.x", block_.x},
        {"%ntid.y", block_.y},
        {"%ntid.z", block_.z},
        {"%ctaid.x", index_ % grid_.x},
        {"%ctaid.y", index_ / grid_.x % grid_.y},
        {"%ctaid.z", index_ / grid_.x / grid_.y},
        {"%nctaid.x", grid_.x},
        {"%nctaid.y", grid_.y},
        {"%nctaid.z", grid_.z},
        {"%laneid", t % 32},
    };
    return values.at(name);
  }

  std::uint64_t value(Thread& thread, const Operand& operand) {
    switch (operand.kind) {
      case Operand::Kind::reg: {
        const std::uint64_t bits = thread.registers[operand.reg];
        return operand.is_negated ? bits ^ 1 : bits;
      }
      case Operand::Kind::special:
        return special(thread, operand.name);
      case Operand::Kind::variable:
        return offsets_.at(function_.variables[operand.variable.index].name) +
               static_cast<std::uint64_t>(operand.value);
      default:
        return static_cast<std::uint64_t>(operand.value);
    }
  }

  /// A register keeps as many bits as its type has.
  void set(Thread& thread, const Operand& to, std::uint64_t bits) {
    if (to.kind == Operand::Kind::sink) return;
    const ptx::Type type = function_.registers[to.reg].type;
    const unsigned width = ptx::bits_of(type);
    thread.registers[to.reg] = width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
  }

  std::byte* place(std::uint64_t address, bool is_shared, std::size_t size) {
    std::vector<std::byte>& memory = is_shared ? shared_ : out_;
    const std::uint64_t begin = is_shared ? address : address - address_;
    if (begin > memory.size() || size > memory.size() - begin) {
      throw std::runtime_error("the program leaves its memory");
    }
    return memory.data() + begin;
  }

  void access(Thread& thread, const Instruction& instruction) {
    const bool is_load = instruction.mnemonic == "ld";
    const Operand& where = instruction.operands[is_load ? 1 : 0];
    const Operand& what = instruction.operands[is_load ? 0 : 1];
    if (has(instruction, "param")) return set(thread, what, address_);
    const ptx::Type type = *ptx::find_type(instruction.modifiers.back());
    const std::size_t size = ptx::bytes_of(type);
    const bool is_shared = has(instruction, "shared");
    const std::uint64_t begin =
        where.base == Operand::Base::reg
            ? thread.registers[where.reg] + static_cast<std::uint64_t>(where.value)
            : value(thread, variable_operand(where));
    const std::vector<Operand> parts =
        what.kind == Operand::Kind::list ? what.elements : std::vector<Operand>{what};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::byte* bytes = place(begin + i * size, is_shared, size);
      std::uint64_t bits = 0;
      if (is_load) {
        std::memcpy(&bits, bytes, size);
        set(thread, parts[i], as_type(bits, type));
      } else {
        bits = value(thread, parts[i]);
        std::memcpy(bytes, &bits, size);
      }
    }
  }

  static Operand variable_operand(const Operand& address) {
    Operand operand = address;
    operand.kind = Operand::Kind::variable;
    return operand;
  }

  void step(Thread& thread) {
    if (thread.at >= function_.code.size()) {
      thread.has_ended = true;
      return;
    }
    const Instruction& instruction = function_.code[thread.at];
    if (instruction.guard &&
        (thread.registers[*instruction.guard] != 0) == instruction.is_guard_negated) {
      ++thread.at;
      return;
    }
    const std::string_view name = instruction.mnemonic;
    if (name == "bra") {
      thread.at = static_cast<std::size_t>(instruction.operands.front().value);
    } else if (name == "brx") {
      const std::uint64_t index = value(thread, instruction.operands.front());
      const Operand& label = instruction.operands[1].elements.at(static_cast<std::size_t>(index));
      thread.at = static_cast<std::size_t>(label.value);
    } else if (name == "ret" || name == "exit") {
      thread.has_ended = true;
    } else if (name == "bar" || name == "shfl" || name == "vote" || name == "redux" ||
               name == "match") {
      thread.waits = true;
    } else {
      ++thread.at;
      if (name == "ld" || name == "st") return access(thread, instruction);
      std::array<std::uint64_t, 3> sources{};
      for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
        sources.at(i - 1) = value(thread, instruction.operands[i]);
      }
      const auto result = reference_value(instruction, sources);
      if (!result) throw std::runtime_error("not known here: " + instruction.opcode());
      set(thread, instruction.operands.front(), *result);
    }
  }

  /// Every thread that has not ended waits: lets those go on that have all they wait for.
  void release() {
    bool has_released = false;
    bool is_barrier_full = true;
    for (Thread& thread : threads_) {
      if (thread.has_ended) continue;
      const Instruction& instruction = function_.code[thread.at];
      if (instruction.mnemonic == "bar") continue;
      is_barrier_full = false;
      if (thread.waits) has_released |= meet(thread, instruction);
    }
    if (is_barrier_full) {
      for (Thread& thread : threads_) {
        if (thread.has_ended) continue;
        thread.waits = false;
        ++thread.at;
      }
    } else if (!has_released) {
      throw std::runtime_error("the program waits for ever");
    }
  }

  /// The threads of a warp that a collective of this thread names, if all have come to it.
  bool meet(Thread& first, const Instruction& instruction) {
    const std::uint64_t members = value(first, instruction.operands.back());
    std::vector<Thread*> lanes;
    const std::size_t warp = first.number / 32 * 32;
    for (std::size_t i = warp; i < std::min(threads_.size(), warp + 32); ++i) {
      Thread& thread = threads_[i];
      if ((members >> (i - warp) & 1) == 0 || thread.has_ended) continue;
      if (!thread.waits || thread.at != first.at) return false;
      lanes.push_back(&thread);
    }
    std::vector<std::uint64_t> results;
    for (Thread* lane : lanes) results.push_back(collective(*lane, instruction, lanes));
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      set(*lanes[i], instruction.operands.front(), results[i]);
      lanes[i]->waits = false;
      ++lanes[i]->at;
    }
    return true;
  }

  std::uint64_t collective(Thread& thread, const Instruction& instruction,
                           const std::vector<Thread*>& lanes) {
    if (instruction.mnemonic == "shfl") return shuffle(thread, instruction, lanes);
    std::uint64_t ballot = 0;
    std::uint64_t equal = 0;
    std::uint64_t sum = 0;
    for (Thread* lane : lanes) {
      const std::uint64_t bit = std::uint64_t{1} << (lane->number % 32);
      const std::uint64_t theirs = value(*lane, instruction.operands[1]);
      if (theirs != 0) ballot |= bit;
      if (theirs == value(thread, instruction.operands[1])) equal |= bit;
      sum += theirs;
    }
    if (instruction.mnemonic == "match") return equal;
    if (instruction.mnemonic == "redux") return sum;
    if (has(instruction, "ballot")) return ballot;
    if (has(instruction, "any")) return ballot != 0 ? 1 : 0;
    return std::popcount(ballot) == static_cast<int>(lanes.size()) ? 1 : 0;
  }

  /// As the PTX ISA's pseudocode: the value of the lane that b and c name, if it is in the segment.
  std::uint64_t shuffle(Thread& thread, const Instruction& instruction,
                        const std::vector<Thread*>& lanes) {
    const auto lane = static_cast<std::int64_t>(thread.number % 32);
    const auto b = static_cast<std::int64_t>(value(thread, instruction.operands[2]) & 31);
    const std::uint64_t c = value(thread, instruction.operands[3]);
    const auto mask = static_cast<std::int64_t>(c >> 8 & 31);
    const auto clamp = static_cast<std::int64_t>(c & 31);
    const std::int64_t max_lane = (lane & mask) | (clamp & ~mask);
    const std::int64_t min_lane = lane & mask;
    std::int64_t from = lane;
    bool is_inside = true;
    if (has(instruction, "up")) {
      from = lane - b;
      is_inside = from >= max_lane;
    } else if (has(instruction, "down")) {
      from = lane + b;
      is_inside = from <= max_lane;
    } else if (has(instruction, "bfly")) {
      from = lane ^ b;
      is_inside = from <= max_lane;
    } else {
      from = min_lane | (b & ~mask);
      is_inside = from <= max_lane;
    }
    if (!is_inside) from = lane;
    for (Thread* other : lanes) {
      if (other->number % 32 == static_cast<std::uint32_t>(from)) {
        return value(*other, instruction.operands[1]);
      }
    }
    throw std::runtime_error("the program reads a lane that takes no part");
  }

  const ptx::Function& function_;
  Dim3 grid_;
  Dim3 block_;
  std::uint64_t index_;
  std::uint64_t address_;
  std::vector<std::byte>& out_;
  std::vector<std::byte> shared_;
  std::map<std::string_view, std::uint64_t> offsets_;
  std::vector<Thread> threads_;
};

}  // namespace

void run_reference(const ptx::Module& module, Dim3 grid, Dim3 block, std::uint64_t address,
                   std::vector<std::byte>& out) {
  for (std::uint64_t index = 0; index < grid.count(); ++index) {
    ReferenceBlock(module, grid, block, index, address, out).run();
  }
}

}  // namespace sweep::testing
