#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <thread>

#include "engine/run/compile_pool.h"
#include "tests/pattern_from_text.h"
#include "tests/run/adding_pattern.h"
#include "tests/wait_until.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(compile_queue)

namespace {

std::vector<Configuration> many(std::size_t count) {
  std::vector<std::int64_t> values(count);
  std::iota(values.begin(), values.end(), 0);
  return configurations_with(pattern_from_text("add", adding_pattern), "K", values);
}

CompiledConfiguration compiled_at(std::size_t place) {
  CompiledConfiguration compiled;
  compiled.entries.steps.front().kernel = std::to_string(place);
  return compiled;
}

/// A compiler that needs no time.
void deliver_at_once(CompileQueue& queue, const CompileQueue::Task& task) {
  std::vector<std::optional<CompileOutcome>> outcomes;
  for (const std::size_t place : task.places) outcomes.emplace_back(compiled_at(place));
  queue.deliver(task, std::move(outcomes), 0.001 + 0.0001 * static_cast<double>(outcomes.size()));
}

/// A cache that has every third configuration.
void look_up(CompileQueue& queue, const CompileQueue::Task& task) {
  std::vector<std::optional<CompileOutcome>> found(task.places.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (task.places[i] % 3 == 0) found[i] = compiled_at(task.places[i]);
  }
  queue.deliver(task, std::move(found));
}

void do_task(CompileQueue& queue, const CompileQueue::Task& task) {
  if (task.kind == CompileQueue::Task::Kind::look_up) {
    look_up(queue, task);
  } else {
    deliver_at_once(queue, task);
  }
}

void work(CompileQueue& queue) {
  while (const auto task = queue.take_task()) do_task(queue, *task);
}

std::string taken_from(CompileQueue& queue) {
  return std::get<CompiledConfiguration>(queue.next()).entries.steps.front().kernel;
}

}  // namespace

BOOST_DATA_TEST_CASE(outcomes_come_in_order,
                     data::make({std::size_t{1}, std::size_t{7}, std::size_t{3000}}) *
                         data::make({1U, 4U}) * data::make({false, true}),
                     count, compilers, looks_up) {
  const std::vector<Configuration> configurations = many(count);
  CompileQueue queue(looks_up);
  queue.submit(pointers_to(configurations), compilers);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < compilers; ++i) threads.emplace_back([&] { work(queue); });
  std::size_t in_order = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (taken_from(queue) == std::to_string(i)) ++in_order;
  }
  queue.stop();
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(in_order == count);
  BOOST_CHECK_THROW(queue.next(), std::out_of_range);
}

BOOST_DATA_TEST_CASE(only_so_many_are_compiled_ahead, data::make({false, true}), looks_up) {
  const std::vector<Configuration> configurations = many(3000);
  CompileQueue queue(looks_up);
  queue.submit(pointers_to(configurations), 2);
  constexpr std::size_t most_ahead = 512;  // of two compilers
  std::atomic<std::size_t> furthest = 0;
  std::thread compiler([&] {
    while (const auto task = queue.take_task()) {
      furthest = std::max(furthest.load(), task->places.back());
      do_task(queue, *task);
    }
  });
  std::size_t worst = 0;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    // The compiler gets ahead at once where it can, and has time to go too far later on.
    if (i == 0) wait_until([&] { return furthest > most_ahead / 2; });
    if (i % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    worst = std::max(worst, furthest - std::min(furthest.load(), i));
    queue.next();
  }
  queue.stop();
  compiler.join();
  BOOST_TEST(worst < most_ahead);
  BOOST_TEST(worst > most_ahead / 2);
}

BOOST_AUTO_TEST_CASE(batches_stay_large_while_one_after_the_other_is_taken) {
  const std::vector<Configuration> configurations = many(4000);
  CompileQueue queue(false);
  queue.submit(pointers_to(configurations), 1);
  std::vector<std::size_t> sizes;
  std::thread compiler([&] {
    while (const auto task = queue.take_task()) {
      sizes.push_back(task->places.size());
      std::vector<std::optional<CompileOutcome>> outcomes(task->places.size(), CompileFailure{});
      queue.deliver(*task, std::move(outcomes), 0.1 + 1e-3 * static_cast<double>(sizes.back()));
    }
  });
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    if (i % 10 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    queue.next();
  }
  queue.stop();
  compiler.join();
  BOOST_TEST(sizes.size() < 4000 / BatchSize::largest + 10);
}

BOOST_AUTO_TEST_CASE(a_failure_reaches_the_one_that_waits) {
  const std::vector<Configuration> configurations = many(100);
  CompileQueue queue(false);
  queue.submit(pointers_to(configurations), 1);
  deliver_at_once(queue, *queue.take_task());
  std::thread failing([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    queue.fail(std::make_exception_ptr(std::runtime_error("it broke")));
  });
  const auto take_all = [&] {
    for (;;) queue.next();
  };
  BOOST_CHECK_EXCEPTION(take_all(), std::runtime_error, [](const std::runtime_error& error) {
    return error.what() == std::string("it broke");
  });
  failing.join();
  BOOST_TEST(!queue.take_task().has_value());
}

BOOST_AUTO_TEST_CASE(a_stopped_queue_has_no_tasks) {
  const std::vector<Configuration> configurations = many(100);
  CompileQueue queue(false);
  queue.submit(pointers_to(configurations), 1);
  std::thread waiting([&] {
    while (queue.take_task()) {
    }
  });
  queue.stop();
  waiting.join();
  BOOST_TEST(!queue.take_task().has_value());
}

BOOST_DATA_TEST_CASE(the_first_batches_are_in_order_and_for_compilers_that_have_started,
                     data::make({false, true}), looks_up) {
  const std::vector<Configuration> configurations = many(400);
  CompileQueue queue(looks_up);
  queue.submit(pointers_to(configurations), 4);
  std::optional<CompileQueue::Task> late;
  std::thread starting([&] {
    do late = queue.take_task(false);
    while (late && late->kind == CompileQueue::Task::Kind::look_up &&
           (look_up(queue, *late), true));
  });
  std::vector<std::size_t> places;
  while (places.size() < 4 + 8 + 16) {
    const auto task = queue.take_task();
    if (task->kind == CompileQueue::Task::Kind::look_up) {
      look_up(queue, *task);
    } else {
      places.insert(places.end(), task->places.begin(), task->places.end());
    }
  }
  starting.join();
  std::vector<std::size_t> missing;
  for (std::size_t place = 0; missing.size() < places.size(); ++place) {
    if (!looks_up || place % 3 != 0) missing.push_back(place);
  }
  BOOST_TEST(places == missing, boost::test_tools::per_element());
  BOOST_TEST(late->places.size() == BatchSize::unlearnt);
}

BOOST_AUTO_TEST_CASE(nothing_is_compiled_before_it_is_known_what_comes_first) {
  const std::vector<Configuration> configurations = many(600);
  CompileQueue queue(true);
  queue.submit(pointers_to(configurations), 4);
  const auto first = queue.take_task();
  const auto second = queue.take_task();
  BOOST_REQUIRE((second->kind == CompileQueue::Task::Kind::look_up));
  look_up(queue, *second);
  std::optional<CompileQueue::Task> batch;
  std::thread compiler([&] { batch = queue.take_task(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  look_up(queue, *first);
  compiler.join();
  BOOST_TEST((batch->kind == CompileQueue::Task::Kind::compile));
  BOOST_TEST(batch->places.front() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
