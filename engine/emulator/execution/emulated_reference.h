#pragma once

#include <array>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/emulator/execution/emulator_backend.h"

namespace sweep {

/// What a reference leaves in its buffers, computed when it is first asked for and, where it is a
/// single launch whose blocks do not meet, as far as it is asked for. Safe to use from several
/// threads.
class EmulatedReference {
 public:
  /// The programs must outlive this.
  EmulatedReference(EmulatorSettings settings, LoadedPrograms& programs,
                    std::shared_ptr<const ReferencePlan> plan);

  const ReferencePlan& plan() const { return *plan_; }
  /// Gives the reference's execution, whose buffer of this name has all elements that were written
  /// to `compared`, or simply all without that. Null where this would take more thread instructions
  /// than a reference may. Throws KernelFault and ExecutionFailure, whose messages say of what, and
  /// Cancelled.
  std::shared_ptr<EmulatorExecution> provide(const std::string& buffer, const Allocation* compared);

 private:
  /// What is executed of a launch at least: a block, or where those have nothing to do with each
  /// other a warp or a thread. Numbered in the order of its place: of the unit in its block, and of
  /// that in the grid.
  using Place = std::array<std::uint64_t, 6>;
  /// The elements that a unit writes to a buffer: `offsets` from its first one, which is a linear
  /// function of the unit's place.
  struct Footprint {
    std::vector<std::uint64_t> offsets;
    std::int64_t first = 0;
    std::array<std::int64_t, 6> step = {};
  };

  void start();
  bool has_provided(const std::string& buffer, const Allocation* compared);
  bool provide_some(const std::string& buffer, const Allocation& compared);
  bool provide_all();
  bool run_all(std::size_t launch);
  void learn_footprints();
  std::vector<std::vector<std::uint64_t>> run_probe(std::uint64_t unit);
  std::vector<std::uint64_t> units_for(const Footprint& footprint,
                                       const Allocation& compared) const;
  std::vector<std::uint64_t> numbers_of(std::span<const std::uint64_t> units) const;
  std::uint64_t left() const;
  void run(std::span<const std::uint64_t> units);

  EmulatorSettings settings_;
  LoadedPrograms& programs_;
  std::shared_ptr<const ReferencePlan> plan_;
  std::mutex mutex_;  ///< over what follows
  std::shared_ptr<EmulatorExecution> execution_;
  std::uint64_t spent_ = 0;  ///< thread instructions
  bool is_complete_ = false;
  bool is_too_much_ = false;
  std::exception_ptr failure_;
  // Of a launch whose units are chosen:
  bool can_choose_ = true;
  std::optional<Launch> launch_;
  Place extents_ = {};                 ///< of the units
  std::uint64_t unit_cost_ = 0;        ///< of the most expensive ones so far, each
  std::vector<bool> executed_;         ///< by unit
  std::vector<Footprint> footprints_;  ///< by buffer; none before they are learnt
};

}  // namespace sweep
