#include "engine/spec/data_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <mutex>
#include <string_view>

#include "engine/spec/included_files.h"
#include "engine/text/read_source.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

std::int64_t written_at(const struct stat& status) {
  constexpr std::int64_t nanoseconds = 1'000'000'000;
  return status.st_mtim.tv_sec * nanoseconds + status.st_mtim.tv_nsec;
}

FileError failed_read(const std::string& path) {
  return {fmt::format("{}: cannot be read: {}", path, std::strerror(errno)), errno == ENOENT};
}

FileDescriptor open_status(const std::string& path, struct stat& status) {
  require_regular_file(path);
  FileDescriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!opened || ::fstat(opened.get(), &status) != 0) throw failed_read(path);
  return opened;
}

/// Reads the file from `at` on, as far as it goes; gives how much that is.
std::size_t read_at(const FileDescriptor& opened, const std::string& path, std::uint64_t at,
                    std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::pread(opened.get(), bytes.data() + done, bytes.size() - done,
                                  static_cast<off_t>(at + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw failed_read(path);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

constexpr std::string_view npy_magic = "\x93NUMPY";

/// NumPy's scalars that element types stand for: their kind and bytes, and how many of the type one
/// is.
struct NumpyType {
  std::string_view kind;
  std::string_view type;
  unsigned components = 1;
};
constexpr NumpyType numpy_types[] = {{"i1", "int8_t"},   {"u1", "uint8_t"},   {"b1", "bool"},
                                     {"i2", "int16_t"},  {"u2", "uint16_t"},  {"i4", "int32_t"},
                                     {"u4", "uint32_t"}, {"i8", "int64_t"},   {"u8", "uint64_t"},
                                     {"f2", "half"},     {"f4", "float"},     {"f8", "double"},
                                     {"c8", "float", 2}, {"c16", "double", 2}};

/// Reads the dictionary of a .npy file, {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)},
/// by the few forms of Python that NumPy writes.
class DictionaryReader {
 public:
  explicit DictionaryReader(std::string_view text) : rest_(text) {}

  std::string descr;
  bool is_fortran_order = false;
  std::vector<std::uint64_t> shape;

  /// False where it is another text.
  bool read() {
    if (!skip('{')) return false;
    int known = 0;
    while (!skip('}')) {
      const auto key = read_text();
      if (!key || !skip(':') || !read_value(*key)) return false;
      ++known;
      if (!skip(',') && !rest_.starts_with('}')) return false;
    }
    return known == 3 && has_shape_;
  }

 private:
  bool read_value(const std::string& key) {
    if (key == "descr") {
      // A structured type is a list.
      if (is_next('[')) {
        descr = "[";
        return skip_list();
      }
      const auto text = read_text();
      descr = text.value_or("");
      return text.has_value();
    }
    if (key == "fortran_order") {
      is_fortran_order = skip_word("True");
      return is_fortran_order || skip_word("False");
    }
    return key == "shape" && read_shape();
  }

  bool is_next(char c) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
    return rest_.starts_with(c);
  }
  bool skip(char c) {
    if (!is_next(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool skip_word(std::string_view word) {
    is_next(' ');
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool skip_list() {
    int depth = 0;
    do {
      if (rest_.empty()) return false;
      if (rest_.front() == '[' || rest_.front() == '(') ++depth;
      if (rest_.front() == ']' || rest_.front() == ')') --depth;
      rest_.remove_prefix(1);
    } while (depth > 0);
    return true;
  }
  std::optional<std::string> read_text() {
    if (!is_next('\'') && !is_next('"')) return std::nullopt;
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool read_shape() {
    has_shape_ = true;
    if (!skip('(')) return false;
    while (!skip(')')) {
      is_next(' ');
      std::uint64_t extent = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc{}) return false;
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      skip_word("L");  // as Python 2 wrote long integers
      shape.push_back(extent);
      if (!skip(',') && !is_next(')')) return false;
    }
    return true;
  }

  std::string_view rest_;
  bool has_shape_ = false;
};

class DataFileReader {
 public:
  DataFileReader(DataFile& file, Diagnostics& diagnostics)
      : file_(file), diagnostics_(diagnostics) {}

  bool read() {
    struct stat status = {};
    const FileDescriptor opened = open_status(file_.bytes.path, status);
    file_.bytes.size = static_cast<std::uint64_t>(status.st_size);
    file_.bytes.written = written_at(status);
    std::vector<std::byte> begin(std::min<std::uint64_t>(file_.bytes.size, most_header));
    begin.resize(read_at(opened, file_.bytes.path, 0, begin));
    const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
    const bool is_npy = text.starts_with(npy_magic);
    if (is_npy) {
      return file_.raw_type.empty() ||
                     refuse("says its type itself", "leave 'type' out: it is a .npy file")
                 ? read_npy(text)
                 : false;
    }
    if (!file_.raw_type.empty()) return true;
    return refuse("is no .npy file: it does not begin with \\x93NUMPY",
                  fmt::format("write one with numpy.save, or say what its bytes are: "
                              "{{file: {}, type: float}}",
                              file_.name));
  }

 private:
  static constexpr std::uint64_t most_header = 1U << 16U;

  bool refuse(const std::string& why, const std::string& help) {
    diagnostics_.error(file_.where, fmt::format("{} {}", file_.name, why), help);
    return false;
  }

  bool read_npy(std::string_view text) {
    constexpr const char* save = "write it with numpy.save";
    const auto byte = [&](std::size_t at) {
      return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
    };
    const unsigned version = byte(npy_magic.size());
    if (version < 1 || version > 3) {
      return refuse(fmt::format("has version {}.{} of the .npy format; 1.0 to 3.0 can be read",
                                version, byte(npy_magic.size() + 1)),
                    save);
    }
    // The length of the dictionary has two bytes, or four from version 2.0 on.
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    std::size_t at = npy_magic.size() + 2;
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < length_bytes; ++i) length |= std::uint64_t{byte(at + i)} << 8 * i;
    at += length_bytes;
    DictionaryReader dictionary(text.substr(std::min(at, text.size()), length));
    if (at + length > text.size() || !dictionary.read()) {
      return refuse("has a header that cannot be read", save);
    }
    file_.bytes.begin = at + length;
    return read_type(dictionary.descr) && read_shape(dictionary);
  }

  bool read_type(std::string_view descr) {
    if (descr.starts_with('[')) {
      return refuse("is a structured array, of which there is no type here",
                    "write its bytes with array.tofile and give their type");
    }
    const std::string_view kind = descr.substr(std::min<std::size_t>(descr.size(), 1));
    if (descr.starts_with('>') && !kind.ends_with('1')) {
      return refuse(fmt::format("is big-endian ({})", descr),
                    fmt::format("save array.astype('<{}')", kind));
    }
    const auto known = std::ranges::find(numpy_types, kind, &NumpyType::kind);
    if (known != std::end(numpy_types)) {
      file_.scalar = ElementType::find(known->type);
      file_.scalar_bytes = file_.scalar->size();
      file_.count = known->components;
      return true;
    }
    const auto [end, error] =
        std::from_chars(kind.data() + 1, kind.data() + kind.size(), file_.scalar_bytes);
    file_.count = 1;
    if (kind.starts_with('V') && error == std::errc{} && file_.scalar_bytes > 0) return true;
    return refuse(
        fmt::format("has elements of NumPy's type '{}', of which there is none here", descr),
        "save array.astype(...) of an integer or floating-point type");
  }

  bool read_shape(const DictionaryReader& dictionary) {
    if (dictionary.is_fortran_order && dictionary.shape.size() > 1) {
      return refuse("is in Fortran order", "save numpy.ascontiguousarray(array)");
    }
    file_.shape =
        dictionary.shape.empty() ? "1" : fmt::format("{}", fmt::join(dictionary.shape, " x "));
    std::uint64_t bytes = 0;
    bool is_too_large = false;
    for (const std::uint64_t extent : dictionary.shape) {
      is_too_large |= __builtin_mul_overflow(file_.count, extent, &file_.count);
    }
    is_too_large |= __builtin_mul_overflow(file_.count, file_.scalar_bytes, &bytes);
    const std::uint64_t there = file_.bytes.size - std::min(file_.bytes.begin, file_.bytes.size);
    if (!is_too_large && bytes == there) return true;
    return refuse(
        fmt::format("has {} bytes behind its header, which says {}", format_thousands(there),
                    is_too_large ? "more than any file" : format_thousands(bytes)),
        "it was not written whole: write it with numpy.save, one array to a file");
  }

  DataFile& file_;
  Diagnostics& diagnostics_;
};

}  // namespace

FileDescriptor open_data(const FileBytes& file) {
  struct stat status = {};
  FileDescriptor opened = open_status(file.path, status);
  if (static_cast<std::uint64_t>(status.st_size) == file.size &&
      written_at(status) == file.written) {
    return opened;
  }
  throw FileError(fmt::format("{}: was written after the pattern was read", file.path), false);
}

void read_data(const FileDescriptor& opened, const FileBytes& file, std::uint64_t offset,
               std::span<std::byte> bytes) {
  if (read_at(opened, file.path, file.begin + offset, bytes) == bytes.size()) return;
  throw FileError(fmt::format("{}: ends too early", file.path), false);
}

struct DataFile::Contents {
  std::once_flag once;
  std::string hash;
};

namespace {

std::string hash_of(const FileBytes& file) {
  constexpr std::size_t piece = 1U << 22U;
  try {
    const FileDescriptor opened = open_data(file);
    const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                         XXH3_freeState);
    XXH3_128bits_reset(state.get());
    std::vector<std::byte> bytes(std::min<std::uint64_t>(piece, file.size));
    for (std::uint64_t at = 0; at < file.size; at += bytes.size()) {
      const std::size_t count = read_at(opened, file.path, at, bytes);
      XXH3_128bits_update(state.get(), bytes.data(), count);
    }
    const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  } catch (const FileError&) {
    return "unreadable";  // who fills a buffer with it says why
  }
}

/// Whether NumPy has a type for such elements, or for their components.
bool is_numpy_type(const ArrayType& type) {
  return type.element && std::ranges::find(numpy_types, type.element->scalar().name(),
                                           &NumpyType::type) != std::end(numpy_types);
}

}  // namespace

const std::string& DataFile::contents() const {
  std::call_once(known_contents->once, [this] { known_contents->hash = hash_of(bytes); });
  return known_contents->hash;
}

bool read_data_file(DataFile& file, const std::filesystem::path& pattern,
                    const std::vector<std::filesystem::path>& folders, Diagnostics& diagnostics) {
  std::vector<std::filesystem::path> allowed = folders;
  allowed.insert(allowed.begin(), pattern.parent_path());
  std::vector<std::filesystem::path> candidates;
  for (const std::filesystem::path& folder : allowed) candidates.push_back(folder / file.name);
  const FoundFile found = find_within(file.name, candidates, allowed);
  if (found.path.empty()) {
    diagnostics.error(file.where,
                      found.is_outside
                          ? fmt::format("{} is outside of the pattern's folder", file.name)
                          : fmt::format("there is no file {} in the pattern's folder", file.name),
                      "--include DIR lets patterns read the files of a folder");
    return false;
  }
  try {
    file.bytes.path = std::filesystem::canonical(found.path).string();
    file.known_contents = std::make_shared<DataFile::Contents>();
    return DataFileReader(file, diagnostics).read();
  } catch (const FileError& failure) {
    diagnostics.error(file.where, failure.what());
  } catch (const std::filesystem::filesystem_error& failure) {
    diagnostics.error(file.where, fmt::format("{}: cannot be read", file.name));
  }
  return false;
}

ArrayType type_of(const std::string& name, const Bindings& environment) {
  if (const auto type = ElementType::find(name)) return {type->name(), type, type->size()};
  if (const Value* value = environment.find(name)) {
    const auto type = std::get<ElementType>(*value);
    return {type.name(), type, type.size()};
  }
  const Value* size = environment.find("sizeof(" + name + ")");
  return {name, {}, static_cast<std::uint64_t>(std::get<std::int64_t>(*size))};
}

std::string why_not_fitting(const DataFile& file, const std::string& array, const ArrayType& type,
                            std::uint64_t length, const Bindings& environment) {
  ArrayType held = {"", file.scalar, file.scalar_bytes};
  std::uint64_t count = file.count;
  std::string shape = file.shape;
  if (!file.raw_type.empty()) {
    held = type_of(file.raw_type, environment);
    held.bytes = std::max<std::uint64_t>(held.bytes, 1);
    count = file.bytes.size / held.bytes;
    shape = format_thousands(count);
    if (file.bytes.size % held.bytes != 0) {
      return fmt::format("{} has {} bytes, which are no whole number of {} of {} bytes", file.name,
                         format_thousands(file.bytes.size), held.name, held.bytes);
    }
  } else {
    held.name = held.element ? held.element->name()
                             : fmt::format("{} bytes that NumPy has no name for", held.bytes);
  }
  // NumPy's truth values have a byte each.
  const bool is_byte = held.name == "bool" && type.name == "uint8_t";
  const bool is_scalar = is_byte || (type.element && held.element == type.element->scalar());
  const bool is_same = held.element            ? held.element == type.element
                       : file.raw_type.empty() ? held.bytes == type.bytes && !is_numpy_type(type)
                                               : held.name == type.name;
  const std::uint64_t components = is_same || !type.element ? 1 : type.element->components();
  if ((is_same || is_scalar) && count / components == length && count % components == 0) return {};
  return fmt::format("{} has {} elements of type {}, but {} has {} of type {}", file.name, shape,
                     held.name, array, format_thousands(length), type.name);
}

}  // namespace sweep
