#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/jit/cache_folder.h"
#include "engine/jit/compiler.h"
#include "engine/text/byte_sequence.h"

namespace sweep {

/// Whether the pattern's text and included text hold everything that compiling it reads, the
/// toolkit's headers apart. Not so when its text asks for the date or whether a file is there. May
/// say no without need, since comments and strings count as well.
bool key_is_complete(const Pattern& pattern);

/// What decides how the configurations of a pattern compile, besides their parameters, as one text:
/// the pattern's name, path and source, the files beside it that it includes, and `identity`. Equal
/// keys have equal texts and different keys different ones.
std::string program_key(const Pattern& pattern, std::string_view identity);

/// Parameters as bytes: names, kinds and values, exactly.
std::string parameter_bytes(const Bindings& parameters);

/// The XXH3-128 of some bytes in 32 hexadecimal digits, as a file's name.
std::string hash_name(std::string_view bytes);

/// One configuration of a stored program.
struct StoredConfiguration {
  std::string parameters;  ///< as parameter_bytes gives them
  EntryNames entries;
  std::vector<Diagnostic> warnings;  ///< all about the pattern's source, which is not stored
};

/// What a program's file says of it.
struct ProgramHeader {
  std::string key;              ///< as program_key gives it
  std::int64_t written_ns = 0;  ///< since 1970
  std::vector<StoredConfiguration> configurations;
};

/// A program's file: magic, version, the XXH3 of what follows, and this.
struct StoredProgram {
  ProgramHeader header;
  Program program;
};

/// Reads an open file. Throws DamagedBytes for one that is not whole or of another version,
/// std::system_error when reading fails.
StoredProgram read_program(int file);

/// What is in a cache.
struct CacheContents {
  std::uint64_t programs = 0;
  std::uint64_t configurations = 0;
  std::uint64_t bytes = 0;                    ///< temporary files included
  std::optional<std::int64_t> oldest_use_ns;  ///< since 1970
  std::optional<std::int64_t> newest_use_ns;
};

/// Throws std::system_error for a folder that cannot be used.
CacheContents cache_contents(const CacheFolder& folder);

struct CacheSettings {
  std::filesystem::path folder;
  std::uint64_t limit = std::uint64_t{1} << 30U;  ///< of the files' sizes together, in bytes
};

/// Compiled programs on disk, so that a configuration is compiled once. A configuration is found
/// only if its parameters, its pattern's name, path and text, the texts that the pattern includes
/// and the identity are all the same, byte by byte; patterns that include what cannot be compared
/// (see key_is_complete) are not kept.
///
/// Safe to use from several threads, and the folder by several processes. A disk that cannot be
/// used is no error: then nothing is found or kept, and `problem` says why. After writing failed
/// once no more is written.
class ProgramCache {
 public:
  explicit ProgramCache(CacheSettings settings);

  /// What is known of each configuration, by what other processes have added meanwhile too.
  /// `identity` is everything besides the configurations that decides how they compile: the
  /// compiler, its options and headers. Configurations of one program share it.
  std::vector<std::optional<CompiledConfiguration>> find(
      std::span<const Configuration> configurations, std::string_view identity);

  /// Keeps what was compiled of one pattern; failures are not kept. A file per program.
  void add(std::span<const Configuration> configurations, std::span<const CompileOutcome> outcomes,
           std::string_view identity);

  /// Claims those of these configurations, of one pattern, that no other process is compiling now.
  /// Keep it while compiling and adding them: then the others find them, who wait for it.
  CacheClaims claim(std::span<const Configuration> configurations, std::string_view identity);

  /// What first went wrong with the disk, as a sentence; empty when nothing did.
  std::string problem() const;

 private:
  using LoadedProgram = std::shared_ptr<const StoredProgram>;
  struct File {
    std::int64_t written_ns = 0;                ///< since 1970
    std::weak_ptr<const StoredProgram> loaded;  ///< while somebody holds it
  };
  /// What is known of one pattern and identity.
  struct Group {
    std::string key;
    std::string folder;
    bool is_kept = false;               ///< whether its key is complete
    std::map<std::string, File> files;  ///< by their names; without those removed or damaged
    /// By a configuration's parameters the newest file that has it.
    std::unordered_map<std::string, std::string> file_of;

    void add(const std::string& name, const ProgramHeader& header);
  };

  Group& group_of(const PatternPtr& pattern, std::string_view identity);
  void read_new_files(Group& group);
  std::optional<CompiledConfiguration> find_one(Group& group, const Configuration& configuration);
  void add_reference(std::optional<CompiledConfiguration>& found,
                     const Configuration& configuration, std::string_view identity);
  void keep_references(std::span<const Configuration> configurations,
                       std::span<const CompileOutcome> outcomes, std::string_view identity);
  LoadedProgram load(Group& group, const std::string& name);
  void read_file(const Group& group, const std::string& name, const std::function<void(int)>& use);
  void shrink_if_due(std::uint64_t added);
  void note(std::string_view problem);

  const CacheSettings settings_;
  const CacheFolder folder_;

  mutable std::mutex mutex_;
  /// By pattern, which is held so that its pointer is not used for another one, and identity.
  std::map<std::pair<PatternPtr, std::string>, Group> groups_;
  std::deque<LoadedProgram> recent_;  ///< the one used last at the end
  std::uint64_t recent_bytes_ = 0;
  std::optional<std::uint64_t> bytes_;  ///< on disk when last looked at
  std::uint64_t added_ = 0;             ///< bytes since then
  bool is_writable_ = true;
  std::string problem_;
};

}  // namespace sweep
