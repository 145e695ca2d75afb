#include <sys/stat.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "engine/jit/compiler.h"
#include "engine/jit/nvrtc.h"
#include "engine/text/read_source.h"
#include "tests/contains.h"
#include "tests/jit/cached_programs.h"
#include "tests/nvrtc_fixture.h"

namespace data = boost::unit_test::data;
namespace fs = std::filesystem;

namespace sweep::testing {
namespace {
namespace hostile_pattern {

/// A file that is none of a pattern's business, and a folder with the pattern's own.
struct Folder {
  Folder() {
    folder.write("secret.h", "int secret_line = ;\n");
    folder.write("mine/own.cuh", "#pragma once\n__device__ int own() { return 1; }\n");
    folder.write("mine/sub/a.cuh", "#include \"b.cuh\"\n#include <own.cuh>\n");
    folder.write("mine/sub/b.cuh", "#pragma once\n__device__ int b() { return own(); }\n");
  }

  std::string replaced(std::string text) const {
    const std::string secret = (folder.path() / "secret.h").string();
    for (auto at = text.find("SECRET"); at != text.npos; at = text.find("SECRET")) {
      text.replace(at, 6, secret);
    }
    return text;
  }

  /// What parsing and compiling a pattern with this body says; "compiled" where it does.
  std::string compile(const std::string& body, const std::string& rules = "{}") const {
    const fs::path path = folder.path() / "mine" / "hostile.cu";
    const std::string text =
        "/* pattern:\nlaunch: {grid: 1, block: 1}\nuseful: {read: 4}\n"
        "buffers: {a: {type: int, length: 1}}\nverify: {a: \"true\"}\ncompile: " +
        replaced(rules) + "\n*/\n" + replaced(body);
    Diagnostics diagnostics;
    const auto source = std::make_shared<Source>(Source{path.string(), text});
    const PatternPtr pattern = parse_pattern(source, path, diagnostics);
    if (pattern == nullptr) return render(diagnostics);
    const std::vector<Configuration> one = {resolve(pattern, {})};
    const auto outcomes = Compiler(nvrtc(), 90).compile(one);
    const auto* failure = std::get_if<CompileFailure>(&outcomes.front());
    return failure != nullptr ? render(failure->errors) : "compiled";
  }

