#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

#include "engine/jit/program_cache.h"
#include "tests/jit/cached_programs.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
namespace {
namespace key_completeness {

struct Case {
  std::string body;
  bool is_complete;

  friend std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.body; }
};

const std::vector<Case> cases = {
    {"", true},
    {"#include <cuda_fp16.h>\n", true},
    {"#include <missing.h>\n", true},
    {"#include \"beside.h\"\n", true},
    {"#include \"deep/one.h\"\n", true},
    {"#include \"deep/one.h\"\n#include \"beside.h\"\n", true},
    {"// what to include and what not\n", true},
    {"#include <angled.h>\n", true},
    {"#include \"deep/through.h\"\n", true},
    {"#if __has_include(\"angled.h\")\n#endif\n", false},
    {"static const char* const date = __DATE__;\n", false},
    {"#include \"when.h\"\n", false},
};

/// A pattern in a folder with files that it may include.
struct Folder : CachedPrograms {
  Folder() {
    folder.write("beside.h", "// beside\n");
    folder.write("angled.h", "// angled\n");
    folder.write("when.h", "__TIME__\n");
    folder.write("deep/one.h", "#include \"two.h\"\n");
    folder.write("deep/two.h", "// two\n");
    // The compiler finds it in the pattern's folder.
    folder.write("deep/through.h", "#include \"angled.h\"\n");
  }
  PatternPtr load(const std::string& body) const {
    Diagnostics diagnostics;
    const std::filesystem::path path = folder.path() / "strided.cu";
    const auto source =
        std::make_shared<Source>(Source{path.string(), pattern_text("strided", body)});
    PatternPtr loaded = parse_pattern(source, path, diagnostics);
    BOOST_REQUIRE_MESSAGE(loaded != nullptr, render(diagnostics));
    return loaded;
  }
};

}  // namespace key_completeness

BOOST_FIXTURE_TEST_SUITE(key_completeness, key_completeness::Folder)

BOOST_DATA_TEST_CASE_F(Folder, only_what_the_key_holds_is_kept, data::make(cases), row) {
  pattern = load(row.body);
  BOOST_TEST(key_is_complete(*pattern) == row.is_complete);
  add({1}, "ptx");
  BOOST_TEST(find(1) == (row.is_complete ? "ptx" : "-"));
}

BOOST_AUTO_TEST_CASE(an_included_files_text_is_part_of_the_key) {
  const std::string body = "#include \"beside.h\"\n";
  pattern = load(body);
  add({1}, "old");
  folder.write("beside.h", "// changed\n");
  pattern = load(body);
  BOOST_TEST(find(1) == "-");
  add({1}, "new");
  folder.write("beside.h", "// beside\n");
  pattern = load(body);
  BOOST_TEST(find(1) == "old");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
