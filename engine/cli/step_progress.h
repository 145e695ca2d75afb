#pragma once

#include <cstddef>
#include <mutex>
#include <string>

#include "engine/cli/live_line.h"
#include "engine/cli/pace.h"
#include "engine/cli/ticker.h"
#include "engine/run/clock.h"

namespace sweep {

/// Shows on stderr how far a long job is that prints nothing else meanwhile: in a live terminal in
/// one line, which goes with this, elsewhere in a line every ten seconds; also while nothing gets
/// done.
class StepProgress {
 public:
  /// `job` names it: "compiling copy.yaml". A quiet one shows nothing.
  StepProgress(std::string job, std::size_t steps, bool is_quiet);
  ~StepProgress();
  StepProgress(const StepProgress&) = delete;
  StepProgress& operator=(const StepProgress&) = delete;

  /// Another step is done.
  void step();

 private:
  void tick();
  std::string text(double now) const;

  const std::string job_;
  const std::size_t steps_;
  const Clock clock_;
  const double begin_;
  std::mutex mutex_;  ///< over what follows
  std::size_t done_ = 0;
  Pace pace_;
  LiveLine line_;
  double last_shown_;
  std::optional<Ticker> ticker_;  ///< begins last
};

}  // namespace sweep
