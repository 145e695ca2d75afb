#include "engine/jit/program_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <system_error>
#include <unordered_map>

#include "engine/jit/cache_folder.h"
#include "engine/jit/program_file.h"

namespace sweep {

/// A file of a group.
struct ProgramCache::File {
  std::string name;
  std::int64_t written_ns = 0;                ///< since 1970
  bool is_gone = false;                       ///< removed or replaced, or damaged
  std::weak_ptr<const StoredProgram> loaded;  ///< while somebody holds it
};

/// What is known of one pattern and identity.
struct ProgramCache::Group {
  std::string key;
  std::string folder;
  bool is_kept = false;                                ///< whether its key is complete
  std::map<std::string, std::shared_ptr<File>> files;  ///< by their names
  /// By a configuration's parameters the newest file that has it.
  std::unordered_map<std::string, std::shared_ptr<File>> file_of;

  /// Takes the place of a file of the same name.
  void add(const std::string& name, const ProgramHeader& header) {
    forget(name);
    const auto file = std::make_shared<File>(File{name, header.written_ns, false, {}});
    files[name] = file;
    for (const StoredConfiguration& one : header.configurations) {
      std::shared_ptr<File>& known = file_of[one.parameters];
      const bool is_newer =
          known == nullptr || known->is_gone || known->written_ns <= file->written_ns;
      if (is_newer) known = file;
    }
  }
  /// Nothing in that file is found any more.
  void forget(const std::string& name) {
    const auto found = files.find(name);
    if (found == files.end()) return;
    found->second->is_gone = true;
    files.erase(found);
  }
};

namespace {

/// The programs loaded last stay in memory up to this size even if nobody holds them, since
/// configurations in a shuffled order ask for the same ones again and again.
constexpr std::uint64_t recent_limit = std::uint64_t{256} << 20U;

/// Sets the time of a file's use; not each time, since that writes to the disk.
void touch(int file) {
  constexpr std::int64_t seconds_between = 60;
  struct stat status = {};
  if (fstat(file, &status) != 0) return;
  if (now_ns() / 1'000'000'000 - status.st_mtim.tv_sec > seconds_between) futimens(file, nullptr);
}

std::uint64_t size_of(const StoredProgram& stored) {
  return stored.program.cubin.size() + stored.program.ptx.size();
}

StoredConfiguration stored(const Configuration& configuration,
                           const CompiledConfiguration& compiled) {
  return {parameter_bytes(configuration.parameters), compiled.kernel_entry, compiled.init_entries,
          compiled.check_entries,
          diagnostic_bytes(compiled.warnings, configuration.pattern->source)};
}

}  // namespace

ProgramCache::ProgramCache(CacheSettings settings)
    : settings_(std::move(settings)), folder_(settings_.folder) {}

ProgramCache::~ProgramCache() = default;

std::string ProgramCache::problem() const {
  const std::scoped_lock lock(mutex_);
  return problem_;
}

void ProgramCache::note(std::string problem) {
  if (problem_.empty()) {
    problem_ =
        fmt::format("the cache of compiled programs in {} {}", settings_.folder.string(), problem);
  }
}

ProgramCache::Group& ProgramCache::group_of(const PatternPtr& pattern, std::string_view identity) {
  std::unique_ptr<Group>& group = groups_[{pattern, std::string(identity)}];
  if (group == nullptr) {
    auto made = std::make_unique<Group>();
    made->key = program_key(*pattern, identity);
    made->folder = hash_name(made->key);
    made->is_kept = key_is_complete(*pattern);
    if (made->is_kept) read_new_files(*made);
    group = std::move(made);
  }
  return *group;
}

/// Of a file that is known the contents are: its name is made of them.
void ProgramCache::read_new_files(Group& group) {
  std::vector<std::string> names;
  try {
    names = folder_.programs(group.folder);
  } catch (const std::system_error& error) {
    note(std::string("cannot be read: ") + error.what());
  }
  for (const std::string& name : names) {
    if (group.files.contains(name)) continue;
    read_file(group, name, [&](int file) {
      const ProgramHeader header = read_program(file).header;
      if (header.key == group.key) group.add(name, header);
    });
  }
}

void ProgramCache::read_file(const Group& group, const std::string& name,
                             const std::function<void(int)>& use) {
  try {
    const FileDescriptor file = folder_.open(group.folder, name);
    if (!file) return;
    try {
      use(file.get());
    } catch (const DamagedBytes& damage) {
      if (!folder_.remove(group.folder, name)) return;
      note(fmt::format("had a damaged file, {}/{}: {}", group.folder, name, damage.what()));
    }
  } catch (const std::system_error& error) {
    note(
        fmt::format("has a file that cannot be used, {}/{}: {}", group.folder, name, error.what()));
  }
}

ProgramCache::LoadedProgram ProgramCache::load(const Group& group, File& known) {
  LoadedProgram program = known.loaded.lock();
  if (program != nullptr) {
    // What is used stays longest.
    const auto kept = std::ranges::find(recent_, program);
    if (kept != recent_.end()) std::rotate(kept, std::next(kept), recent_.end());
    return program;
  }
  read_file(group, known.name, [&](int file) {
    auto stored = std::make_shared<const StoredProgram>(read_program(file));
    if (stored->header.key != group.key) return;
    touch(file);
    program = std::move(stored);
  });
  if (program == nullptr) return nullptr;
  known.loaded = program;
  recent_.push_back(program);
  recent_bytes_ += size_of(*program);
  while (recent_bytes_ > recent_limit && recent_.size() > 1) {
    recent_bytes_ -= size_of(*recent_.front());
    recent_.pop_front();
  }
  return program;
}

std::optional<CompiledConfiguration> ProgramCache::find_one(Group& group,
                                                            const Configuration& configuration) {
  const std::string parameters = parameter_bytes(configuration.parameters);
  const auto known = group.file_of.find(parameters);
  if (known == group.file_of.end() || known->second->is_gone) return std::nullopt;
  if (const LoadedProgram loaded = load(group, *known->second)) {
    const std::vector<StoredConfiguration>& all = loaded->header.configurations;
    const auto one = std::ranges::find(all, parameters, &StoredConfiguration::parameters);
    if (one != all.end()) {
      // Whoever holds the program keeps all of the file's contents loaded.
      return CompiledConfiguration{std::shared_ptr<const Program>(loaded, &loaded->program),
                                   one->kernel_entry, one->init_entries, one->check_entries,
                                   diagnostics_of(one->warnings, configuration.pattern->source)};
    }
  }
  group.forget(known->second->name);
  return std::nullopt;
}

std::vector<std::optional<CompiledConfiguration>> ProgramCache::find(
    std::span<const Configuration> configurations, std::string_view identity) {
  std::vector<std::optional<CompiledConfiguration>> results(configurations.size());
  const std::scoped_lock lock(mutex_);
  try {
    const Pattern* pattern = nullptr;
    Group* group = nullptr;
    bool is_fresh = false;
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      if (configurations[i].pattern.get() != pattern) {
        pattern = configurations[i].pattern.get();
        group = &group_of(configurations[i].pattern, identity);
        is_fresh = false;
      }
      results[i] = find_one(*group, configurations[i]);
      if (results[i] || is_fresh || !group->is_kept) continue;
      read_new_files(*group);
      is_fresh = true;
      results[i] = find_one(*group, configurations[i]);
    }
  } catch (const std::exception& error) {
    note(fmt::format("cannot be read: {}", error.what()));
  }
  return results;
}

CacheClaims ProgramCache::claim(std::span<const Configuration> configurations,
                                std::string_view identity) {
  if (configurations.empty()) return {};
  std::string group_name;
  {
    const std::scoped_lock lock(mutex_);
    const Group& group = group_of(configurations.front().pattern, identity);
    if (!is_writable_ || !group.is_kept) return {};
    group_name = group.folder;
  }
  std::vector<std::string> texts;
  for (const Configuration& configuration : configurations) {
    texts.push_back(group_name + parameter_bytes(configuration.parameters));
  }
  return {folder_, texts};
}

void ProgramCache::add(std::span<const Configuration> configurations,
                       std::span<const CompileOutcome> outcomes, std::string_view identity) {
  std::string failure;
  try {
    std::map<const Program*, ProgramHeader> headers;
    for (std::size_t i = 0; i < std::min(configurations.size(), outcomes.size()); ++i) {
      const auto* compiled = std::get_if<CompiledConfiguration>(&outcomes[i]);
      if (compiled == nullptr) continue;
      headers[compiled->program.get()].configurations.push_back(
          stored(configurations[i], *compiled));
    }
    if (headers.empty()) return;
    std::unique_lock lock(mutex_);
    if (!is_writable_) return;
    Group& group = group_of(configurations.front().pattern, identity);
    if (!group.is_kept) return;
    for (auto& [program, header] : headers) {
      // A group's key and folder never change, so that the file is written without the lock.
      lock.unlock();
      header.key = group.key;
      header.written_ns = now_ns();
      std::string all_parameters;
      for (const auto& one : header.configurations) all_parameters += one.parameters;
      const std::string name = program_file_name(hash_name(all_parameters));
      const std::string bytes = program_file_bytes(header, *program);
      const bool is_kept = bytes.size() <= settings_.limit;
      if (is_kept) folder_.write(group.folder, name, bytes);
      lock.lock();
      if (!is_writable_) return;
      if (!is_kept) continue;
      group.add(name, header);
      shrink_if_due(bytes.size());
    }
    return;
  } catch (const std::system_error& error) {
    failure = error.code().message();
  } catch (const std::exception& error) {
    failure = error.what();
  }
  const std::scoped_lock lock(mutex_);
  is_writable_ = false;
  note("cannot be written: " + failure);
}

void ProgramCache::shrink_if_due(std::uint64_t added) {
  // Other processes add too, so that the size is looked at again even before it could be passed.
  const std::uint64_t share = settings_.limit / 16;
  added_ += added;
  const bool is_due = !bytes_ || added_ > share || *bytes_ + added_ > settings_.limit;
  if (!is_due) return;
  bytes_ = shrink_cache(folder_, settings_.limit);
  added_ = 0;
}

}  // namespace sweep
