#include "engine/emulator/execution/loaded_programs.h"

#include <algorithm>

namespace sweep {

std::shared_ptr<const LoadedProgram> LoadedPrograms::get(
    const std::shared_ptr<const Program>& program) {
  constexpr std::size_t most_kept = 16;
  std::packaged_task<std::shared_ptr<const LoadedProgram>()> load(
      [&] { return std::make_shared<const LoadedProgram>(program->ptx); });
  std::shared_future<std::shared_ptr<const LoadedProgram>> loaded;
  bool is_known = false;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(entries_, program, &Entry::program);
    is_known = found != entries_.end();
    if (is_known) {
      entries_.splice(entries_.begin(), entries_, found);
    } else {
      entries_.push_front({program, load.get_future().share()});
      if (entries_.size() > most_kept) entries_.pop_back();
    }
    loaded = entries_.front().loaded;
  }
  if (!is_known) load();
  return loaded.get();
}

}  // namespace sweep