  TemporaryFolder folder;
};

constexpr const char* kernel = "\n__global__ void hostile(int* a) { a[0] = 1; }\n";

const std::vector<std::string> bodies = {
    "#include \"SECRET\"",
    "#include <SECRET>",
    "#include \"../secret.h\"",
    "#include <../secret.h>",
    "#define X \"SECRET\"\n#include X",
    "#define X <SECRET>\n#include X",
    "%:include \"SECRET\"",
    "#in\\\nclude \"SECRET\"",
    "#include/**/\"SECRET\"",
    "// x \\ \n#include \"SECRET\"",
    "const char* s = R\"(\n#include \"SECRET\"\n)\";",
    "import \"SECRET\";",
    "export import \"SECRET\";",
    "#include_next \"SECRET\"",
    "#embed \"SECRET\"",
    "#import \"SECRET\"",
    "#if __has_include(\"SECRET\")\n#endif",
    "#define H __has_include\n#if H(\"SECRET\")\n#endif",
    "_Pragma(\"include \\\"SECRET\\\"\")\n#error it is refused",
    "#pragma include_alias(\"x.h\", \"SECRET\")\n#include \"x.h\"",
    "#line 1 \"SECRET\"\n#include \"secret.h\"",
    "__device__ void d() { asm(\".include \\\"SECRET\\\";\"); }\n#error it is refused",
};

/// Bodies, and a macro of the header's that they use.
const std::vector<std::pair<std::string, std::string>> macros = {
    {"#include X", R"("'\"SECRET\"'")"},
    {"#include X", "\"'<SECRET>'\""},
    {"#if X(\"SECRET\")\n#endif", "\"'__has_include'\""},
    {"X \"SECRET\";", "\"'import'\""},
    {"X", R"("'a\n#include <SECRET>'")"},
    {"X", R"("'a \\'")"},
};

/// Sources that the compiler is given as they are, as if nothing had looked at them.
const std::vector<std::string> sources = {
    "#include \"SECRET\"",
    "#include <SECRET>",
    "import \"SECRET\";",
    "#define P(a, b) a##b\n#if P(__has_, include)(\"SECRET\")\n#include \"SECRET\"\n#endif",
    "#define thrust SECRET>\n#include <thrust/iterator/detail/device_system_tag.h>",
};

}  // namespace hostile_pattern
}  // namespace

BOOST_FIXTURE_TEST_SUITE(hostile_pattern_suite, hostile_pattern::Folder,
                         *boost::unit_test::precondition(has_nvrtc))

BOOST_DATA_TEST_CASE_F(hostile_pattern::Folder, no_file_outside_of_its_folder_is_read,
                       data::make(hostile_pattern::bodies), body) {
  const std::string said = compile(body + hostile_pattern::kernel);
  BOOST_TEST(said != "compiled");
  BOOST_TEST(!contains(said, "secret_line"), said);
}

BOOST_AUTO_TEST_CASE(macros_of_the_header_hide_no_file) {
  BOOST_TEST(compile("#if X != 2\n#error\n#endif" + std::string(hostile_pattern::kernel),
                     "{defines: {X: 2}}") == "compiled");
  for (const auto& [body, macro] : hostile_pattern::macros) {
    const std::string said =
        compile(body + hostile_pattern::kernel, "{defines: {X: " + macro + "}}");
    BOOST_TEST(said != "compiled", macro);
    BOOST_TEST(!contains(said, "secret_line"), said);
  }
}

BOOST_AUTO_TEST_CASE(files_of_its_folder_are_found_wherever_they_include_one_another) {
  BOOST_TEST(compile(std::string("#include \"own.cuh\"\n#include \"sub/a.cuh\"\n#if 1\n"
                                 "#include \"sub/b.cuh\"\n#endif\n#if __has_include(\"own.cuh\")\n"
                                 "__device__ int c() { return b(); }\n#endif\n") +
                     hostile_pattern::kernel) == "compiled");
  BOOST_TEST(contains(compile(std::string("#if !__has_include(\"own.cuh\")\n#error gone\n#endif\n"
                                          "#if __has_include(\"none.cuh\")\n#error there\n#endif") +
                              hostile_pattern::kernel),
                      "compiled"));
}

BOOST_AUTO_TEST_CASE(the_text_that_was_read_is_compiled_whatever_the_file_says_now) {
  const fs::path path =
      folder.write("mine/hostile.cu",
                   std::string("/* pattern:\nlaunch: {grid: 1, block: 1}\nuseful: {read: 4}\n"
                               "buffers: {a: {type: int, length: 1}}\nverify: {a: \"true\"}\n*/\n"
                               "#include \"own.cuh\"\n") +
                       hostile_pattern::kernel);
  Diagnostics diagnostics;
  const PatternPtr pattern = parse_pattern(read_source(path), path, diagnostics);
  BOOST_REQUIRE_MESSAGE(pattern != nullptr, render(diagnostics));
  folder.write("mine/own.cuh", "#error changed\n");
  const std::vector<Configuration> one = {resolve(pattern, {})};
  const auto outcomes = Compiler(nvrtc(), 90).compile(one);
  BOOST_TEST(std::holds_alternative<CompiledConfiguration>(outcomes.front()));
}

BOOST_AUTO_TEST_CASE(an_own_file_of_a_toolkit_headers_name_is_not_taken_for_that) {
  folder.write("mine/cuda_fp16.h", "#define OWN 1\n");
  BOOST_TEST(compile(std::string("#include \"cuda_fp16.h\"\n#if OWN != 1\n#error not own\n#endif") +
                     hostile_pattern::kernel) == "compiled");
  BOOST_TEST(compile(std::string("#include <cuda_bf16.h>\n__device__ __half h;\n") +
                     hostile_pattern::kernel) == "compiled");
}

BOOST_DATA_TEST_CASE_F(hostile_pattern::Folder, the_compiler_itself_can_open_nothing_else,
                       data::make(hostile_pattern::sources), text) {
  if (!has_file_sandbox()) {
    BOOST_TEST_MESSAGE("skipped: this kernel has no Landlock");
    return;
  }
  const std::vector<std::string> options = {"--gpu-architecture=sm_90", "--std=c++20",
                                            "--include-path=/usr/local/cuda/include",
                                            "--include-path=/usr/local/cuda/include/cccl"};
  const NvrtcResult result = nvrtc()->compile({replaced(text), options, {}});
  BOOST_TEST(!contains(result.log, "secret_line"), result.log);
}

BOOST_AUTO_TEST_CASE(the_current_folder_does_not_matter) {
  // A name of the temporary folder's own, so that nothing else in the current one has it.
  const std::string here = folder.path().filename().string() + ".h";
  std::ofstream(here) << "int secret_line = ;\n";
  const std::string said =
      compile("#include \"" + here + "\"" + std::string(hostile_pattern::kernel));
  const NvrtcResult result = nvrtc()->compile({"#include \"" + here + "\"", {}, {}});
  fs::remove(here);
  BOOST_TEST(!contains(said, "secret_line"), said);
  BOOST_TEST(!contains(result.log, "secret_line"), result.log);
  BOOST_TEST(contains(said, "cannot open source file"), said);
}

BOOST_AUTO_TEST_CASE(the_last_gate_sees_what_is_put_together) {
  const std::vector<SourceHeader> headers = {{"/a/x.cuh", "#include \"/a/x.cuh\"\n"}};
  BOOST_TEST(why_open("#include \"/a/x.cuh\"\n#include <cuda_fp16.h>\n", headers) == "");
  for (const char* text : {"#include \"/a/y.cuh\"", "#include <../x>", "#include X", "import X;"}) {
    BOOST_TEST(why_open(text, headers) != "");
    const std::vector<SourceHeader> inside = {{"/a/x.cuh", text}};
    BOOST_TEST(why_open("", inside) != "");
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(hostile_cache, CachedPrograms)

BOOST_AUTO_TEST_CASE(a_cache_that_others_can_write_into_is_not_used) {
  add({1}, "ptx");
  BOOST_TEST(find(1) == "ptx");
  for (const fs::perms others : {fs::perms::others_write, fs::perms::group_write}) {
    fs::permissions(settings.folder, fs::perms::owner_all | others);
    ProgramCache cache(settings);
    BOOST_TEST(CachedPrograms::find(cache, 1) == "-");
    BOOST_TEST(contains(cache.problem(), "others can write into it"), cache.problem());
  }
  fs::permissions(settings.folder, fs::perms::owner_all);
  BOOST_TEST(find(1) == "ptx");
}

BOOST_AUTO_TEST_CASE(what_the_cache_makes_is_the_users_alone) {
  add({1}, "ptx");
  BOOST_TEST(files().size() == 1U);
  for (const auto& entry : fs::recursive_directory_iterator(folder.path() / "cache")) {
    const auto perms = entry.status().permissions();
    BOOST_TEST(((perms & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none),
               entry.path());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
