#include "engine/run/compiler_process.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <thread>

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
  const NvrtcResult decoded = decode_nvrtc_result(encode(result));
  BOOST_TEST(decoded.ok);
  BOOST_TEST(decoded.log == result.log);
  BOOST_TEST(decoded.ptx == result.ptx);
  BOOST_TEST((decoded.cubin == result.cubin));
  BOOST_TEST((decoded.lowered_names == result.lowered_names));
  BOOST_CHECK_THROW(decode_nvrtc_result(encode(source)), std::exception);
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

BOOST_DATA_TEST_CASE(what_a_process_does_not_compile_is_compiled_here,
                     data::make({"crash", "exit"}), text) {
  LocalStandIn here;
  CompilerProcess process(scripted, here);
  BOOST_TEST(process.compile(program("ok")).log != "here");
  const NvrtcResult result = process.compile(program(text));
  BOOST_TEST(result.log == "here");
  BOOST_TEST(result.ptx == text);
  // And a new process compiles what follows.
  BOOST_TEST(process.compile(program("ok")).log != "here");
  BOOST_TEST(here.programs == 1);
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
