#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "engine/spec/pattern.h"
#include "tests/spec/example_patterns.h"
#include "tests/temporary_folder.h"

namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(pattern_library)

namespace {

using namespace sweep::testing;
using sweep::Diagnostics;
using sweep::PatternLibrary;
using sweep::PatternPtr;
using sweep::TemporaryFolder;

/// A pattern whose parameter N tells it from others of its name.
std::string numbered(const std::string& name, int number) {
  return pattern_with(name, {"N: " + std::to_string(number)});
}

const sweep::Location here{source_of("pattern: copy", "sweep.yaml"), 1, 10, 4};

/// The value of N in the pattern, or the messages.
std::string loaded(const PatternLibrary& library, const std::string& name) {
  Diagnostics diagnostics;
  const PatternPtr pattern = library.load(name, here, diagnostics);
  if ((pattern == nullptr) != diagnostics.has_errors()) return "a pattern and errors, or neither";
  return pattern != nullptr ? pattern->parameters.front().default_value.text()
                            : render(diagnostics);
}

}  // namespace

BOOST_AUTO_TEST_CASE(finds_the_patterns_of_its_folders_by_name) {
  const TemporaryFolder folder;
  folder.write("a/stride.cu", numbered("stride", 1));
  folder.write("b/copy.cu", numbered("copy", 2));
  folder.write("b/notes.txt", "no pattern");
  folder.write("b/copy.cuh", "no pattern");
  folder.write("b/deeper/offset.cu", numbered("offset", 3));
  fs::create_directories(folder.path() / "b/folder.cu");
  const PatternLibrary library({folder.path() / "a", folder.path() / "b"});
  BOOST_TEST(library.names() == (std::vector<std::string>{"copy", "stride"}),
             boost::test_tools::per_element());
  BOOST_TEST(library.find("copy") == folder.path() / "b/copy.cu");
  BOOST_TEST(library.find("offset").empty());
  BOOST_TEST(library.folders().size() == 2u);
  BOOST_TEST(loaded(library, "copy") == "2");
  BOOST_TEST(loaded(library, "stride") == "1");
}

BOOST_AUTO_TEST_CASE(earlier_folders_win) {
  const TemporaryFolder folder;
  folder.write("own/copy.cu", numbered("copy", 1));
  folder.write("shipped/copy.cu", numbered("copy", 2));
  folder.write("shipped/stride.cu", numbered("stride", 3));
  BOOST_TEST(loaded(PatternLibrary({folder.path() / "own", folder.path() / "shipped"}), "copy") ==
             "1");
  const PatternLibrary library({folder.path() / "shipped", folder.path() / "own"});
  BOOST_TEST(loaded(library, "copy") == "2");
  BOOST_TEST(library.names().size() == 2u);
}

BOOST_AUTO_TEST_CASE(folders_that_are_not_there_are_skipped) {
  const TemporaryFolder folder;
  folder.write("copy.cu", numbered("copy", 1));
  const PatternLibrary library(
      {folder.path() / "missing", folder.path() / "copy.cu", folder.path()});
  BOOST_TEST(loaded(library, "copy") == "1");
  BOOST_TEST(PatternLibrary({}).names().empty());
}

BOOST_AUTO_TEST_CASE(a_pattern_that_is_not_there_has_a_suggestion) {
  const TemporaryFolder folder;
  folder.write("stride.cu", numbered("stride", 1));
  const PatternLibrary library({folder.path(), "elsewhere"});
  BOOST_TEST(loaded(library, "strid") ==
             "sweep.yaml:1:10: error: there is no pattern 'strid'\n"
             "  pattern: copy\n"
             "           ^~~~\n"
             "  help: did you mean 'stride'?\n");
  BOOST_TEST(loaded(library, "copy") ==
             "sweep.yaml:1:10: error: there is no pattern 'copy'\n"
             "  pattern: copy\n"
             "           ^~~~\n"
             "  help: searched for copy.cu in: " +
                 folder.path().string() + ", elsewhere; --patterns DIR adds a folder\n");
  BOOST_TEST(loaded(PatternLibrary({}), "copy") ==
             "sweep.yaml:1:10: error: there is no pattern 'copy'\n"
             "  pattern: copy\n"
             "           ^~~~\n"
             "  help: --patterns DIR adds a folder of pattern files\n");
}

BOOST_AUTO_TEST_CASE(mistakes_of_a_pattern_stand_in_its_file) {
  const TemporaryFolder folder;
  folder.write("copy.cu", edited(numbered("copy", 1), "grid: 1", "grid: X"));
  const std::string path = (folder.path() / "copy.cu").string();
  BOOST_TEST(loaded(PatternLibrary({folder.path()}), "copy") ==
             path +
                 ":5:16: error: there is no parameter 'X'\n"
                 "  launch: {grid: X, block: 1}\n"
                 "                 ^\n"
                 "  help: the names known here are: N\n");
}

BOOST_AUTO_TEST_CASE(files_that_cannot_be_read_are_errors_where_they_are_named) {
  const TemporaryFolder folder;
  folder.write("copy.cu", numbered("copy", 1));
  folder.write("large.cu", numbered("large", 1));
  fs::resize_file(folder.path() / "large.cu", 17 << 20);
  const PatternLibrary library({folder.path()});
  fs::remove(folder.path() / "copy.cu");
  BOOST_TEST(loaded(library, "copy") == "sweep.yaml:1:10: error: " + folder.path().string() +
                                            "/copy.cu: no such file\n"
                                            "  pattern: copy\n"
                                            "           ^~~~\n");
  BOOST_TEST(loaded(library, "large") ==
             "sweep.yaml:1:10: error: " + folder.path().string() +
                 "/large.cu: 17 MiB is more than a pattern or sweep can have (16 MiB)\n"
                 "  pattern: copy\n"
                 "           ^~~~\n");
}

BOOST_AUTO_TEST_CASE(looks_up_the_patterns_of_a_sweep) {
  const TemporaryFolder folder;
  folder.write("copy.cu", numbered("copy", 1));
  const PatternLibrary library({folder.path()});
  const sweep::Sweep sweep = sweep::parse_sweep(source_of("pattern: copy\naxes: {N: [1, 2]}\n"),
                                                "own.yaml", library.lookup(), {});
  BOOST_TEST(sweep.patterns.front()->path == folder.path() / "copy.cu");
}

BOOST_AUTO_TEST_SUITE_END()
