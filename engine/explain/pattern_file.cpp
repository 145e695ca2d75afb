#include "engine/explain/pattern_file.h"

#include <filesystem>

#include "engine/spec/compiler_file_name.h"

namespace sweep {

bool is_file_of(const Pattern& pattern, const std::string& file) {
  const auto plain = [](const std::string& name) {
    return std::filesystem::absolute(name).lexically_normal();
  };
  return !file.empty() && plain(file) == plain(compiler_file_name(pattern.source->name));
}

}  // namespace sweep
