#include <boost/test/unit_test.hpp>
#include <deque>
#include <string>

#include "engine/cuda/module_cache.h"
#include "tests/rapidcheck_case.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(recently_used)

BOOST_AUTO_TEST_CASE(the_value_unused_for_longest_makes_way) {
  RecentlyUsed<int, std::string> values(2);
  values.insert(1, "one");
  values.insert(2, "two");
  BOOST_TEST(*values.find(1) == "one");
  values.insert(3, "three");
  BOOST_TEST((values.find(2) == nullptr));
  BOOST_TEST(*values.find(1) == "one");
  BOOST_TEST(*values.find(3) == "three");
  BOOST_TEST(values.size() == 2U);
}

BOOST_AUTO_TEST_CASE(values_are_replaced_erased_and_cleared) {
  RecentlyUsed<int, std::string> values(2);
  values.insert(1, "one");
  values.insert(1, "uno");
  BOOST_TEST(values.size() == 1U);
  BOOST_TEST(*values.find(1) == "uno");
  values.erase(1);
  BOOST_TEST((values.find(1) == nullptr));
  values.insert(2, "two");
  values.clear();
  BOOST_TEST(values.size() == 0U);
}

BOOST_AUTO_TEST_CASE(the_last_distinct_keys_used_are_there) {
  testing::check_property([] {
    const auto capacity = *rc::gen::inRange<std::size_t>(1, 6);
    const auto uses = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 10));
    RecentlyUsed<int, int> values(capacity);
    std::deque<int> model;
    for (const int key : uses) {
      if (values.find(key) == nullptr) values.insert(key, key);
      std::erase(model, key);
      model.push_front(key);
      if (model.size() > capacity) model.pop_back();
    }
    RC_ASSERT(values.size() == model.size());
    for (const int key : model) RC_ASSERT(values.find(key) != nullptr);
  });
}

BOOST_AUTO_TEST_SUITE_END()
