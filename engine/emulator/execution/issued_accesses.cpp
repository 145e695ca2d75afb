#include "engine/emulator/execution/issued_accesses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>

#include "engine/emulator/lower/code_analysis.h"
#include "engine/emulator/lower/control_flow.h"
#include "engine/emulator/machine/launch.h"

namespace sweep {
namespace {

/// An address as a register's value plus a number of bytes.
struct LinearAddress {
  std::uint32_t root = none;     ///< a slot; none: the number alone, from where its memory begins
  std::uint32_t definition = 0;  ///< where the register has several values, how many are before it
  std::int64_t offset = 0;

  friend bool operator==(const LinearAddress&, const LinearAddress&) = default;
};

/// A load or store of the PTX.
struct Site {
  const Op* op = nullptr;
  MemoryOp* memory = nullptr;
  std::uint32_t block = 0;
  std::uint32_t region = 0;  ///< ControlFlow's
  LinearAddress address = {};
  std::vector<unsigned> widths = {};  ///< of its instructions in the machine code
  bool is_alone = true;               ///< no other op stands on its line of the PTX
  /// Whether it has as many instructions as others of its kind in its basic block that have some.
  bool is_even = true;

  bool is_store() const { return op->kind == OpKind::store; }
  bool is_shared() const { return memory->space == ptx::Space::shared; }
  bool is_plain() const { return is_alone && is_even; }
  bool is_gone() const { return widths.empty(); }
  /// All of its instructions have this width.
  bool has_width(unsigned bytes) const {
    return !is_gone() && std::ranges::all_of(widths, [&](unsigned one) { return one == bytes; });
  }
  bool is_as_written() const { return has_width(memory->bytes()); }
  /// The width of all of them, where that is more than its own.
  unsigned wider() const {
    return !is_gone() && has_width(widths.front()) && widths.front() > memory->bytes()
               ? widths.front()
               : 0;
  }
  /// Accesses that one instruction can do.
  auto family() const {
    return std::tuple(region, is_store(), is_shared(), op->guard, op->is_guard_negated,
                      address.root, address.definition);
  }
};

bool is_issued_kind(const Kernel& kernel, const Op& op) {
  if (op.kind != OpKind::load && op.kind != OpKind::store) return false;
  const MemoryOp& memory = kernel.memory[op.detail];
  return memory.is_counted &&
         (memory.space == ptx::Space::shared || memory.space == ptx::Space::global);
}

/// What is known of a kernel's registers, for the addresses of its sites.
class RegisterValues {
 public:
  explicit RegisterValues(const Kernel& kernel) : kernel_(kernel) {
    for (const ConstantSlot& constant : kernel.constants) constants_[constant.slot] = &constant;
    const auto note = [&](const Op& op) {
      const OpFacts facts = facts_of(kernel, op);
      for (const std::uint32_t slot : facts.writes) {
        const auto [known, is_new] = writers_.try_emplace(slot, &op);
        if (!is_new) known->second = nullptr;
      }
      for (const std::uint32_t slot : facts.reads) reads_.insert(slot);
      if (op.guard != none) reads_.insert(op.guard);
      if (op.kind == OpKind::alu) ++ops_of_[op.instruction];
    };
    for (const Op& op : kernel.ops) note(op);
    for (const BasicBlock& block : kernel.blocks) {
      if (block.has_op()) note(block.op);
      reads_.insert(block.predicate);
      reads_.insert(block.index);
    }
  }

  bool is_read(std::uint32_t slot) const { return reads_.contains(slot); }

  /// An address of which so many ops before wrote the register.
  LinearAddress linear(const AddressOperand& address, std::uint32_t definitions) const {
    LinearAddress result = {.root = address.slot, .offset = address.offset};
    constexpr int most_steps = 64;
    for (int step = 0; step < most_steps && result.root != none; ++step) {
      const auto next = one_back(result.root);
      if (!next) break;
      result.root = next->first;
      result.offset += next->second;
    }
    // Only the address' own register can have several values: what is computed from such a one
    // begins anew.
    if (result.root == address.slot && writes_often(address.slot)) {
      result.definition = definitions + 1;
    }
    return result;
  }
  bool writes_often(std::uint32_t slot) const {
    const auto writer = writers_.find(slot);
    return writer != writers_.end() && writer->second == nullptr;
  }

 private:
  std::optional<std::int64_t> number(std::uint32_t slot, bool is_64) const {
    using enum ConstantSlot::Kind;
    const auto constant = constants_.find(slot);
    if (constant == constants_.end() ||
        (constant->second->kind != immediate && constant->second->kind != shared_address)) {
      return std::nullopt;
    }
    const std::uint64_t value = constant->second->value;
    return is_64 ? static_cast<std::int64_t>(value)
                 : std::int64_t{static_cast<std::int32_t>(value)};
  }

