#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/emulator/execution/emulated_workload.h"

namespace sweep {

/// What the results of a launch are worth.
struct VerificationOutcome {
  /// Why a condition does not hold, and which of the workload's.
  std::optional<std::string> mismatch;
  std::size_t failed = 0;
  /// Of all conditions: elements that were judged, of so many.
  std::uint64_t judged = 0;
  std::uint64_t elements = 0;

  /// Of the elements; nothing where the pattern asks for no verification.
  std::optional<double> share() const {
    if (elements == 0) return std::nullopt;
    return static_cast<double>(judged) / static_cast<double>(elements);
  }
};

/// How much to verify.
struct VerificationScope {
  bool is_partial = false;  ///< some of the blocks were executed: what they wrote can be judged
  bool is_exact = false;    ///< every element, however many there are
  unsigned threads = 1;
};

/// Evaluates the workload's conditions one after the other, up to the first that does not hold.
/// Throws KernelFault.
VerificationOutcome verify_results(EmulatedWorkload& workload, const VerificationScope& scope);

}  // namespace sweep
