#include "engine/store/database_header.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include "engine/store/store.h"

namespace sweep {
namespace {

constexpr std::size_t header_size = 100;
constexpr std::size_t user_version_at = 60;
constexpr std::size_t application_id_at = 68;
constexpr std::string_view magic("SQLite format 3\0", 16);

std::int64_t big_endian(const std::array<char, header_size>& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes.at(i));
  }
  return static_cast<std::int32_t>(value);
}

}  // namespace

std::optional<DatabaseHeader> read_database_header(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  // To open a pipe would block.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw StoreError(
        fmt::format("'{}' is not a file, so no results database either", path.string()),
        StoreFault::not_a_store);
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::array<char, header_size> bytes = {};
  if (!file || (!file.read(bytes.data(), bytes.size()) && !file.eof())) {
    throw StoreError(
        fmt::format("the file '{}' cannot be read: {}", path.string(), std::strerror(errno)),
        StoreFault::inaccessible);
  }
  const auto size = static_cast<std::size_t>(file.gcount());
  if (size == 0) return std::nullopt;
  if (size < bytes.size() || std::string_view(bytes.data(), magic.size()) != magic) {
    throw StoreError(fmt::format("the file '{}' is not a results database", path.string()),
                     StoreFault::not_a_store);
  }
  return DatabaseHeader{big_endian(bytes, application_id_at), big_endian(bytes, user_version_at)};
}

}  // namespace sweep