  /// The register and the number that the slot's only value is the sum of.
  std::optional<std::pair<std::uint32_t, std::int64_t>> one_back(std::uint32_t slot) const {
    if (const auto value = number(slot, true)) return std::pair(none, *value);
    const auto writer = writers_.find(slot);
    if (writer == writers_.end() || writer->second == nullptr) return std::nullopt;
    const Op& op = *writer->second;
    if (op.kind != OpKind::alu || op.guard != none || ops_of_.at(op.instruction) != 1) {
      return std::nullopt;
    }
    const std::string_view opcode = kernel_.instructions[op.instruction].opcode;
    const auto [d, d2, a, b, c, e] = op.operands;
    std::optional<std::pair<std::uint32_t, std::int64_t>> sum;
    if (opcode.starts_with("mov.") && op.reads_a && !op.reads_b) sum = {a, 0};
    // Compilers write the sum with an aligned address as a bitwise or.
    if (opcode.starts_with("add.") || opcode.starts_with("or.")) {
      const bool is_64 = opcode.ends_with("64");
      if (const auto right = number(b, is_64)) sum = {a, *right};
      if (const auto left = number(a, is_64); left && !sum) sum = {b, *left};
    }
    if (!sum || writes_often(sum->first)) return std::nullopt;
    return sum;
  }

  const Kernel& kernel_;
  std::map<std::uint32_t, const ConstantSlot*> constants_;
  std::map<std::uint32_t, const Op*> writers_;  ///< null: several
  std::map<std::uint32_t, unsigned> ops_of_;    ///< register operations, by their instruction
  std::set<std::uint32_t> reads_;
};

/// The largest multiple of `step` from `phase` on that is not above `value`.
std::int64_t aligned_below(std::int64_t value, std::int64_t step, std::int64_t phase) {
  const std::int64_t distance = value - phase;
  const std::int64_t rest = (distance % step + step) % step;
  return value - rest;
}

using Sites = std::vector<Site*>;

/// Gives each access that is gone to the wider one whose bytes it lies in, if a base register that
/// is so far from the hardware's alignment makes that possible: each wider load has more than half
/// of its bytes then, each wider store all. By access that is gone, the wider one; null: none.
std::optional<Sites> join(const Sites& wide, const Sites& gone, std::int64_t phase) {
  std::vector<std::uint64_t> bytes;
  for (const Site* each : wide) bytes.push_back(each->memory->bytes());
  const auto begin_of = [&](const Site& each) {
    return aligned_below(each.address.offset, each.wider(), phase);
  };
  for (const Site* one : wide) {
    for (const Site* other : wide) {
      const std::int64_t from = begin_of(*one);
      if (one != other && begin_of(*other) >= from && begin_of(*other) < from + one->wider()) {
        return std::nullopt;
      }
    }
  }
  Sites owners;
  for (const Site* each : gone) {
    const auto owner = std::ranges::find_if(wide, [&](const Site* one) {
      const std::int64_t distance = each->address.offset - begin_of(*one);
      return distance >= 0 && distance + each->memory->bytes() <= one->wider();
    });
    owners.push_back(owner != wide.end() ? *owner : nullptr);
    if (owner != wide.end()) {
      bytes[static_cast<std::size_t>(owner - wide.begin())] += each->memory->bytes();
    }
  }
  for (std::size_t i = 0; i < wide.size(); ++i) {
    const unsigned width = wide[i]->wider();
    if (wide[i]->is_store() ? bytes[i] != width : 2 * bytes[i] <= width) return std::nullopt;
  }
  return owners;
}

/// The instructions in the machine code that an access of the PTX has become.
struct Issued {
  std::uint32_t order = 0;  ///< of the first of them
  std::vector<unsigned> widths = {};
};

class Issue {
 public:
  Issue(Kernel& kernel, const KernelCode& code) : kernel_(kernel), code_(code) {
    std::map<MachineAccess, Issued> machine;
    for (const MachineAccess& access : code.accesses) {
      const auto order = static_cast<std::uint32_t>(machine.size());
      machine.try_emplace(key(access), Issued{order}).first->second.widths.push_back(access.width);
    }
    std::map<MachineAccess, unsigned> on_line;
    for (Op& op : kernel.ops) {
      if (op.kind == OpKind::atomic) mark_loop(op, machine);
      if (!is_issued_kind(kernel, op)) continue;
      sites_.push_back({.op = &op, .memory = &kernel.memory[op.detail]});
      const auto found = machine.find(key(sites_.back()));
      if (found != machine.end()) {
        sites_.back().widths = found->second.widths;
        sites_.back().memory->issue_order = found->second.order;
      }
      ++on_line[key(sites_.back())];
    }
    for (Site& site : sites_) site.is_alone = on_line.at(key(site)) == 1;
  }

