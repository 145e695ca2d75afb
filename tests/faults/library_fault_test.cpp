#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/cli/compiler_precondition.h"
#include "tests/contains.h"
#include "tests/faults/broken_run.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace library_fault {
namespace {

namespace fs = std::filesystem;

/// How a toolkit's compiler is made.
enum class Made { as_text, for_another_machine, of_class_32, cut_off, from };

struct Toolkit {
  std::string name;
  Made made = Made::as_text;
  std::string library = {};  ///< of which it is made
  int code = 69;
  std::vector<std::string> says;
};
std::ostream& operator<<(std::ostream& out, const Toolkit& toolkit) {
  return out << toolkit.name;
}

const std::string which =
    "\nSWEEP_CUDA_HOME says which CUDA Toolkit to use; 12.4 or newer is needed";

const Toolkit toolkits[] = {
    {.name = "no library but a text",
     .says = {"cannot be loaded:\n  ", "lib64/libnvrtc.so.13: ", which}},
    {.name = "for another machine",
     .made = Made::for_another_machine,
     .says = {"lib64/libnvrtc.so.13: not a library for this machine", which}},
    {.name = "of 32 bits",
     .made = Made::of_class_32,
     .says = {"wrong ELF class: ELFCLASS32", which}},
    {.name = "cut off",
     .made = Made::cut_off,
     .says = {"lib64/libnvrtc.so.13: the end of the file is missing", which}},
    {.name = "an old version",
     .made = Made::from,
     .library = SWEEP_NVRTC_11,
     .says = {"is NVRTC 11.0, but 12.4 or newer is needed: set SWEEP_CUDA_HOME to the folder of a "
              "newer CUDA toolkit"}},
    {.name = "without all functions",
     .made = Made::from,
     .library = SWEEP_NVRTC_13,
     .says = {"libnvrtc.so.13 has no function nvrtcGetNumSupportedArchs: it is too old or not the "
              "library that was expected"}},
};

void make_library(const Toolkit& toolkit, const fs::path& file) {
  constexpr std::size_t class_at = 4;
  constexpr std::size_t machine_at = 18;
  std::string bytes =
      toolkit.made == Made::as_text ? "no library\n" : read_text_file(SWEEP_NVRTC_13);
  if (toolkit.made == Made::for_another_machine) bytes.at(machine_at) = '\x99';
  if (toolkit.made == Made::of_class_32) bytes.at(class_at) = 1;
  if (toolkit.made == Made::cut_off) bytes.resize(bytes.size() / 3);
  if (toolkit.made == Made::from) bytes = read_text_file(toolkit.library);
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
}

/// The machine's own compiler is not there, nor is any other but that in the folder.
Environment only_toolkit(const fs::path& home) {
  Environment all = injected("load:libnvrtc:1:2");
  all.emplace_back("SWEEP_FAULT_SPARES", home.string());
  all.emplace_back("SWEEP_CUDA_HOME", home.string());
  return all;
}

}  // namespace
}  // namespace library_fault

BOOST_AUTO_TEST_SUITE(library_fault, *boost::unit_test::precondition(has_compiler))

BOOST_DATA_TEST_CASE(a_compiler_that_cannot_be_used, data::make(toolkits), toolkit) {
  const BrokenRun run;
  const TemporaryFolder home;
  make_library(toolkit, home.path() / "lib64/libnvrtc.so.13");
  run.meet({.name = toolkit.name,
            .environment = only_toolkit(home.path()),
            .code = toolkit.code,
            .says = toolkit.says});
  run.complete();
}

BOOST_AUTO_TEST_CASE(no_compiler_at_all) {
  const BrokenRun run;
  const Outcome outcome =
      run.meet({.name = "none",
                .environment = injected("load:libnvrtc:1:2"),
                .code = 69,
                .says = {"the run-time compiler libnvrtc was not found on the system's paths",
                         "Install the CUDA Toolkit 12.4 or newer", "SWEEP_CUDA_HOME"}});
  BOOST_TEST(contains(outcome.out, "\"event\":\"error\""), outcome.out);
  run.complete();
}

BOOST_AUTO_TEST_CASE(a_broken_compiler_in_one_place_does_not_hide_one_in_another) {
  const BrokenRun run;
  const TemporaryFolder home;
  make_library({.name = "text", .says = {}}, home.path() / "lib64/libnvrtc.so.13");
  run.meet({.name = "text", .environment = {{"SWEEP_CUDA_HOME", home.path().string()}}});
}

BOOST_AUTO_TEST_CASE(a_driver_that_cannot_be_used) {
  const BrokenRun run;
  const Environment missing = injected("load:libcuda.so.1:1:2");
  const Outcome asked =
      run_program({"run", "stride", "--device", "0", "--json"}, run.folder(), missing);
  BOOST_TEST(asked.code == 69);
  BOOST_TEST(contains(asked.err, "no NVIDIA driver: libcuda.so.1 was not found"), asked.err);
  BOOST_TEST(contains(asked.out, "{\"event\":\"error\",\"message\":\"no NVIDIA driver"), asked.out);

  const TemporaryFolder libraries;
  libraries.write("libcuda.so.1", "no library\n");
  const Outcome broken = run_program({"run", "stride", "--device", "0"}, run.folder(),
                                     {{"LD_LIBRARY_PATH", libraries.path().string()}});
  BOOST_TEST(broken.code == 69);
  BOOST_TEST(contains(broken.err, "the NVIDIA driver cannot be loaded: "), broken.err);
  BOOST_TEST(contains(broken.err, "libcuda.so.1: "), broken.err);
  // Nobody asked for a GPU.
  const Outcome automatic = run_program({"devices"}, run.folder(), missing);
  BOOST_TEST(automatic.code == 0, automatic.err);
}

BOOST_AUTO_TEST_SUITE_END()
