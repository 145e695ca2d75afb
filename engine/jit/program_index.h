#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/jit/program_file.h"

namespace sweep {

/// A program's file and the configurations in it.
struct IndexedProgram {
  std::string name;             ///< of the file
  std::int64_t written_ns = 0;  ///< since 1970
  std::vector<std::string> parameters;
  std::weak_ptr<const StoredProgram> loaded;  ///< while somebody holds it
};

/// Which of a group's files has a configuration. Of several the newest.
class ProgramIndex {
 public:
  struct Place {
    std::shared_ptr<IndexedProgram> program;
    std::size_t position = 0;  ///< among the file's configurations
  };

  /// Takes the place of a file of the same name.
  void add(std::shared_ptr<IndexedProgram> program);
  /// Nothing in that file is found any more.
  void forget(const std::string& name);
  /// Whether it has a file of this name.
  bool has(const std::string& name) const { return programs_.contains(name); }
  /// Null when no file has the configuration.
  const Place* find(std::string_view parameters) const;

 private:
  std::map<std::string, std::shared_ptr<IndexedProgram>> programs_;
  // The keys are views of texts that the places' programs hold.
  std::unordered_map<std::string_view, Place> places_;
};

}  // namespace sweep
