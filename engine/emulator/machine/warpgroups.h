#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/emulator/lower/kernel.h"

namespace sweep {

/// Whether the warps of a block keep the rules of wgmma (PTX ISA, "Asynchronous Warpgroup Level
/// Matrix Instructions"). A product is computed when it is issued; until its group has been waited
/// for its registers, and what it reads of shared memory, are under way. Copies of registers count
/// for nothing: the compiler makes and removes them.
class Warpgroups {
 public:
  static constexpr std::uint32_t warps_of_group = 4;

  /// `follows_registers`: as far as registers go the rules are looked after.
  Warpgroups(const Kernel& kernel, std::uint32_t warps, bool follows_registers);
  bool follows_registers() const { return register_count_ != 0; }

  /// Begins a block.
  void reset();

  /// What a warp does that it must not, and the instruction concerned; `none`: the running one.
  struct Mistake {
    std::string what;
    std::uint32_t instruction = none;
  };
  /// A warp executes an instruction that all warps of its warpgroup execute together, with the same
  /// descriptors.
  using Descriptors = std::pair<std::uint64_t, std::uint64_t>;
  std::optional<Mistake> join(std::uint32_t warp, std::uint32_t instruction,
                              const Descriptors& descriptors);
  /// All threads of the block have ended: whether a warp has left its warpgroup alone.
  struct Absence {
    std::uint32_t warp = 0;
    Mistake mistake;
  };
  std::optional<Absence> find_absence() const;

  /// A warp issues a product.
  std::optional<Mistake> issue(std::uint32_t warp, const Op& op);
  void order(std::uint32_t warp, const WarpgroupOrder& order);
  /// A warp executes any other op, which stands at this place among the kernel's.
  std::optional<Mistake> touch(std::uint32_t warp, std::size_t place);
  /// The same of the op that a basic block ends with.
  std::optional<Mistake> touch(std::uint32_t warp, const Op& op) const;

  /// Whether a warp has committed the groups that another one of its warpgroup waits for: these are
  /// the warpgroup's, and complete for all of its warps at once.
  bool has_committed(std::uint32_t warp, std::uint32_t waiting, const WarpgroupOrder& wait) const {
    return states_[warp].committed + wait.groups >= states_[waiting].committed;
  }
  static bool are_one(std::uint32_t warp, std::uint32_t other) {
    return warp / warps_of_group == other / warps_of_group;
  }

  /// The group that a product issued now belongs to, and whether it has been waited for.
  std::uint64_t group_of_next(std::uint32_t warp) const { return states_[warp].committed + 1; }
  bool is_done(std::uint32_t warp, std::uint64_t group) const {
    return group <= states_[warp].completed;
  }

 private:
  /// The registers that products read and write, and those that are copied to them, get numbers;
  /// `touches_` says for each op which of them it reads and writes.
  struct Touch {
    std::vector<std::uint32_t> reads;
    std::vector<std::uint32_t> writes;
    bool is_copy = false;
  };
  /// What is under way of a register.
  struct Register {
    std::uint64_t group = 0;       ///< of the last product that has it
    std::uint64_t written = 0;     ///< the number of the fence to come when it was written
    std::uint32_t product = none;  ///< the instruction of that product
    std::uint32_t shape = 0;       ///< of that product
    bool is_sum = false;           ///< an accumulator, not a part of the matrix a
    std::uint32_t writer = none;   ///< the instruction that wrote it last
  };
  struct WarpState {
    std::uint64_t committed = 0;
    std::uint64_t completed = 0;
    std::uint64_t fences = 0;
    std::uint64_t steps = 0;  ///< instructions executed with the warpgroup
    std::vector<Register> registers;
  };
  /// An instruction of a warpgroup, executed by the first of its warps.
  struct Step {
    std::uint32_t instruction = none;
    std::uint32_t warp = 0;
    Descriptors descriptors;
  };

  /// What the warps of a warpgroup have executed together.
  struct Group {
    std::vector<Step> steps;
    std::uint64_t forgotten = 0;  ///< steps before those
  };

  void number_registers();
  std::uint32_t number_of(std::uint32_t slot) const;
  Touch touch_of(const Op& op) const;
  void forget_old_steps(std::uint32_t warp);
  static std::string why(const WarpState& state, const Register& one);
  static bool is_under_way(const WarpState& state, const Register& one) {
    return one.group > state.completed;
  }
  std::optional<Mistake> judge(const WarpState& state, const Touch& touch) const;

  const Kernel& kernel_;
  std::vector<WarpState> states_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> numbers_;  ///< by slot
  std::uint32_t register_count_ = 0;
  std::vector<Touch> touches_;
  std::vector<std::uint32_t> touch_of_op_;  ///< by the kernel's ops, or none
};

}  // namespace sweep
