#include <boost/test/unit_test.hpp>

#include "engine/jit/compiler.h"
#include "engine/jit/program_cache.h"
#include "tests/contains.h"
#include "tests/nvrtc_fixture.h"
#include "tests/pattern_from_text.h"
#include "tests/referenced_pattern.h"
#include "tests/temporary_folder.h"

namespace sweep::testing {
namespace {
namespace compiled_reference {

struct CountedPrograms : ProgramCompiler {
  NvrtcResult compile(const ProgramSource& source) override {
    ++programs;
    return nvrtc()->compile(source);
  }
  int programs = 0;
};

const CompiledConfiguration& compiled(const CompileOutcome& outcome) {
  const auto* failure = std::get_if<CompileFailure>(&outcome);
  if (failure != nullptr) BOOST_FAIL(render(failure->errors));
  return std::get<CompiledConfiguration>(outcome);
}

}  // namespace compiled_reference
}  // namespace

BOOST_AUTO_TEST_SUITE(references, *boost::unit_test::precondition(has_nvrtc))

BOOST_AUTO_TEST_CASE(a_reference_is_compiled_once_for_equal_inputs) {
  using namespace compiled_reference;
  const PatternPtr pattern = pattern_from_text("doubled", referenced_pattern);
  const Compiler compiler(nvrtc(), 90);
  CountedPrograms counted;
  const auto outcomes =
      compiler.compile(configurations_with(pattern, "BLOCK", {32, 64, 128}), &counted);
  BOOST_TEST(counted.programs == 2);
  const CompiledConfiguration& first = compiled(outcomes.front());
  const CompiledConfiguration& last = compiled(outcomes.back());
  BOOST_REQUIRE(first.reference != nullptr);
  BOOST_TEST(first.reference->program == last.reference->program);
  BOOST_TEST(contains(first.reference->program->ptx, "plain"));
  BOOST_TEST(!contains(first.reference->program->ptx, "7doubledE"));
  BOOST_TEST(contains(first.program->ptx, "7doubledE"));
  BOOST_TEST(!contains(first.program->ptx, "plain"));
  compiler.compile(configurations_with(pattern, "BLOCK", {256}), &counted);
  BOOST_TEST(counted.programs == 3);
  // Of two sizes, in one program.
  compiler.compile(configurations_with(pattern, "N", {512, 1024}), &counted);
  BOOST_TEST(counted.programs == 5);
}

BOOST_AUTO_TEST_CASE(what_is_wrong_in_a_reference_says_so) {
  using namespace compiled_reference;
  std::string text = referenced_pattern;
  text.replace(text.find("in[i] + in[i]"), 13, "in[i] + no[i]");
  const auto outcomes =
      Compiler(nvrtc(), 90)
          .compile(configurations_with(pattern_from_text("doubled", text), "N", {256}));
  const auto* failure = std::get_if<CompileFailure>(&outcomes.front());
  BOOST_REQUIRE(failure != nullptr);
  const Diagnostic& error = failure->errors.list().front();
  BOOST_TEST(contains(error.message, "the reference: identifier \"no\" is undefined"),
             error.message);
  BOOST_TEST(line_of(text, error.where.line) == "  if (i < n) out[i] = in[i] + no[i];");
}

BOOST_AUTO_TEST_CASE(the_cache_has_references) {
  using namespace compiled_reference;
  const TemporaryFolder folder;
  const CacheSettings settings{folder.path() / "cache" / "sweep"};
  const PatternPtr pattern = pattern_from_text("doubled", referenced_pattern);
  const auto configurations = configurations_with(pattern, "BLOCK", {32, 64});
  const auto outcomes = Compiler(nvrtc(), 90).compile(configurations);
  ProgramCache(settings).add(configurations, outcomes, "identity");
  const auto found = ProgramCache(settings).find(configurations, "identity");
  for (std::size_t i = 0; i < found.size(); ++i) {
    BOOST_REQUIRE(found[i].has_value());
    BOOST_REQUIRE(found[i]->reference != nullptr);
    BOOST_TEST(found[i]->program->ptx == compiled(outcomes[i]).program->ptx);
    BOOST_TEST(found[i]->reference->program->ptx == compiled(outcomes[i]).reference->program->ptx);
    BOOST_TEST(found[i]->reference->entries.steps.front().kernel ==
               compiled(outcomes[i]).reference->entries.steps.front().kernel);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
