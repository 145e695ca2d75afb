#include "engine/spec/included_text.h"

#include <boost/test/unit_test.hpp>

#include "tests/temporary_folder.h"

BOOST_AUTO_TEST_SUITE(text_that_is_included)

namespace {

std::string included(const sweep::TemporaryFolder& folder, const std::string& text) {
  return sweep::included_text(folder.path() / "pattern.cu", text);
}

}  // namespace

BOOST_AUTO_TEST_CASE(is_that_of_each_file_once_with_what_it_includes) {
  const sweep::TemporaryFolder folder;
  folder.write("a.cuh", "#include \"sub/b.cuh\"\nint a;\n");
  folder.write("sub/b.cuh", "#include \"c.cuh\"\n#include \"../a.cuh\"\nint b;\n");
  folder.write("sub/c.cuh", "int c;\n");
  folder.write("d.cuh", "int d;\n");
  const std::string text =
      "#include <cstdint>\n#include \"a.cuh\"\n #\tinclude\"d.cuh\"\n#include \"./a.cuh\"\n"
      "#include \"none.cuh\"\n#include \"\"\n#include \"d.cuh\n#include MACRO\n#";
  BOOST_TEST(included(folder, text) ==
             "\n// a.cuh\n#include \"sub/b.cuh\"\nint a;\n"
             "\n// sub/b.cuh\n#include \"c.cuh\"\n#include \"../a.cuh\"\nint b;\n"
             "\n// c.cuh\nint c;\n\n// d.cuh\nint d;\n");
}

BOOST_AUTO_TEST_CASE(may_have_lines_of_any_length_and_any_number) {
  const sweep::TemporaryFolder folder;
  const std::string a_million(1'000'000, 'a');
  BOOST_TEST(included(folder, "#include \"" + a_million + "\"\n") == "");
  BOOST_TEST(included(folder, "#include \"" + a_million) == "");
  BOOST_TEST(included(folder, "#" + std::string(1'000'000, ' ') + "include") == "");
  std::string many;
  for (int i = 0; i < 20'000; ++i) many += "#include \"" + std::to_string(i) + "\"\n";
  BOOST_TEST(included(folder, many) == "");
}

BOOST_AUTO_TEST_SUITE_END()
