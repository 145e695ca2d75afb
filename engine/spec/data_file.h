#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/system/file_descriptor.h"
#include "engine/text/diagnostic.h"
#include "engine/text/value.h"

namespace sweep {

/// The bytes of an array in a file, for whoever fills memory with them, in this process or another.
struct FileBytes {
  std::string path;          ///< absolute; empty: there is no file
  std::uint64_t begin = 0;   ///< where the array begins
  std::uint64_t size = 0;    ///< of the whole file
  std::int64_t written = 0;  ///< when it was written last, in nanoseconds since 1970

  friend bool operator==(const FileBytes&, const FileBytes&) = default;
};

/// Opens the file. Throws FileError where it is not there as it was when the pattern was read.
FileDescriptor open_data(const FileBytes& file);

/// Reads the array's bytes from `offset` on, without keeping any. Throws FileError.
void read_data(const FileDescriptor& opened, const FileBytes& file, std::uint64_t offset,
               std::span<std::byte> bytes);

/// An array in a file beside a pattern: NumPy's .npy, whose format says what it holds (versions 1.0
/// to 3.0: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html), or raw bytes.
struct DataFile {
  std::string name;  ///< as the header writes it
  Location where;
  /// Of raw bytes the type that the header gives: an element type, a parameter, or a struct.
  std::string raw_type = {};
  FileBytes bytes = {};
  std::optional<ElementType> scalar = {};  ///< of .npy; nothing: of a type that NumPy has not
  std::uint64_t scalar_bytes = 0;          ///< of .npy
  std::uint64_t count = 0;                 ///< of such scalars in a .npy file
  std::string shape = {};                  ///< of a .npy file: "32 x 64"

  /// A hash of the file's contents, which is read whole when this is first asked for; "unreadable"
  /// where that fails. Copies share it.
  const std::string& contents() const;

  struct Contents;
  std::shared_ptr<Contents> known_contents = nullptr;
};

/// Finds the file as included files are found, in the folder of the pattern and in `folders`, and
/// reads what it says of itself. False, with a message, where it is not there or is no such file.
bool read_data_file(DataFile& file, const std::filesystem::path& pattern,
                    const std::vector<std::filesystem::path>& folders, Diagnostics& diagnostics);

/// What the elements of an array in memory are.
struct ArrayType {
  std::string name;                    ///< "float4", "Particle"
  std::optional<ElementType> element;  ///< nothing: a struct
  std::uint64_t bytes = 0;
};

/// What a buffer's type means in a configuration (see environment_of): it is an element type, a
/// parameter or a struct.
ArrayType type_of(const std::string& name, const Bindings& environment);

/// Why the file does not hold `array` ("the buffer 'in'"), as a sentence about both; empty where it
/// does. A vector type's components may be scalars of the file, one after the other.
std::string why_not_fitting(const DataFile& file, const std::string& array, const ArrayType& type,
                            std::uint64_t length, const Bindings& environment);

}  // namespace sweep
