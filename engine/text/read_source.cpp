#include "engine/text/read_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/system/file_descriptor.h"
#include "engine/text/characters.h"
#include "engine/text/text_limits.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

[[noreturn]] void fail_file(const std::filesystem::path& path, const std::string& why,
                            bool is_missing = false) {
  throw FileError(fmt::format("{}: {}", path.string(), why), is_missing);
}

[[noreturn]] void fail_to_read(const std::filesystem::path& path) {
  fail_file(path, fmt::format("cannot be read: {}", std::strerror(errno)));
}

void require_file(const std::filesystem::path& path, mode_t mode, bool or_pipe) {
  if (S_ISREG(mode) || (or_pipe && S_ISFIFO(mode))) return;
  fail_file(path,
            fmt::format("this is not a file but {}", S_ISFIFO(mode)   ? "a pipe"
                                                     : S_ISDIR(mode)  ? "a folder"
                                                     : S_ISSOCK(mode) ? "a socket"
                                                                      : "a device"),
            true);
}

/// `status` becomes the opened file's or pipe's.
FileDescriptor open_file(const std::filesystem::path& path, struct stat& status) {
  // What a name stands for is seen before opening it: to open a device may have effects.
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) fail_file(path, "no such file", true);
    fail_to_read(path);
  }
  require_file(path, status.st_mode, true);
  // A pipe that nobody writes to would block.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file || ::fstat(file.get(), &status) != 0) fail_to_read(path);
  require_file(path, status.st_mode, true);
  return file;
}

/// How many bytes were read: 0 at the end.
std::size_t read_some(const FileDescriptor& file, const std::filesystem::path& path, bool is_pipe,
                      char* bytes, std::size_t count) {
  constexpr int milliseconds = 1000;
  for (;;) {
    pollfd waiting = {file.get(), POLLIN, 0};
    const int ready = is_pipe ? ::poll(&waiting, 1, text_limits::pipe_seconds * milliseconds) : 1;
    if (ready < 0 && errno != EINTR) fail_to_read(path);
    if (ready == 0) {
      fail_file(path,
                fmt::format("nothing came through this pipe for {} s", text_limits::pipe_seconds));
    }
    const ssize_t result = ::read(file.get(), bytes, count);
    if (result >= 0) return static_cast<std::size_t>(result);
    if (errno != EINTR && !(is_pipe && errno == EAGAIN)) fail_to_read(path);
  }
}

constexpr const char* save_as_text = "save the file as UTF-8 text";

bool is_refused_control(unsigned char byte, TextKind kind) {
  if (kind == TextKind::code) return byte == 0;
  return byte == 0x7F || (byte < 0x20 && byte != '\t' && byte != '\r' && byte != '\n');
}

}  // namespace

SourcePtr read_source(const std::filesystem::path& path) {
  return std::make_shared<Source>(
      Source{path.string(), read_bounded(path, text_limits::file_bytes, "a pattern or sweep")});
}

std::string read_bounded(const std::filesystem::path& path, std::uintmax_t most,
                         std::string_view kind) {
  struct stat status = {};
  const FileDescriptor file = open_file(path, status);
  const bool is_pipe = S_ISFIFO(status.st_mode);
  // A file may say 0 where it has more, as those of /proc do.
  const auto size = is_pipe ? 0 : static_cast<std::uintmax_t>(std::max<off_t>(status.st_size, 0));
  const auto refuse = [&](std::string_view found) {
    fail_file(path,
              fmt::format("{} is more than {} can have ({})", found, kind, format_bytes(most)));
  };
  if (size > most) refuse(format_bytes(size));
  std::string text;
  constexpr std::size_t piece = 1U << 16U;
  for (std::size_t wanted = std::max(size + 1, piece);; wanted = piece) {
    const std::size_t before = text.size();
    text.resize(before + wanted);
    const std::size_t count = read_some(file, path, is_pipe, text.data() + before, wanted);
    text.resize(before + count);
    if (count == 0) return text;
    if (text.size() > most) refuse("this");
  }
}

void require_regular_file(const std::filesystem::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) fail_file(path, "no such file", true);
  require_file(path, status.st_mode, false);
}

bool check_text(const SourcePtr& source, std::size_t begin, std::size_t end, TextKind kind,
                Diagnostics& diagnostics) {
  const std::string_view text = std::string_view(source->text).substr(0, end);
  const auto refuse = [&](std::size_t at, std::string message, const char* help) {
    diagnostics.error(location_at(source, at), std::move(message), help);
    return false;
  };
  for (std::size_t at = begin; at < text.size();) {
    const std::size_t length = character_length(text.substr(at));
    const auto byte = static_cast<unsigned char>(text[at]);
    if (length == 0) {
      return refuse(at, fmt::format("this byte (0x{:02X}) is not UTF-8 text", byte), save_as_text);
    }
    if (is_refused_control(byte, kind)) {
      return refuse(at, fmt::format("a control character (0x{:02X}) stands here", byte),
                    save_as_text);
    }
    if (byte == '\r' && (at + 1 >= source->text.size() || source->text[at + 1] != '\n')) {
      return refuse(at, "a carriage return without a line feed stands here",
                    "save the file with line ends of LF or CRLF");
    }
    at += length;
  }
  return true;
}

}  // namespace sweep
