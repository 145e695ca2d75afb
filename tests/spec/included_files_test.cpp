#include "engine/spec/included_files.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

#include "engine/spec/pattern.h"
#include "engine/text/read_source.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

namespace data = boost::unit_test::data;
namespace fs = std::filesystem;

namespace sweep::testing {
namespace {
namespace included_files {

/// mine/ with a pattern's files, and beside it what is none of its business.
struct Folder {
  Folder() {
    folder.write("secret.h", "hidden words\n");
    folder.write("lib/lib.h", "// lib\n#include \"deep.h\"\n");
    folder.write("lib/deep.h", "// deep\n");
    folder.write("mine/own.cuh", "// own\n");
    folder.write("mine/sub/a.cuh", "#include \"b.cuh\"\n#include \"own.cuh\"\n");
    folder.write("mine/sub/b.cuh", "// sub b\n");
    folder.write("mine/outward.cuh", "#include \"../secret.h\"\n");
    folder.write("mine/round.cuh", "#include \"round.cuh\"\n");
    folder.write("mine/far.cuh", "// far\n#include \"round.cuh\"\n");
    folder.write("mine/once.cuh", "#pragma once\n#include \"once.cuh\"\n#include \"own.cuh\"\n");
    folder.write("mine/guarded.cuh", "#ifndef X\n#define X\n#include \"guarded.cuh\"\n#endif\n");
    fs::create_symlink("../secret.h", folder.path() / "mine" / "link.cuh");
    fs::create_directory_symlink("..", folder.path() / "mine" / "up");
    fs::create_symlink("own.cuh", folder.path() / "mine" / "inner_link.cuh");
  }

  /// "own.cuh sub/a.cuh": the files read, by the names they were first included by; or the first
  /// mistake.
  std::string read(std::string text, const std::vector<fs::path>& folders = {}) const {
    for (auto at = text.find("DIR"); at != text.npos; at = text.find("DIR")) {
      text.replace(at, 3, folder.path().string());
    }
    Diagnostics diagnostics;
    const fs::path path = folder.path() / "mine" / "x.cu";
    const auto source = std::make_shared<Source>(Source{path.string(), text});
    const IncludedFiles files = read_included_files(source, 0, path, folders, diagnostics);
    BOOST_TEST(!contains(joined_text(files), "hidden words"));
    BOOST_TEST(!contains(render(diagnostics), "hidden words"));
    if (diagnostics.has_errors()) return "error: " + diagnostics.list().front().message;
    std::string names;
    for (const IncludedFile& file : files.files) {
      names += (names.empty() ? "" : " ") + file.written;
    }
    return names;
  }

  TemporaryFolder folder;
};

struct Case {
  std::string text;
  std::string files;

  friend std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.text; }
};

const std::vector<Case> cases = {
    {"#include \"own.cuh\"\n", "own.cuh"},
    {"#include <own.cuh>\n", "own.cuh"},
    {"#include \"sub/../own.cuh\"\n", "sub/../own.cuh"},
    {"#include \"inner_link.cuh\"\n#include \"own.cuh\"\n", "inner_link.cuh"},
    {"#include \"sub/a.cuh\"\n", "sub/a.cuh b.cuh own.cuh"},
    {"#include \"once.cuh\"\n", "once.cuh own.cuh"},
    {"#include \"guarded.cuh\"\n", "guarded.cuh"},
    {"#include \"round.cuh\"\n", "error: DIR/mine/round.cuh includes itself"},
    {"#include \"DIR/mine/own.cuh\"\n", "DIR/mine/own.cuh"},
    {"#include <cuda_fp16.h>\n#include \"missing.h\"\n", ""},
    {"#include \"../secret.h\"\n", "error: ../secret.h is outside of the pattern's folder"},
    {"#include <../secret.h>\n", "error: ../secret.h is outside of the pattern's folder"},
    {"#include \"../nothing.h\"\n", "error: ../nothing.h is outside of the pattern's folder"},
    {"#include \"/etc/passwd\"\n", "error: /etc/passwd is outside of the pattern's folder"},
    {"#include <cuda/../../x>\n", "error: cuda/../../x is outside of the pattern's folder"},
    {"#include \"link.cuh\"\n", "error: link.cuh is outside of the pattern's folder"},
    {"#include \"up/secret.h\"\n", "error: up/secret.h is outside of the pattern's folder"},
    {"#include \"outward.cuh\"\n", "error: ../secret.h is outside of the pattern's folder"},
    {"#define X \"own.cuh\"\n#include X\n",
     "error: the name of an included file must be written here"},
    {"#if __has_include(\"/etc/passwd\")\n",
     "error: /etc/passwd is outside of the pattern's folder"},
    {"import \"own.cuh\";\n", "error: a pattern can read other files by #include alone"},
    {"#embed \"own.cuh\"\n", "error: a pattern can read other files by #include alone"},
};

}  // namespace included_files
}  // namespace

BOOST_FIXTURE_TEST_SUITE(included_files_suite, included_files::Folder)

BOOST_DATA_TEST_CASE_F(included_files::Folder, only_files_of_the_patterns_folder_are_read,
                       data::make(included_files::cases), row) {
  std::string expected = row.files;
  if (const auto at = expected.find("DIR"); at != expected.npos) {
    expected.replace(at, 3, folder.path().string());
  }
  BOOST_TEST(read(row.text) == expected);
}