  void run() {
    const bool is_unchanged = std::ranges::all_of(
        sites_, [](const Site& site) { return site.is_as_written() && site.widths.size() == 1; });
    if (is_unchanged) return;
    const RegisterValues values(kernel_);
    place(values, ControlFlow(kernel_.blocks));
    find_uneven();
    join_families();
    for (Site& site : sites_) {
      MemoryOp& memory = *site.memory;
      const bool is_joined = memory.issued_bytes != 0 || !memory.is_counted;
      const bool is_same = site.is_as_written() && (site.is_even || !site.is_alone);
      if (is_joined || is_same || (site.is_plain() && (leave_out(site) || narrow(site, values)))) {
        continue;
      }
      memory.is_uncertain = true;
    }
  }

 private:
  /// An atomic on shared memory that the hardware has not is a loop of a load and a
  /// compare-and-swap.
  void mark_loop(const Op& op, const std::map<MachineAccess, Issued>& machine) {
    MemoryOp& memory = kernel_.memory[op.detail];
    const std::uint32_t line = kernel_.instructions[op.instruction].ptx_line;
    if (memory.space == ptx::Space::shared) {
      memory.is_uncertain = machine.contains({.is_shared = true, .ptx_line = line});
    }
  }

  /// By what machine code and PTX are matched.
  static MachineAccess key(MachineAccess access) {
    access.width = 0;
    return access;
  }
  MachineAccess key(const Site& site) const {
    return {site.is_store(), site.is_shared(), 0, line_of(site)};
  }
  std::uint32_t line_of(const Site& site) const {
    return kernel_.instructions[site.op->instruction].ptx_line;
  }

  /// Fills in where the sites are, and their addresses.
  void place(const RegisterValues& values, const ControlFlow& flow) {
    std::map<std::uint32_t, std::uint32_t> definitions;
    const auto count_writes = [&](const Op& op) {
      for (const std::uint32_t slot : facts_of(kernel_, op).writes) {
        if (values.writes_often(slot)) ++definitions[slot];
      }
    };
    auto site = sites_.begin();
    for (std::uint32_t i = 0; i < kernel_.blocks.size(); ++i) {
      const BasicBlock& block = kernel_.blocks[i];
      for (const Op& op : std::span(kernel_.ops).subspan(block.first_op, block.op_count)) {
        if (site != sites_.end() && site->op == &op) {
          const AddressOperand& address = site->memory->address;
          site->block = i;
          site->region = flow.region(i);
          site->address = values.linear(address, definitions[address.slot]);
          ++site;
        }
        count_writes(op);
      }
      if (block.has_op()) count_writes(block.op);
    }
  }

  /// Where ptxas unrolls a loop and joins accesses of several rounds, some of the copies are gone.
  void find_uneven() {
    const auto neighbours = [](const Site& site) {
      return std::tuple(site.block, site.is_store(), site.is_shared());
    };
    std::map<decltype(neighbours(Site())), std::size_t> most;
    for (const Site& site : sites_) {
      std::size_t& count = most[neighbours(site)];
      if (site.is_alone) count = std::max(count, site.widths.size());
    }
    for (Site& site : sites_) {
      site.is_even = site.is_gone() || site.widths.size() == most.at(neighbours(site));
    }
  }

  void join_families() {
    struct Family {
      Sites wide;
      Sites gone;
    };
    std::map<decltype(Site().family()), Family> families;
    for (Site& site : sites_) {
      if (!site.is_plain()) continue;
      if (site.wider() != 0) families[site.family()].wide.push_back(&site);
      if (site.is_gone()) families[site.family()].gone.push_back(&site);
    }
    for (const auto& [base, family] : families) {
      if (!family.wide.empty()) join(family.wide, family.gone);
    }
  }

