#include "engine/spec/data_file.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/text/read_source.h"
#include "tests/numpy_file.h"
#include "tests/spec/spec_case.h"
#include "tests/temporary_folder.h"

namespace data = boost::unit_test::data;
namespace fs = std::filesystem;

namespace sweep::testing {
namespace {
namespace data_files {

constexpr const char* no_such = " | --include DIR lets patterns read the files of a folder";

/// A pattern's buffer, the file that has its first values, and the message of reading it.
struct Case {
  std::string buffer;
  std::string file;
  std::string expected;
  std::string named = "in.npy";

  friend std::ostream& operator<<(std::ostream& out, const Case& row) {
    return out << row.buffer << ": " << row.expected;
  }
};

const std::string zeros(1024, '\0');

std::string of(std::size_t bytes) {
  return zeros.substr(0, bytes);
}

const std::vector<Case> cases = {
    {"type: float, length: 6", npy("'<f4'", "(6,)", of(24)), ""},
    {"type: float, length: 6", npy("'<f4'", "(2, 3)", of(24), 2), ""},
    {"type: float, length: 6", npy("'<f4'", "(2L, 3L)", of(24), 3), ""},
    {"type: float, length: 1", npy("'<f4'", "()", of(4)), ""},
    {"type: float3, length: 2", npy("'<f4'", "(2, 3)", of(24)), ""},
    {"type: float2, length: 3", npy("'<c8'", "(3,)", of(24)), ""},
    {"type: half2, length: 3", npy("'<f2'", "(3, 2)", of(12)), ""},
    {"type: uint8_t, length: 3", npy("'|b1'", "(3,)", of(3)), ""},
    {"type: bool, length: 3", npy("'|b1'", "(3,)", of(3)), ""},
    {"type: bool, length: 3", npy("'|u1'", "(3,)", of(3)),
     "in.npy has 3 elements of type uint8_t, but the buffer 'in' has 3 of type bool | N=1"},
    {"type: bfloat16, length: 3", npy("'<V2'", "(3,)", of(6)), ""},
    {"type: Item, length: 2", npy("'|V12'", "(2,)", of(24)), ""},
    {"type: float, length: 6", npy("'<f4'", "(6,)", of(24), 1, "True"), ""},
    {"type: float, length: 6", npy("'<f4'", "(2, 3)", of(24), 1, "True"),
     "in.npy is in Fortran order | save numpy.ascontiguousarray(array)"},
    {"type: float, length: 6", npy("'>f4'", "(6,)", of(24)),
     "in.npy is big-endian (>f4) | save array.astype('<f4')"},
    {"type: float, length: 6", npy("'<U4'", "(6,)", of(96)),
     "in.npy has elements of NumPy's type '<U4', of which there is none here | save "
     "array.astype(...) of an integer or floating-point type"},
    {"type: float, length: 6", npy("[('a', '<f4'), ('b', '<i4')]", "(6,)", of(48)),
     "in.npy is a structured array, of which there is no type here | write its bytes with "
     "array.tofile and give their type"},
    {"type: float, length: 8", npy("'<f4'", "(2, 3)", of(24)),
     "in.npy has 2 x 3 elements of type float, but the buffer 'in' has 8 of type float | N=1"},
    {"type: float, length: 6", npy("'<f8'", "(6,)", of(48)),
     "in.npy has 6 elements of type double, but the buffer 'in' has 6 of type float | N=1"},
    {"type: float3, length: 3", npy("'<f4'", "(2, 4)", of(32)),
     "in.npy has 2 x 4 elements of type float, but the buffer 'in' has 3 of type float3 | N=1"},
    {"type: half, length: 3", npy("'<V2'", "(3,)", of(6)),
     "in.npy has 3 elements of type 2 bytes that NumPy has no name for, but the buffer 'in' has 3 "
     "of type half | N=1"},
    {"type: float, length: 6", npy("'<f4'", "(6,)", of(20)),
     "in.npy has 20 bytes behind its header, which says 24 | it was not written whole: write it "
     "with numpy.save, one array to a file"},
    {"type: float, length: 6", npy("'<f4'", "(4294967296, 4294967296, 4294967296)", of(20)),
     "in.npy has 20 bytes behind its header, which says more than any file | it was not written "
     "whole: write it with numpy.save, one array to a file"},
    {"type: float, length: 6", npy("'<f4'", "(6,)", of(24), 4),
     "in.npy has version 4.0 of the .npy format; 1.0 to 3.0 can be read | write it with "
     "numpy.save"},
    {"type: float, length: 6", npy("'<f4'", "(six,)", of(24)),
     "in.npy has a header that cannot be read | write it with numpy.save"},
    {"type: float, length: 6", "\x93NUMPY\x01",
     "in.npy has a header that cannot be read | write it with numpy.save"},
    {"type: float, length: 6", "six",
     "in.npy is no .npy file: it does not begin with \\x93NUMPY | write one with numpy.save, or "
     "say "
     "what its bytes are: {file: in.npy, type: float}"},
    {"type: float, length: 6", of(24), "", "in.npy, type: float"},
    {"type: float4, length: 2", of(32), "", "in.npy, type: float"},
    {"type: Item, length: 2", of(24), "", "in.npy, type: Item"},
    {"type: float, length: 6", of(25),
     "in.npy has 25 bytes, which are no whole number of float of 4 bytes | N=1",
     "in.npy, type: float"},
    {"type: double, length: 6", of(24),
     "in.npy has 6 elements of type float, but the buffer 'in' has 6 of type double | N=1",
     "in.npy, type: float"},
    {"type: float, length: 6", npy("'<f4'", "(6,)", of(24)),
     "in.npy says its type itself | leave 'type' out: it is a .npy file", "in.npy, type: float"},
    {"type: float, length: 6", "",
     std::string("there is no file missing.npy in the pattern's folder") + no_such, "missing.npy"},
    {"type: float, length: 6", "",
     std::string("../secret.npy is outside of the pattern's folder") + no_such, "../secret.npy"},
    {"type: float, length: 6", "",
     std::string("link.npy is outside of the pattern's folder") + no_such, "link.npy"},
    {"type: float, length: 6", "",
     std::string("/etc/passwd is outside of the pattern's folder") + no_such, "/etc/passwd"},
};

/// mine/kernel.cu and a file beside it.
struct Folder {
  std::string pattern(const Case& row) const {
    return "/* pattern:\nparameters: {N: 1}\nstructs: {Item: 12}\nbuffers: {in: {" + row.buffer +
           ", init: {file: " + row.named +
           "}}}\nlaunch: {grid: 1, block: 32}\nuseful: {read: 4}\nverify: \"true\"\n*/\n"
           "struct Item { float x, y, z; };\n__global__ void kernel(const " +
           row.buffer.substr(6, row.buffer.find(',') - 6) + "* in) {}\n";
  }
  PatternPtr read(const Case& row, Diagnostics& diagnostics,
                  const std::vector<fs::path>& folders = {}) const {
    return parse_pattern(source_of(pattern(row)), folder.path() / "mine/kernel.cu", diagnostics,
                         folders);
  }