BOOST_AUTO_TEST_CASE(further_folders_are_those_that_the_user_names) {
  const std::vector<fs::path> lib = {folder.path() / "lib"};
  BOOST_TEST(read("#include \"lib.h\"\n", lib) == "lib.h deep.h");
  BOOST_TEST(read("#include <lib.h>\n", lib) == "lib.h deep.h");
  BOOST_TEST(read("#include \"../lib/lib.h\"\n", lib) == "../lib/lib.h deep.h");
  BOOST_TEST(read("#include \"../secret.h\"\n", lib) ==
             "error: ../secret.h is outside of the pattern's folder");
}

BOOST_AUTO_TEST_CASE(a_file_that_includes_itself_is_shown_from_the_pattern_on) {
  folder.write("mine/wrong.cu",
               "/* pattern:\nlaunch: {grid: 1, block: 1}\n*/\n  #include \"far.cuh\"\n"
               "__global__ void wrong() {}\n");
  const PatternLibrary library({folder.path() / "mine"});
  Diagnostics diagnostics;
  BOOST_TEST((library.load("wrong", {}, diagnostics) == nullptr));
  const std::string text = render(diagnostics);
  const std::string mine = (folder.path() / "mine").string();
  BOOST_TEST(contains(text, mine + "/wrong.cu:4:12: error: " + mine +
                                "/round.cuh includes itself\n    #include \"far.cuh\"\n"),
             text);
  BOOST_TEST(contains(text, "  help: " + mine + "/far.cuh:2 includes " + mine + "/round.cuh, " +
                                mine + "/round.cuh:1 includes " + mine +
                                "/round.cuh, without an end: let it begin with #pragma once\n"),
             text);
}

namespace {

/// The first of so many files, of which each includes the next one twice.
std::string twice_each(const TemporaryFolder& folder, int files, const std::string& before,
                       const std::string& after) {
  for (int i = 0; i < files; ++i) {
    const std::string line = "#include \"h" + std::to_string(i + 1) + ".h\"\n";
    folder.write("mine/h" + std::to_string(i) + ".h", before + line + line + after);
  }
  folder.write("mine/h" + std::to_string(files) + ".h", "// the end\n");
  return "#include \"h0.h\"\n";
}

}  // namespace

BOOST_AUTO_TEST_CASE(files_that_are_read_too_often_are_refused) {
  const std::string refused =
      "error: this makes the compiler read more than 100,000 files or 64 MiB, since files include "
      "others more than once";
  BOOST_TEST(read(twice_each(folder, 100, "", "")) == refused);
  BOOST_TEST(read(twice_each(folder, 25, "// x\n", "")) == refused);
  BOOST_TEST(!contains(read(twice_each(folder, 14, "", "")), "error"));
  // What is read once, or under a condition, takes no more than there is.
  BOOST_TEST(!contains(read(twice_each(folder, 25, "#pragma once\n", "")), "error"));
  BOOST_TEST(!contains(read(twice_each(folder, 25, "#if 0\n", "#endif\n")), "error"));
  // Large ones are too much sooner, below one that is read once too.
  folder.write("mine/top.h", "#pragma once\n#include \"h0.h\"\n");
  twice_each(folder, 10, "", "");
  folder.write("mine/h10.h", std::string(100'000, '\n'));
  BOOST_TEST(read("#include \"top.h\"\n#include \"own.cuh\"\n") == refused);
}

BOOST_AUTO_TEST_CASE(the_message_says_where_and_what_allows_it) {
  folder.write("mine/wrong.cu",
               "/* pattern:\nlaunch: {grid: 1, block: 1}\n*/\n  #include \"../secret.h\"\n"
               "__global__ void wrong() {}\n");
  const PatternLibrary library({folder.path() / "mine"});
  Diagnostics diagnostics;
  BOOST_TEST((library.load("wrong", {}, diagnostics) == nullptr));
  const std::string text = render(diagnostics);
  BOOST_TEST(contains(text, "wrong.cu:4:12: error: ../secret.h is outside"), text);
  BOOST_TEST(contains(text, "help: --include DIR"), text);
}

BOOST_AUTO_TEST_CASE(a_library_does_not_follow_links_out_of_its_folder) {
  folder.write("secret.cu", "hidden words");
  fs::create_symlink("../secret.cu", folder.path() / "mine" / "evil.cu");
  const PatternLibrary library({folder.path() / "mine"});
  Diagnostics diagnostics;
  BOOST_TEST((library.load("evil", {}, diagnostics) == nullptr));
  BOOST_TEST(contains(render(diagnostics), "is a link out of its folder"));
  BOOST_TEST(!contains(render(diagnostics), "hidden words"));
}

BOOST_AUTO_TEST_CASE(expressions_of_the_header_hold_no_directives) {
  for (const std::string init :
       {"1;\\n#include \\\"/etc/passwd\\\"\\n", "i == %:include </etc/passwd>"}) {
    const std::string text =
        "/* pattern:\nbuffers: {a: {type: int, length: 1, init: \"" + init +
        "\"}}\nlaunch: {grid: 1, block: 1}\nuseful: {read: 4}\nverify: {a: \"true\"}\n*/\n"
        "__global__ void x(int* a) {}\n";
    Diagnostics diagnostics;
    const auto source = std::make_shared<Source>(Source{"x.cu", text});
    BOOST_TEST((parse_pattern(source, "x.cu", diagnostics) == nullptr));
    BOOST_TEST(contains(render(diagnostics), "an expression can hold no preprocessor line"),
               render(diagnostics));
  }
}

BOOST_AUTO_TEST_CASE(includes_end_somewhere) {
  for (int i = 0; i < 300; ++i) {
    folder.write("mine/n" + std::to_string(i) + ".h",
                 "#include \"n" + std::to_string(i + 1) + ".h\"\n");
  }
  BOOST_TEST(read("#include \"n0.h\"\n") == "error: files include files 200 deep");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