  static void join(const Sites& wide, const Sites& gone) {
    // A block's shared memory begins at a multiple of this; where registers point is not known.
    constexpr std::int64_t most_alignment = 16;
    const std::int64_t phases = wide.front()->address.root == none ? 1 : most_alignment;
    std::optional<Sites> best;
    std::ptrdiff_t least_left = 0;
    for (std::int64_t phase = 0; phase < phases; ++phase) {
      auto owners = sweep::join(wide, gone, phase);
      if (!owners) continue;
      const std::ptrdiff_t left = std::ranges::count(*owners, nullptr);
      if (best && left >= least_left) continue;
      best = std::move(owners);
      least_left = left;
    }
    if (!best) return;
    for (Site* each : wide) each->memory->issued_bytes = each->wider();
    for (std::size_t i = 0; i < gone.size(); ++i) {
      if ((*best)[i] == nullptr) continue;
      gone[i]->memory->is_counted = false;
      ++(*best)[i]->memory->joined;
    }
  }

  /// No longer counts an access of which nothing is in the machine code, since another one at the
  /// same address does for it: for a load one before it, for a store one that follows. Whether so.
  bool leave_out(const Site& site) const {
    const bool may_be_elsewhere =
        kernel_.has_calls || std::ranges::binary_search(code_.ptx_lines, line_of(site));
    if (!site.is_gone() || may_be_elsewhere) return false;
    const bool is_needless = std::ranges::any_of(sites_, [&](const Site& other) {
      const bool is_in_order = site.is_store() ? &other > &site : &other < &site;
      return is_in_order && other.region == site.region && other.address == site.address &&
             other.memory->bytes() == site.memory->bytes() &&
             other.is_shared() == site.is_shared() && (!site.is_store() || other.is_store());
    });
    site.memory->is_counted = !is_needless;
    return is_needless;
  }

  /// Has a load that is narrower than in the PTX count so, if it is the part that is used.
  bool narrow(const Site& site, const RegisterValues& values) const {
    MemoryOp& memory = *site.memory;
    if (site.is_gone() || site.is_store()) return false;
    const unsigned width = site.widths.front();
    if (!site.has_width(width) || width >= memory.bytes()) return false;
    const unsigned element = ptx::bytes_of(memory.type);
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    for (std::uint32_t i = 0; i < memory.values.size(); ++i) {
      if (memory.values[i] == none || !values.is_read(memory.values[i])) continue;
      if (end == 0) first = i * element;
      end = (i + 1) * element;
    }
    const std::uint32_t begin = first / width * width;
    // Of a single number, it is taken to be the lower half.
    const bool is_part = width < element ? memory.elements == 1 : end > 0 && end <= begin + width;
    if (!is_part) return false;
    memory.issued_bytes = width;
    memory.issued_offset = width < element ? 0 : begin;
    return true;
  }

  Kernel& kernel_;
  const KernelCode& code_;
  std::vector<Site> sites_;
};

}  // namespace

void issue_as_compiled(Kernel& kernel, const KernelCode& code) {
  if (!code.ptx_lines.empty()) Issue(kernel, code).run();
}

std::string note_on_uncertain(const Kernel& kernel, const std::optional<KernelCode>& code) {
  const bool has_lines = code && !code->ptx_lines.empty();
  std::vector<std::string> joined;
  std::vector<std::string> loops;
  for (const Op& op : kernel.ops) {
    const bool is_atomic = op.kind == OpKind::atomic;
    if (op.kind != OpKind::load && op.kind != OpKind::store && !is_atomic) continue;
    const MemoryOp& memory = kernel.memory[op.detail];
    if (!has_lines && !is_atomic && memory.is_counted && memory.space == ptx::Space::shared) {
      return "there is no machine code here that tells which accesses to shared memory ptxas "
             "joins: they are counted as in the PTX";
    }
    if (!memory.is_uncertain) continue;
    const FaultPlace at = fault_place(kernel, op.instruction);
    std::string place = at.line == 0 ? "unknown lines" : fmt::format("{}:{}", at.file, at.line);
    std::vector<std::string>& places = is_atomic ? loops : joined;
    if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
  }
  const auto first_of = [](std::vector<std::string> places) {
    constexpr std::size_t most = 8;
    const bool are_all = places.size() <= most;
    places.resize(std::min(places.size(), most));
    return fmt::format("{}{}", fmt::join(places, ", "), are_all ? "" : ", ...");
  };
  std::string note;
  if (!joined.empty()) {
    note = fmt::format(
        "it is not certain which accesses ptxas joined or left out at {}: these are counted as in "
        "the PTX",
        first_of(std::move(joined)));
  }
  if (!loops.empty()) {
    note += fmt::format(
        "{}the atomics on shared memory at {} are loops in the machine code, which load again "
        "whenever lanes or warps collide: these loads are not counted",
        note.empty() ? "" : "; ", first_of(std::move(loops)));
  }
  return note;
}

}  // namespace sweep
