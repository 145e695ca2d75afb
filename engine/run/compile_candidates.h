#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "engine/jit/text_dependence.h"

namespace sweep {

/// A configuration that waits for a compiler.
struct CompileCandidate {
  std::size_t place = 0;  ///< among all configurations
  const Pattern* pattern = nullptr;
  std::vector<std::size_t> functions;  ///< of the functions that stand alone, equal where they are
  std::size_t body = 0;                ///< equal where the bodies are

  friend bool operator==(const CompileCandidate&, const CompileCandidate&) = default;
};

/// Makes candidates; remembers what the patterns' texts depend on.
class CandidateMaker {
 public:
  CompileCandidate make(const Configuration& configuration, std::size_t place);

 private:
  std::map<const Pattern*, TextDependence> dependences_;
};

/// Chooses a batch of at most `size` from candidates, of which there is at least one, in the order
/// of their places: the first, and of its pattern those with which it shares most functions, so
/// that a program has few of them. The last few may be left out for the batch that has more of
/// their kind. Gives places, rising.
std::vector<std::size_t> choose_batch(std::span<const CompileCandidate> candidates,
                                      std::size_t size);

/// The first `size` at most, as long as they are of one pattern: for what is needed soon.
std::vector<std::size_t> first_in_order(std::span<const CompileCandidate> candidates,
                                        std::size_t size);

}  // namespace sweep
