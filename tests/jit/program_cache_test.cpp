#include "engine/jit/program_cache.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <thread>

#include "tests/jit/cached_programs.h"
#include "tests/rapidcheck_case.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
namespace {
namespace program_cache {

/// Any value of any kind.
Value any_value() {
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return *rc::gen::arbitrary<std::int64_t>();
    case 1:
      return *rc::gen::arbitrary<bool>();
    case 2: {
      const auto names = ElementType::names();
      return *ElementType::find(names[*rc::gen::inRange<std::size_t>(0, names.size())]);
    }
    default:
      return *rc::gen::arbitrary<std::string>();
  }
}

Configuration any_configuration(const PatternPtr& pattern) {
  Configuration configuration;
  configuration.pattern = pattern;
  const int count = *rc::gen::inRange(0, 6);
  for (int i = 0; i < count; ++i) {
    configuration.parameters.set(*rc::gen::arbitrary<std::string>(), any_value());
  }
  return configuration;
}

Diagnostics any_warnings(const SourcePtr& source) {
  Diagnostics warnings;
  const int count = *rc::gen::inRange(0, 3);
  for (int i = 0; i < count; ++i) {
    Location where;
    where.source = source;
    where.line = *rc::gen::inRange<std::size_t>(0, 10);
    where.column = *rc::gen::inRange<std::size_t>(0, 100);
    where.length = *rc::gen::inRange<std::size_t>(0, 100);
    where.exact = *rc::gen::arbitrary<bool>();
    Diagnostic warning;
    warning.severity = *rc::gen::element(Severity::error, Severity::warning, Severity::note);
    warning.where = where;
    warning.message = *rc::gen::arbitrary<std::string>();
    warning.help = *rc::gen::arbitrary<std::string>();
    warnings.add(std::move(warning));
  }
  return warnings;
}

bool same(const Diagnostics& a, const Diagnostics& b) {
  return std::ranges::equal(a.list(), b.list(), [](const Diagnostic& x, const Diagnostic& y) {
    return x.severity == y.severity && x.message == y.message && x.help == y.help &&
           x.where.source == y.where.source && x.where.line == y.where.line &&
           x.where.column == y.where.column && x.where.length == y.where.length &&
           x.where.exact == y.where.exact;
  });
}

bool same(const CompiledConfiguration& a, const CompiledConfiguration& b) {
  return a.program->cubin == b.program->cubin && a.program->ptx == b.program->ptx &&
         a.entries.steps.front().kernel == b.entries.steps.front().kernel &&
         a.entries.init == b.entries.init && a.entries.check == b.entries.check &&
         a.entries.sizes == b.entries.sizes && same(a.warnings, b.warnings);
}

}  // namespace program_cache

BOOST_FIXTURE_TEST_SUITE(program_cache, CachedPrograms)

BOOST_AUTO_TEST_CASE(what_is_added_is_found_again_by_another_process) {
  check_property([&] {
    std::vector<Configuration> configurations;
    std::vector<CompileOutcome> outcomes;
    Program bytes;
    bytes.cubin = *rc::gen::arbitrary<std::vector<char>>();
    bytes.ptx = *rc::gen::arbitrary<std::string>();
    const auto program = std::make_shared<const Program>(bytes);
    const int count = *rc::gen::inRange(1, 6);
    for (int i = 0; i < count; ++i) {
      Configuration configuration = any_configuration(pattern);
      const auto is_same = [&](const Configuration& other) {
        return other.parameters == configuration.parameters;
      };
      if (std::ranges::any_of(configurations, is_same)) continue;
      CompiledConfiguration one;
      one.program = program;
      one.entries.steps.front().kernel = *rc::gen::arbitrary<std::string>();
      one.entries.init = *rc::gen::arbitrary<std::vector<std::string>>();
      one.entries.check = *rc::gen::arbitrary<std::vector<std::string>>();
      one.entries.sizes = *rc::gen::arbitrary<std::vector<std::string>>();
      one.warnings = any_warnings(pattern->source);
      configurations.push_back(std::move(configuration));
      outcomes.emplace_back(std::move(one));
    }
    const auto identity_now = *rc::gen::arbitrary<std::string>();
    ProgramCache writer(settings);
    writer.add(configurations, outcomes, identity_now);
    ProgramCache reader(settings);
    for (ProgramCache* cache : {&writer, &reader}) {
      const auto found = cache->find(configurations, identity_now);
      RC_ASSERT(found.size() == configurations.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        RC_ASSERT(found[i].has_value());
        RC_ASSERT(same(*found[i], std::get<CompiledConfiguration>(outcomes[i])));
        RC_ASSERT(found[i]->program == found[0]->program);
      }
    }
    RC_ASSERT(writer.problem().empty());
    RC_ASSERT(reader.problem().empty());
  });
}