  TemporaryFolder folder;
};

}  // namespace data_files
}  // namespace

BOOST_FIXTURE_TEST_SUITE(data_file, data_files::Folder)

BOOST_DATA_TEST_CASE_F(data_files::Folder, what_a_file_is_and_what_a_buffer_needs,
                       data::make(data_files::cases), row) {
  folder.write("secret.npy", npy("'<f4'", "(6,)", data_files::of(24)));
  folder.write("mine/in.npy", row.file);
  fs::create_symlink("../secret.npy", folder.path() / "mine/link.npy");
  Diagnostics diagnostics;
  read(row, diagnostics);
  const std::string place = "4:" + std::to_string(31 + row.buffer.size()) + "+";
  std::string found = messages(diagnostics);
  if (!found.empty()) {
    BOOST_TEST(found.starts_with(place));
    found.erase(0, found.find(' ') + 1);
  }
  BOOST_TEST(found == row.expected);
}

BOOST_AUTO_TEST_CASE(folders_that_the_user_names_are_read) {
  folder.write("lib/in.npy", npy("'<f4'", "(6,)", data_files::of(24)));
  Diagnostics diagnostics;
  BOOST_TEST(read({"type: float, length: 6", "", ""}, diagnostics, {folder.path() / "lib"}));
  BOOST_TEST(messages(diagnostics) == "");
}

BOOST_AUTO_TEST_CASE(a_file_counts_by_its_contents) {
  Diagnostics diagnostics;
  const auto identity = [&](const std::string& contents) {
    folder.write("mine/in.npy", npy("'<f4'", "(1,)", contents));
    return read({"type: float, length: 1", "", ""}, diagnostics)->identity();
  };
  const std::string one = identity("abcd");
  BOOST_TEST(one != identity("abce"));
  BOOST_TEST(one == identity("abcd"));
}

BOOST_AUTO_TEST_CASE(a_file_that_changed_since_is_not_read) {
  folder.write("mine/in.npy", npy("'<f4'", "(1,)", "abcd"));
  Diagnostics diagnostics;
  const PatternPtr pattern = read({"type: float, length: 1", "", ""}, diagnostics);
  const FileBytes& file = pattern->buffers.front().file->bytes;
  std::vector<std::byte> bytes(4);
  read_data(open_data(file), file, 0, bytes);
  BOOST_TEST(std::to_integer<char>(bytes.front()) == 'a');
  folder.write("mine/in.npy", npy("'<f4'", "(1,)", "abcdefgh"));
  BOOST_CHECK_THROW(open_data(file), FileError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
