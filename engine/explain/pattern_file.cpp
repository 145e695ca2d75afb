#include "engine/explain/pattern_file.h"

#include <filesystem>

namespace sweep {

bool is_file_of(const Pattern& pattern, const std::string& file) {
  const auto plain = [](const std::string& name) {
    return std::filesystem::absolute(name).lexically_normal();
  };
  return !file.empty() && plain(file) == plain(pattern.source->name);
}

}  // namespace sweep
