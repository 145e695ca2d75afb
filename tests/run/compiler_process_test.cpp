#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <thread>

#include "engine/run/compile_pool.h"
#include "engine/system/dynamic_library.h"
#include "engine/text/byte_sequence.h"
#include "tests/contains.h"
#include "tests/run/compiler_words.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(compiler_process)

namespace {

ProgramSource program(const std::string& text) {
  return {text, {"--an-option"}, {"&a::b", "&c::d"}};
}

/// Processes that do as a program says, and a compiler that uses one.
struct Scripted {
  std::shared_ptr<CompilerProcesses> processes = compilers_that("scripted");
  CompilerProcess process{*processes};
};

}  // namespace

BOOST_AUTO_TEST_CASE(messages_say_all_there_is) {
  ProgramSource source = program("text\n\"\xff\"");
  BOOST_TEST((decode_message<ProgramSource>(encode_message(source)) == source));
  NvrtcResult result;
  result.ok = true;
  result.log = "log";
  result.ptx = "ptx";
  result.cubin = {'\0', '\x7f', '\xff'};
  result.lowered_names = {"_Z1a", "_Z1b"};
  const auto decoded =
      std::get<NvrtcResult>(decode_message<CompileReply>(encode_message(CompileReply(result))));
  BOOST_TEST(decoded.ok);
  BOOST_TEST(decoded.log == result.log);
  BOOST_TEST(decoded.ptx == result.ptx);
  BOOST_TEST((decoded.cubin == result.cubin));
  BOOST_TEST((decoded.lowered_names == result.lowered_names));
  BOOST_TEST(std::get<std::string>(
                 decode_message<CompileReply>(encode_message(CompileReply("no")))) == "no");
  BOOST_CHECK_THROW(decode_message<CompileReply>(encode_message(source)), std::exception);
  BOOST_CHECK_THROW(decode_message<CompileReply>(""), std::exception);
  BOOST_CHECK_THROW(decode_message<ProgramSource>(""), std::exception);
}

BOOST_AUTO_TEST_CASE(one_process_compiles_one_program_after_the_other) {
  Scripted scripted;
  CompilerProcess& process = scripted.process;
  const NvrtcResult first = process.compile(program("first"));
  const NvrtcResult second = process.compile(program(std::string(3'000'000, 'x')));
  BOOST_TEST(first.ptx == "first");
  BOOST_TEST((first.lowered_names == program("").name_expressions));
  BOOST_TEST(second.ptx.size() == 3'000'000U);
  BOOST_TEST(first.log == second.log);
  BOOST_TEST(first.log != std::to_string(getpid()));
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
  Scripted scripted;
  CompilerProcess& process = scripted.process;
  BOOST_TEST(process.compile(program("ok")).ok);
  const NvrtcResult result = process.compile(program(death.text));
  BOOST_TEST(!result.ok);
  BOOST_TEST(result.log == death.words);
  // And a new process compiles what follows.
  BOOST_TEST(process.compile(program("ok")).ok);
}

BOOST_AUTO_TEST_CASE(a_program_that_takes_too_long_is_given_up) {
  const auto processes = compilers_that("scripted");
  CompilerProcess process(*processes, 0.2);
  const NvrtcResult result = process.compile(program("hang"));
  BOOST_TEST(!result.ok);
  BOOST_TEST(result.log == "its process had not compiled it after 0.2 s");
}

BOOST_AUTO_TEST_CASE(a_failure_of_the_library_is_the_callers) {
  Scripted scripted;
  CompilerProcess& process = scripted.process;
  BOOST_CHECK_EXCEPTION(
      process.compile(program("library")), LibraryError,
      [](const LibraryError& error) { return error.what() == std::string("no such option"); });
  BOOST_TEST(process.compile(program("ok")).ok);
}

BOOST_AUTO_TEST_CASE(a_process_that_talks_nonsense_is_no_compiler) {
  const auto processes = compilers_that("nonsense");
  CompilerProcess process(*processes);
  for (int i = 0; i < 2; ++i) {
    const NvrtcResult result = process.compile(program("ok"));
    BOOST_TEST(!result.ok);
    BOOST_TEST(result.log == "its process gave no proper answer: an unknown choice");
  }
}

namespace {

struct NoStart {
  std::string program;
  std::string words;
};
std::ostream& operator<<(std::ostream& out, const NoStart& row) {
  return out << row.program;
}

const NoStart no_starts[] = {
    {"/no/such/program", "No such file or directory"},
    {"/bin/false", "it ended with exit code 1 before it was ready"},
};

}  // namespace

BOOST_DATA_TEST_CASE(what_cannot_be_started_is_said, data::make(no_starts), row) {
  CompilerProcesses processes({row.program});
  processes.start_ahead(2);
  CompilerProcess process(processes);
  const std::string expected = "no compiler process can be started: " + row.words + "; 'ulimit -a'";
  BOOST_CHECK_EXCEPTION(
      process.compile(program("ok")), CompilerStartFailure,
      [&](const LibraryError& error) { return contains(error.what(), expected); });
}

BOOST_AUTO_TEST_CASE(a_process_serves_one_compiler_after_the_other) {
  const auto processes = compilers_that("scripted");
  processes->start_ahead(1);
  std::string first;
  {
    CompilerProcess process(*processes);
    first = process.compile(program("ok")).log;
  }
  CompilerProcess process(*processes);
  CompilerProcess another(*processes);
  BOOST_TEST(process.compile(program("ok")).log == first);
  BOOST_TEST(another.compile(program("ok")).log != first);
}

BOOST_AUTO_TEST_CASE(a_process_that_is_stopped_compiles_nothing) {
  Scripted scripted;
  CompilerProcess& process = scripted.process;
  process.compile(program("ok"));
  std::thread stopping([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    process.stop();
  });
  BOOST_CHECK_THROW(process.compile(program("hang")), CompilingStopped);
  stopping.join();
}

BOOST_AUTO_TEST_SUITE_END()
