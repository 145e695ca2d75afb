#include "engine/run/shared_compiling.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace sweep {
namespace {

class SharedBatch {
 public:
  SharedBatch(std::span<const Configuration> batch, ProgramCache& cache, std::string_view identity,
              const CompileBatch& compile)
      : batch_(batch),
        cache_(cache),
        identity_(identity),
        compile_(compile),
        outcomes_(batch.size()) {}

  SharedOutcomes outcomes(const std::atomic<bool>& stopped) {
    // What takes longer is compiled twice rather than waited for.
    constexpr std::chrono::seconds patience(20);
    CacheClaims claims = cache_.claim(batch_, identity_);
    look_up(gaps());
    std::vector<std::size_t> own = gaps();
    std::erase_if(own, [&](std::size_t place) { return !claims.holds(place); });
    compile(own);
    if (!gaps().empty()) {
      claims.wait_for_others(patience, stopped);
      look_up(gaps());
      compile(gaps());
    }
    SharedOutcomes result;
    result.found = found_;
    for (auto& outcome : outcomes_) result.outcomes.push_back(std::move(*outcome));
    return result;
  }

 private:
  /// The places without an outcome.
  std::vector<std::size_t> gaps() const {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < outcomes_.size(); ++i) {
      if (!outcomes_[i]) places.push_back(i);
    }
    return places;
  }

  std::vector<Configuration> at(const std::vector<std::size_t>& places) const {
    std::vector<Configuration> configurations;
    configurations.reserve(places.size());
    for (const std::size_t place : places) configurations.push_back(batch_[place]);
    return configurations;
  }

  void look_up(const std::vector<std::size_t>& places) {
    auto found = cache_.find(at(places), identity_);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!found[i]) continue;
      outcomes_[places[i]] = std::move(*found[i]);
      ++found_;
    }
  }

  void compile(const std::vector<std::size_t>& places) {
    if (places.empty()) return;
    const std::vector<Configuration> configurations = at(places);
    std::vector<CompileOutcome> compiled = compile_(configurations);
    cache_.add(configurations, compiled, identity_);
    for (std::size_t i = 0; i < places.size(); ++i) {
      outcomes_[places[i]] = std::move(compiled[i]);
    }
  }

  std::span<const Configuration> batch_;
  ProgramCache& cache_;
  std::string_view identity_;
  const CompileBatch& compile_;
  std::vector<std::optional<CompileOutcome>> outcomes_;
  std::size_t found_ = 0;
};

}  // namespace

SharedOutcomes compile_shared(std::span<const Configuration> batch, ProgramCache& cache,
                              std::string_view identity, const CompileBatch& compile,
                              const std::atomic<bool>& stopped) {
  return SharedBatch(batch, cache, identity, compile).outcomes(stopped);
}

}  // namespace sweep