BOOST_AUTO_TEST_CASE(only_the_same_parameters_are_found) {
  check_property([&] {
    const std::vector<Configuration> one = {any_configuration(pattern)};
    const std::vector<Configuration> other = {any_configuration(pattern)};
    RC_PRE(!(one[0].parameters == other[0].parameters));
    const std::string identity_now = *rc::gen::arbitrary<std::string>();
    ProgramCache cache({folder.path() / std::to_string(*rc::gen::arbitrary<std::uint64_t>())});
    cache.add(one, compiled(1, program("ptx")), identity_now);
    if (cache.find(other, identity_now)[0]) {
      // An earlier case may have added it to this folder.
      RC_DISCARD("known");
    }
    RC_ASSERT(cache.find(one, identity_now)[0].has_value());
  });
}

BOOST_AUTO_TEST_CASE(values_of_another_kind_are_other_values) {
  Configuration number;
  number.pattern = pattern;
  number.parameters.set("T", std::int64_t{1});
  Configuration truth = number;
  truth.parameters.set("T", true);
  Configuration word = number;
  word.parameters.set("T", std::string("float"));
  Configuration type = number;
  type.parameters.set("T", *ElementType::find("float"));
  const std::vector<Configuration> all = {number, truth, word, type};
  for (std::size_t i = 0; i < all.size(); ++i) {
    ProgramCache cache({folder.path() / std::to_string(i)});
    cache.add(std::span(all).subspan(i, 1), compiled(1, program("ptx")), identity);
    const auto found = cache.find(all, identity);
    for (std::size_t j = 0; j < all.size(); ++j) BOOST_TEST(found[j].has_value() == (i == j));
  }
}

BOOST_AUTO_TEST_CASE(another_text_name_path_or_identity_is_another_entry) {
  add({1}, "ptx");
  ProgramCache cache(settings);
  const auto finds = [&](const PatternPtr& other, const std::string& identity_now) {
    const std::vector<Configuration> one = {{other, strides({1})[0].parameters}};
    return cache.find(one, identity_now)[0].has_value();
  };
  BOOST_TEST(finds(pattern, identity));
  BOOST_TEST(finds(pattern_named("strided"), identity));
  BOOST_TEST(!finds(pattern, "another compiler"));
  BOOST_TEST(!finds(pattern, ""));
  BOOST_TEST(!finds(pattern_named("strided", " "), identity));
  BOOST_TEST(!finds(pattern_named("another"), identity));
  Pattern moved = *pattern;
  moved.path = "elsewhere/strided.cu";
  BOOST_TEST(!finds(std::make_shared<const Pattern>(moved), identity));
  Pattern shown = *pattern;
  shown.source = std::make_shared<const Source>(Source{"./strided.cu", pattern->source->text});
  BOOST_TEST(!finds(std::make_shared<const Pattern>(shown), identity));
  Pattern other_include = *pattern;
  other_include.included_text = "// a.h\n";
  BOOST_TEST(!finds(std::make_shared<const Pattern>(other_include), identity));
}

