#include "engine/text/read_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/text/characters.h"
#include "engine/text/text_limits.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

[[noreturn]] void fail_file(const std::filesystem::path& path, const std::string& why,
                            bool is_missing = false) {
  throw FileError(fmt::format("{}: {}", path.string(), why), is_missing);
}

[[noreturn]] void fail_to_read(const std::filesystem::path& path, int error) {
  fail_file(path, fmt::format("cannot be read: {}", std::strerror(error)));
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

class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& path) : path_(path) {
    // What a name stands for is seen before opening it: to open a device may have effects.
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0) {
      if (errno == ENOENT || errno == ENOTDIR) fail_file(path, "no such file", true);
      fail_to_read(path, errno);
    }
    require_file(path, status.st_mode, true);
    // A pipe that nobody writes to would block.
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) fail_to_read(path, errno);
    require_file(path, status.st_mode, true);
    is_pipe_ = S_ISFIFO(status.st_mode);
    size_ = is_pipe_ ? 0 : static_cast<std::uintmax_t>(std::max<off_t>(status.st_size, 0));
  }
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  /// What the file says, which may be 0 where it does not say: as those of /proc and pipes.
  std::uintmax_t size() const { return size_; }

  /// 0 at the end.
  std::size_t read_some(char* bytes, std::size_t count) const {
    for (;;) {
      if (is_pipe_) wait();
      const ssize_t result = ::read(descriptor_, bytes, count);
      if (result >= 0) return static_cast<std::size_t>(result);
      if (errno != EINTR && !(is_pipe_ && errno == EAGAIN)) fail_to_read(path_, errno);
    }
  }

 private:
  void wait() const {
    constexpr int milliseconds = 1000;
    pollfd waiting = {descriptor_, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, text_limits::pipe_seconds * milliseconds);
    if (ready < 0 && errno != EINTR) fail_to_read(path_, errno);
    if (ready != 0) return;
    fail_file(path_,
              fmt::format("nothing came through this pipe for {} s", text_limits::pipe_seconds));
  }

  const std::filesystem::path& path_;
  int descriptor_ = -1;
  bool is_pipe_ = false;
  std::uintmax_t size_ = 0;
};

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
  const OpenFile file(path);
  const auto refuse = [&](std::string_view size) {
    fail_file(path,
              fmt::format("{} is more than {} can have ({})", size, kind, format_bytes(most)));
  };
  if (file.size() > most) refuse(format_bytes(file.size()));
  std::string text;
  constexpr std::size_t piece = 1U << 16U;
  for (std::size_t wanted = std::max(static_cast<std::size_t>(file.size()) + 1, piece);;
       wanted = piece) {
    const std::size_t before = text.size();
    text.resize(before + wanted);
    const std::size_t count = file.read_some(text.data() + before, wanted);
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
