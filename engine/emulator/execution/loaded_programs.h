#pragma once

#include <future>
#include <list>
#include <memory>
#include <mutex>

#include "engine/backend/backend.h"
#include "engine/emulator/execution/loaded_program.h"

namespace sweep {

/// The programs that emulators have read last, for all of them: each is read once, whichever thread
/// comes first. Safe to use from several threads.
class LoadedPrograms {
 public:
  /// Throws ptx::SyntaxError.
  std::shared_ptr<const LoadedProgram> get(const std::shared_ptr<const Program>& program);

 private:
  struct Entry {
    std::shared_ptr<const Program> program;
    std::shared_future<std::shared_ptr<const LoadedProgram>> loaded;
  };

  std::mutex mutex_;
  std::list<Entry> entries_;  ///< the one used last first
};

}  // namespace sweep