BOOST_AUTO_TEST_CASE(warnings_come_back_with_their_places_in_the_askers_source) {
  Diagnostics warnings;
  warnings.warning({pattern->source, 8, 12, 3}, "data is never read", "read it");
  auto outcomes = compiled(2, program("ptx"));
  for (CompileOutcome& outcome : outcomes) {
    std::get<CompiledConfiguration>(outcome).warnings = warnings;
  }
  ProgramCache(settings).add(strides({1, 2}), outcomes, identity);
  pattern = pattern_named("strided");
  const auto found = ProgramCache(settings).find(strides({2}), identity);
  BOOST_REQUIRE(found[0].has_value());
  BOOST_TEST(render(found[0]->warnings) == render(warnings));
  BOOST_TEST(found[0]->warnings.list().at(0).where.source.get() == pattern->source.get());
}

BOOST_AUTO_TEST_CASE(failures_are_not_kept_and_each_program_has_a_file) {
  auto outcomes = compiled(4, program("first"));
  outcomes[1] = CompileFailure{};
  std::get<CompiledConfiguration>(outcomes[2]).program = program("second");
  ProgramCache(settings).add(strides({1, 2, 3, 4}), outcomes, identity);
  BOOST_TEST(files().size() == 2U);
  BOOST_TEST(find(1) == "first");
  BOOST_TEST(find(2) == "-");
  BOOST_TEST(find(3) == "second");
  BOOST_TEST(find(4) == "first");
}

BOOST_AUTO_TEST_CASE(the_newest_of_several_files_is_found) {
  add({1, 2}, "old");
  add({2, 3}, "new");
  BOOST_TEST(files().size() == 2U);
  BOOST_TEST(find(1) == "old");
  BOOST_TEST(find(2) == "new");
  BOOST_TEST(find(3) == "new");
  add({1, 2}, "newest");
  BOOST_TEST(files().size() == 2U);
  BOOST_TEST(find(2) == "newest");
}

BOOST_AUTO_TEST_CASE(a_program_is_loaded_once_while_it_is_held) {
  add({1, 2}, "ptx");
  ProgramCache cache(settings);
  const auto first = cache.find(strides({1}), identity);
  const auto second = cache.find(strides({2}), identity);
  BOOST_REQUIRE((first[0] && second[0]));
  BOOST_TEST(first[0]->program.get() == second[0]->program.get());
}

BOOST_AUTO_TEST_CASE(an_open_cache_finds_what_it_adds_itself) {
  ProgramCache cache(settings);
  BOOST_TEST(find(cache, 1) == "-");
  cache.add(strides({1}), compiled(1, program("ptx")), identity);
  BOOST_TEST(find(cache, 1) == "ptx");
}

BOOST_AUTO_TEST_CASE(several_threads_may_find_and_add) {
  ProgramCache cache(settings);
  std::vector<std::jthread> threads;
  std::atomic<int> wrong = 0;
  for (std::int64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::int64_t i = 0; i < 25; ++i) {
        const std::int64_t stride = thread * 100 + i;
        const std::string ptx = std::to_string(stride);
        cache.add(strides({stride}), compiled(1, program(ptx)), identity);
        const auto all = cache.find(strides({stride, stride - 1}), identity);
        if (!all[0] || all[0]->program->ptx != ptx) ++wrong;
        if (i > 0 && !all[1]) ++wrong;
      }
    });
  }
  threads.clear();
  BOOST_TEST(wrong == 0);
  BOOST_TEST(files().size() == 100U);
}

BOOST_AUTO_TEST_CASE(finds_what_another_process_adds_meanwhile) {
  add({1}, "one");
  ProgramCache cache(settings);
  BOOST_TEST(find(cache, 1) == "one");
  BOOST_TEST(find(cache, 2) == "-");
  add({2, 3}, "two and three");
  BOOST_TEST(find(cache, 2) == "two and three");
  BOOST_TEST(find(cache, 3) == "two and three");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
