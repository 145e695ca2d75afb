#include "engine/jit/program_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <system_error>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sweep {

constexpr Severity last_choice(Severity /*severity*/) {
  return Severity::note;
}

void serialize(ByteWriter& bytes, const ElementType& type) {
  bytes.text(type.name());
}

void serialize(auto& /*archive*/, const SourcePtr& /*source*/) {}

namespace {

/// Files of other versions are not read. Part of every key, so that versions do not meet.
constexpr std::uint32_t program_file_version = 4;

std::uint64_t checksum(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace

bool key_is_complete(const Pattern& pattern) {
  constexpr std::array words = {"__has_include", "__DATE__", "__TIME__", "__TIMESTAMP__"};
  return std::ranges::none_of(words, [&](const char* name) {
    return pattern.source->text.find(name) != std::string::npos ||
           pattern.included_text.find(name) != std::string::npos;
  });
}

std::string program_key(const Pattern& pattern, std::string_view identity) {
  ByteWriter bytes;
  bytes(program_file_version, pattern.name, pattern.path.native(), pattern.source->name,
        pattern.source->text, pattern.included_text, pattern.rules_text);
  for (const IncludeName& name : pattern.included.in_body) bytes.text(name.target);
  for (const IncludedFile& file : pattern.included.files) {
    bytes.text(file.name);
    for (const IncludeName& name : file.names) bytes.text(name.target);
  }
  bytes.text(identity);
  return bytes.take();
}

std::string parameter_bytes(const Bindings& parameters) {
  ByteWriter bytes;
  for (const auto& [name, value] : parameters.entries()) bytes(name, value);
  return bytes.take();
}

std::string hash_name(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

StoredProgram read_program(int file) {
  // Far above what NVRTC makes of the largest batch; nothing larger is read into memory.
  constexpr off_t largest = off_t{1} << 30;
  struct stat status = {};
  if (fstat(file, &status) != 0) throw std::system_error(errno, std::generic_category());
  if (status.st_size > largest) throw DamagedBytes("it is too large");
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  for (std::size_t size = 0; size < bytes.size();) {
    const ssize_t got =
        pread(file, bytes.data() + size, bytes.size() - size, static_cast<off_t>(size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw std::system_error(errno, std::generic_category());
    if (got == 0) throw DamagedBytes("it ends too soon");
    size += static_cast<std::size_t>(got);
  }
  if (!bytes.starts_with(program_file_magic)) throw DamagedBytes("it is no program's file");
  constexpr std::size_t head_bytes = program_file_magic.size() + 12;
  if (bytes.size() < head_bytes) throw DamagedBytes("it ends too soon");
  ByteReader reader(std::string_view(bytes).substr(program_file_magic.size()));
  if (reader.number<std::uint32_t>() != program_file_version) {
    throw DamagedBytes("of another version");
  }
  const auto expected = reader.number<std::uint64_t>();
  if (checksum(reader.rest()) != expected) throw DamagedBytes("its checksum is wrong");
  return decode_message<StoredProgram>(reader.rest());
}

/// Takes the place of a file of the same name, which has the same configurations.
void ProgramCache::Group::add(const std::string& name, const ProgramHeader& header) {
  files[name] = {header.written_ns, {}};
  for (const StoredConfiguration& one : header.configurations) {
    std::string& known = file_of[one.parameters];
    const auto file = files.find(known);
    if (file == files.end() || file->second.written_ns <= header.written_ns) known = name;
  }
}

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

std::string program_file_bytes(const ProgramHeader& header, const Program& program) {
  ByteWriter contents;
  contents(header, program);
  ByteWriter begin;
  begin(program_file_version, checksum(contents.bytes()));
  return std::string(program_file_magic) + begin.bytes() + contents.bytes();
}

/// 0 for a damaged file.
std::uint64_t configurations_in(const FileDescriptor& file) try {
  return file ? read_program(file.get()).header.configurations.size() : 0;
} catch (const DamagedBytes&) {
  return 0;
}

}  // namespace

CacheContents cache_contents(const CacheFolder& folder) {
  CacheContents contents;
  for (const CacheFile& file : folder.files()) {
    contents.bytes += file.bytes;
    if (file.is_temporary) continue;
    ++contents.programs;
    contents.configurations += configurations_in(folder.open(file.group, file.name));
    contents.oldest_use_ns = std::min(contents.oldest_use_ns.value_or(file.used_ns), file.used_ns);
    contents.newest_use_ns = std::max(contents.newest_use_ns.value_or(file.used_ns), file.used_ns);
  }
  return contents;
}

ProgramCache::ProgramCache(CacheSettings settings)
    : settings_(std::move(settings)), folder_(settings_.folder) {}

std::string ProgramCache::problem() const {
  const std::scoped_lock lock(mutex_);
  return problem_;
}

void ProgramCache::note(std::string_view problem) {
  if (!problem_.empty()) return;
  problem_ =
      fmt::format("the cache of compiled programs in {} {}", settings_.folder.string(), problem);
}

ProgramCache::Group& ProgramCache::group_of(const PatternPtr& pattern, std::string_view identity) {
  const auto [entry, is_new] = groups_.try_emplace({pattern, std::string(identity)});
  Group& group = entry->second;
  if (is_new) {
    group.key = program_key(*pattern, identity);
    group.folder = hash_name(group.key);
    group.is_kept = key_is_complete(*pattern);
    if (group.is_kept) read_new_files(group);
  }
  return group;
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

ProgramCache::LoadedProgram ProgramCache::load(Group& group, const std::string& name) {
  std::weak_ptr<const StoredProgram>& loaded = group.files.at(name).loaded;
  LoadedProgram program = loaded.lock();
  if (program != nullptr) {
    // What is used stays longest.
    const auto kept = std::ranges::find(recent_, program);
    if (kept != recent_.end()) std::rotate(kept, std::next(kept), recent_.end());
    return program;
  }
  read_file(group, name, [&](int file) {
    auto stored = std::make_shared<const StoredProgram>(read_program(file));
    if (stored->header.key != group.key) return;
    touch(file);
    program = std::move(stored);
  });
  if (program == nullptr) return nullptr;
  loaded = program;
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
  if (known == group.file_of.end() || !group.files.contains(known->second)) return std::nullopt;
  if (const LoadedProgram loaded = load(group, known->second)) {
    const std::vector<StoredConfiguration>& all = loaded->header.configurations;
    const auto one = std::ranges::find(all, parameters, &StoredConfiguration::parameters);
    if (one != all.end()) {
      Diagnostics warnings;
      for (Diagnostic warning : one->warnings) {
        warning.where.source = configuration.pattern->source;
        warnings.add(std::move(warning));
      }
      // Whoever holds the program keeps all of the file's contents loaded.
      return CompiledConfiguration{std::shared_ptr<const Program>(loaded, &loaded->program),
                                   one->entries, std::move(warnings)};
    }
  }
  group.files.erase(known->second);
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
      if (!results[i] && !is_fresh && group->is_kept) {
        read_new_files(*group);
        is_fresh = true;
        results[i] = find_one(*group, configurations[i]);
      }
      if (pattern->reference != nullptr) add_reference(results[i], configurations[i], identity);
    }
  } catch (const std::exception& error) {
    note(fmt::format("cannot be read: {}", error.what()));
  }
  return results;
}

/// What is found without its pattern's reference does not count.
void ProgramCache::add_reference(std::optional<CompiledConfiguration>& found,
                                 const Configuration& configuration, std::string_view identity) {
  if (!found) return;
  const Configuration reference = reference_of(configuration);
  Group& group = group_of(reference.pattern, identity);
  auto compiled = find_one(group, reference);
  if (!compiled && group.is_kept) {
    read_new_files(group);
    compiled = find_one(group, reference);
  }
  if (compiled) {
    found->reference = std::make_shared<const CompiledConfiguration>(std::move(*compiled));
  } else {
    found.reset();
  }
}

/// Adds the references that are not known yet.
void ProgramCache::keep_references(std::span<const Configuration> configurations,
                                   std::span<const CompileOutcome> outcomes,
                                   std::string_view identity) {
  std::set<std::string> taken;  // their parameters
  std::vector<Configuration> references;
  std::vector<CompileOutcome> compiled;
  for (std::size_t i = 0; i < std::min(configurations.size(), outcomes.size()); ++i) {
    const auto* outcome = std::get_if<CompiledConfiguration>(&outcomes[i]);
    if (outcome == nullptr || outcome->reference == nullptr) continue;
    Configuration reference = reference_of(configurations[i]);
    std::string parameters = parameter_bytes(reference.parameters);
    const std::scoped_lock lock(mutex_);
    const bool is_known = group_of(reference.pattern, identity).file_of.contains(parameters);
    if (is_known || !taken.insert(std::move(parameters)).second) continue;
    references.push_back(std::move(reference));
    compiled.emplace_back(*outcome->reference);
  }
  if (!references.empty()) add(references, compiled, identity);
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
  if (configurations.empty()) return;
  if (configurations.front().pattern->reference != nullptr) {
    keep_references(configurations, outcomes, identity);
  }
  std::string failure;
  try {
    std::map<const Program*, ProgramHeader> headers;
    for (std::size_t i = 0; i < std::min(configurations.size(), outcomes.size()); ++i) {
      const auto* compiled = std::get_if<CompiledConfiguration>(&outcomes[i]);
      if (compiled == nullptr) continue;
      headers[compiled->program.get()].configurations.push_back(
          {parameter_bytes(configurations[i].parameters), compiled->entries,
           compiled->warnings.list()});
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
      const std::string name = hash_name(all_parameters).append(program_ending);
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
  bytes_ = folder_.shrink(settings_.limit);
  added_ = 0;
}

}  // namespace sweep
