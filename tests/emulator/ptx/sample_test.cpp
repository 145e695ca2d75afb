#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "engine/emulator/ptx/module.h"
#include "tests/emulator/ptx/operand_text.h"
#include "tests/emulator/ptx/samples.h"

namespace data = boost::unit_test::data;

namespace sweep::ptx::sample_test {
namespace {

const std::string& text_of_sample(const std::string& name) {
  const auto& all = testing::samples();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const testing::Sample& sample) { return sample.name == name; });
  BOOST_REQUIRE_MESSAGE(found != all.end(), "there is no sample " << name);
  return found->text;
}

BOOST_AUTO_TEST_CASE(every_function_of_every_sample_is_read) {
  BOOST_TEST(testing::samples().size() >= 12u);
  for (const testing::Sample& sample : testing::samples()) {
    BOOST_TEST_CONTEXT(sample.name) {
      const Module module(sample.text);
      const std::vector<std::string> names = testing::function_names(sample.text);
      BOOST_TEST(!names.empty());
      BOOST_TEST(!module.entries().empty());
      for (const std::string& name : names) BOOST_TEST(module.find_function(name) != nullptr, name);
      for (const std::string& name : module.entries()) {
        const Function& function = *module.find_function(name);
        BOOST_TEST(function.is_entry);
        BOOST_TEST(function.has_body);
        BOOST_TEST(!function.code.empty());
      }
    }
  }
}

/// An instruction of a sample: the one that starts like this, and all of it.
struct Row {
  std::string sample;
  std::string function;
  std::string start;
  std::string expected;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << row.sample << ": " << row.start;
  }
};

const std::vector<Row> instructions = {
    {"calls_90", "calls", "call ", "call {&retval0}, %rd13, {&param0}, ?prototype_1"},
    {"calls_90", "calls", "call.uni {}",
     "call.uni {}, @__assertfail, {&param0, &param1, &param2, &param3, &param4}"},
    {"calls_100", "calls", "call.uni {&retval0}, @v",
     "call.uni {&retval0}, @vprintf, {&param0, &param1}"},
    {"calls_90", "_Z6rotate3Bigf", "st.param.b32 [func_retval0+20]",
     "st.param.b32 [func_retval0+20], %r8"},
    {"assembly_90", "assembly", "setp.lt.and", "setp.lt.and.u32 {p, q}, %r7, %r4, !q"},
    {"assembly_90", "assembly", "selp", "selp.b32 %r7, 15, 255, p"},
    {"assembly_90", "assembly", "ld.global.nc",
     "ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%r7, %r4, %r5, %r6}, [%rd2-16]"},
    {"assembly_100", "assembly", "mov.b64 {", "mov.b64 {%r1, %r2}, %rd1"},
    {"assembly_100", "assembly", "shfl", "shfl.sync.down.b32 {%r19, %p1}, %r1, 1, 31, -1"},
    {"generic_90_debug", "generic", "call", "call.uni {}, @_Z3addPii, {&param0, &param1}"},
    {"handwritten", "jumps", "brx", "brx.idx.uni i, {#2, #2, #2}"},
    {"handwritten", "jumps", "call {&b}, %rd1", "call {&b}, %rd1, {&a}, {@first, @second}"},
    {"handwritten", "jumps", "call.uni", "call.uni {&b}, %rd1, {&a}, ?shape"},
    {"handwritten", "jumps", "tex", "tex.2d.v4.f32.f32 {%f0, %f1, _, %f3}, [.picture, {%f0, %f1}]"},
    {"handwritten", "jumps", "cp.async.bulk.shared",
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [.dynamic], [%rd2-128], "
     "256, [.dynamic+8]"},
    {"handwritten", "jumps", "elect", "elect.sync {_, p}, -1"},
};

BOOST_DATA_TEST_CASE(instructions_of_samples, data::make(instructions)) {
  const Module module(text_of_sample(sample.sample));
  const Function* const function = module.find_function(sample.function);
  BOOST_REQUIRE(function != nullptr);
  std::string found = "none";
  for (const Instruction& instruction : function->code) {
    const std::string text = testing::text_of(instruction, *function, module);
    if (text.starts_with(sample.start)) {
      found = text;
      break;
    }
  }
  BOOST_TEST(found == sample.expected);
}

BOOST_AUTO_TEST_CASE(inlined_loads_lead_to_the_kernel) {
  for (const std::string name : {"inlined_90", "inlined_100"}) {
    const Module module(text_of_sample(name));
    const Function& function = *module.find_function("inlined");
    BOOST_TEST(function.max_threads == 128u);
    BOOST_TEST(module.file_name(1) == "inlined.cu");
    std::vector<std::size_t> depths;
    for (const Instruction& instruction : function.code) {
      const CallChain& chain = function.places.at(instruction.place);
      if (instruction.opcode() != "ld.global.f32") continue;
      BOOST_REQUIRE(!chain.empty());
      BOOST_TEST(chain.front().line == 1u);
      BOOST_TEST(chain.back().line == 7u);
      depths.push_back(chain.size());
    }
    // at() < pair() < Sum<3>::of() < inlined(), then one Sum deeper for each two loads.
    const std::vector<std::size_t> expected = {4, 4, 5, 5, 6, 6};
    BOOST_TEST(depths == expected, boost::test_tools::per_element());
  }
}

}  // namespace
}  // namespace sweep::ptx::sample_test
