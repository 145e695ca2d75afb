#pragma once

#include <cstdio>
#include <string>

#include "engine/cli/terminal.h"
#include "engine/run/runner.h"

namespace sweep {

/// Shows how a run goes on, on stderr: in a live terminal one line written over, elsewhere a plain
/// line now and then. Failed points and warnings get lines of their own. What cannot be written is
/// lost, and the run goes on.
class Progress : public RunObserver {
 public:
  Progress(const Terminal& terminal, Clock clock);

  void on_start(std::size_t points, std::size_t reused) override;
  void on_reuse() override;
  void on_point(const Configuration& configuration, const PointRecord& point) override;
  void on_warning(const Diagnostic& warning) override;
  void on_note(const std::string& note) override;
  void on_stage(const std::string& stage) override;
  /// Takes the live line away.
  void finish();

 private:
  void print_line(const std::string& text);
  std::string status(const Configuration& configuration, const PointRecord& point) const;

  Terminal terminal_;
  Clock clock_;
  std::size_t total_ = 0;
  std::size_t done_ = 0;
  std::size_t failures_shown_ = 0;
  double begin_ = 0;
  double last_shown_ = 0;
};

}  // namespace sweep
