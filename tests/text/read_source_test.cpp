#include "engine/text/read_source.h"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>

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
  BOOST_TEST(folder.message == path().string() + ": this is not a file but a folder");
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

BOOST_AUTO_TEST_CASE(a_file_that_does_not_say_how_long_it_is_is_read) {
  BOOST_TEST(read_source("/proc/self/cmdline")->text.size() > 0u);
}

BOOST_AUTO_TEST_CASE(devices_are_no_files) {
  for (const char* device : {"/dev/zero", "/dev/null", "/dev/tty"}) {
    if (!fs::exists(device)) continue;
    const Failure refused = failure(device);
    BOOST_TEST(refused.message == std::string(device) + ": this is not a file but a device");
    BOOST_TEST(refused.is_missing);
  }
  fs::create_symlink("/dev/zero", path() / "zero.yaml");
  BOOST_TEST(failure(path() / "zero.yaml").message ==
             (path() / "zero.yaml").string() + ": this is not a file but a device");
}

BOOST_AUTO_TEST_CASE(a_pipe_is_read_to_its_end) {
  const fs::path pipe = path() / "pipe";
  BOOST_REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] {
    std::ofstream file(pipe);
    file << "pattern: " << std::flush;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    file << "stride\n";
  });
  const auto source = read_source(pipe);
  writer.join();
  BOOST_TEST(source->text == "pattern: stride\n");
}

BOOST_AUTO_TEST_CASE(a_pipe_without_end_is_refused) {
  const fs::path pipe = path() / "pipe";
  BOOST_REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::signal(SIGPIPE, SIG_IGN);
  std::thread writer([&] {
    std::ofstream file(pipe);
    const std::string piece(1U << 16U, 'x');
    while (file << piece << std::flush) {
    }
  });
  const Failure endless = failure(pipe);
  writer.join();
  BOOST_TEST(endless.message ==
             pipe.string() + ": this is more than a pattern or sweep can have (16 MiB)");
}

BOOST_AUTO_TEST_SUITE_END()
