#include "engine/text/read_source.h"

#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/temporary_folder.h"

namespace reading_a_source {
namespace {

namespace fs = std::filesystem;
using sweep::FileError;
using sweep::read_source;

struct Failure {
  std::string message;
  bool is_missing = false;
};

Failure failure(const fs::path& path) {
  try {
    read_source(path);
  } catch (const FileError& error) {
    return {error.what(), error.is_missing()};
  }
  return {"nothing"};
}

}  // namespace
}  // namespace reading_a_source

BOOST_FIXTURE_TEST_SUITE(reading_a_source, sweep::TemporaryFolder)

BOOST_AUTO_TEST_CASE(every_byte_is_kept) {
  const std::string text("\xEF\xBB\xBF a: 1\r\n\0b\n\n", 13);
  const auto file = write("a.yaml", text);
  const auto source = read_source(file);
  BOOST_TEST(source->name == file.string());
  BOOST_TEST(source->text == text);
}

BOOST_AUTO_TEST_CASE(an_empty_file_is_an_empty_text) {
  BOOST_TEST(read_source(write("empty.yaml", ""))->text == "");
}

BOOST_AUTO_TEST_CASE(a_missing_file_is_named) {
  const Failure missing = failure(path() / "none.yaml");
  BOOST_TEST(missing.message == (path() / "none.yaml").string() + ": no such file");
  BOOST_TEST(missing.is_missing);
}

BOOST_AUTO_TEST_CASE(a_folder_is_no_file) {
  const Failure folder = failure(path());
  BOOST_TEST(folder.message == path().string() + ": this is not a file");
  BOOST_TEST(folder.is_missing);
}

BOOST_AUTO_TEST_CASE(a_huge_file_is_refused_unread) {
  const auto file = write("huge.yaml", "a: 1\n");
  fs::resize_file(file, std::uintmax_t{16} << 20U);
  BOOST_TEST(read_source(file)->text.size() == 16U << 20U);
  fs::resize_file(file, std::uintmax_t{64} << 20U);
  const Failure huge = failure(file);
  BOOST_TEST(huge.message ==
             file.string() + ": 64 MiB is more than a pattern or sweep can have (16 MiB)");
  BOOST_TEST(!huge.is_missing);
}

BOOST_AUTO_TEST_SUITE_END()
