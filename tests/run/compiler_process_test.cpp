#include "engine/run/compiler_process.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <thread>

#include "engine/loader/dynamic_library.h"
#include "engine/run/compile_messages.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(compiler_process)

namespace {

using Command = std::vector<std::string>;

/// What compiles in this process: says so.
struct LocalStandIn : ProgramCompiler {
  NvrtcResult compile(const ProgramSource& source) override {
    ++programs;
    NvrtcResult result;
    result.ok = true;
    result.log = "here";
    result.ptx = source.text;
    return result;
  }
  int programs = 0;
};

ProgramSource program(const std::string& text) {
  return {text, {"--an-option"}, {"&a::b", "&c::d"}};
}

const Command scripted = {SWEEP_SCRIPTED_COMPILER, "scripted"};

}  // namespace

BOOST_AUTO_TEST_CASE(messages_say_all_there_is) {
  ProgramSource source = program("text\n\"\xff\"");
  BOOST_TEST((decode_program_source(encode(source)) == source));
  NvrtcResult result;
  result.ok = true;
  result.log = "log";
  result.ptx = "ptx";
  result.cubin = {'\0', '\x7f', '\xff'};
  result.lowered_names = {"_Z1a", "_Z1b"};
  const auto decoded = std::get<NvrtcResult>(decode_compile_reply(encode(result)));
  BOOST_TEST(decoded.ok);
  BOOST_TEST(decoded.log == result.log);
  BOOST_TEST(decoded.ptx == result.ptx);
  BOOST_TEST((decoded.cubin == result.cubin));
  BOOST_TEST((decoded.lowered_names == result.lowered_names));
  BOOST_TEST(std::get<std::string>(decode_compile_reply(encode_failure("no"))) == "no");
  BOOST_CHECK_THROW(decode_compile_reply(encode(source)), std::exception);
  BOOST_CHECK_THROW(decode_compile_reply({}), std::exception);
  BOOST_CHECK_THROW(decode_program_source({}), std::exception);
}

BOOST_AUTO_TEST_CASE(one_process_compiles_one_program_after_the_other) {
  LocalStandIn here;
  CompilerProcess process(scripted, here);
  const NvrtcResult first = process.compile(program("first"));
  const NvrtcResult second = process.compile(program(std::string(3'000'000, 'x')));
  BOOST_TEST(first.ptx == "first");
  BOOST_TEST((first.lowered_names == program("").name_expressions));
  BOOST_TEST(second.ptx.size() == 3'000'000U);
  BOOST_TEST(first.log == second.log);
  BOOST_TEST(first.log != std::to_string(getpid()));
  BOOST_TEST(here.programs == 0);
}

namespace {

struct Death {
  std::string text;  ///< of the program
  std::string words;
};
std::ostream& operator<<(std::ostream& out, const Death& death) {
  return out << death.text;
}

const Death deaths[] = {{"crash", "its process was killed by signal 9 (Killed)"},
                        {"exit", "its process ended with exit code 7"}};

}  // namespace

BOOST_DATA_TEST_CASE(a_program_over_which_processes_die_is_given_up, data::make(deaths), death) {
  LocalStandIn here;
  CompilerProcess process(scripted, here);
  BOOST_TEST(process.compile(program("ok")).ok);
  const NvrtcResult result = process.compile(program(death.text));
  BOOST_TEST(!result.ok);
  BOOST_TEST(result.log == death.words);
  // And a new process compiles what follows.
  BOOST_TEST(process.compile(program("ok")).ok);
  // What killed them must not come near this process.
  BOOST_TEST(here.programs == 0);
}

BOOST_AUTO_TEST_CASE(a_program_that_takes_too_long_is_given_up) {
  LocalStandIn here;
  CompilerProcess process(scripted, here, 0.2);
  const NvrtcResult result = process.compile(program("hang"));
  BOOST_TEST(!result.ok);
  BOOST_TEST(result.log == "its process had not compiled it after 0.2 s");
  BOOST_TEST(here.programs == 0);
}

BOOST_AUTO_TEST_CASE(a_failure_of_the_library_is_the_callers) {
  LocalStandIn here;
  CompilerProcess process(scripted, here);
  BOOST_CHECK_EXCEPTION(
      process.compile(program("library")), LibraryError,
      [](const LibraryError& error) { return error.what() == std::string("no such option"); });
  BOOST_TEST(process.compile(program("ok")).ok);
  BOOST_TEST(here.programs == 0);
}

BOOST_DATA_TEST_CASE(without_a_process_all_is_compiled_here,
                     data::make({"/no/such/program", "/bin/false", SWEEP_SCRIPTED_COMPILER}),
                     program_file) {
  LocalStandIn here;
  const Command command = {program_file, "nonsense"};
  CompilerProcess process(command, here);
  for (int i = 0; i < 5; ++i) BOOST_TEST(process.compile(program("ok")).log == "here");
  BOOST_TEST(here.programs == 5);
}

BOOST_AUTO_TEST_CASE(a_process_that_is_stopped_compiles_nothing_here) {
  LocalStandIn here;
  CompilerProcess process(scripted, here);
  process.compile(program("ok"));
  std::thread stopping([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    process.stop();
  });
  BOOST_CHECK_THROW(process.compile(program("hang")), CompilingStopped);
  stopping.join();
  BOOST_TEST(here.programs == 0);
}

BOOST_AUTO_TEST_SUITE_END()
