#include "engine/text/read_source.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "engine/text/units.h"

namespace sweep {

SourcePtr read_source(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw FileError(fmt::format("{}: no such file", path.string()), true);
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw FileError(fmt::format("{}: this is not a file", path.string()), true);
  }
  constexpr std::uintmax_t largest = 16U << 20U;
  const auto size = std::filesystem::file_size(path, error);
  if (!error && size > largest) {
    throw FileError(fmt::format("{}: {} is more than a pattern or sweep can have ({})",
                                path.string(), format_bytes(size), format_bytes(largest)),
                    false);
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (size > 0 || error) text << file.rdbuf();
  if (!file || !text) {
    throw FileError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)),
                    false);
  }
  return std::make_shared<Source>(Source{path.string(), std::move(text).str()});
}

}  // namespace sweep
