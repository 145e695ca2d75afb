#include "engine/explain/pattern_file.h"

#include <filesystem>

#include "engine/spec/included_files.h"

namespace sweep {

bool is_same_file(const std::string& name, const std::string& other) {
  const auto plain = [](const std::string& text) {
    return std::filesystem::absolute(text).lexically_normal();
  };
  return !other.empty() && plain(name) == plain(other);
}

bool is_file_of(const Pattern& pattern, const std::string& file) {
  return is_same_file(compiler_file_name(pattern.source->name), file);
}

}  // namespace sweep
