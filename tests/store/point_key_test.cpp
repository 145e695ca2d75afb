#include <boost/test/unit_test.hpp>

#include "engine/store/record.h"
#include "tests/rapidcheck_case.h"
#include "tests/store/arbitrary_records.h"
#include "tests/store/example_records.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(point_key)

namespace {

/// Reads back the text of a key: `TAG LENGTH:BYTES` and a line break for each part.
class KeyReader {
 public:
  explicit KeyReader(std::string_view text) : rest_(text) { rest_.remove_prefix(8); }

  PointKey key() {
    PointKey key;
    key.pattern_name = part();
    key.pattern_text = part();
    const int parameters = std::stoi(part());
    for (int i = 0; i < parameters; ++i) {
      const std::string name = part();
      key.parameters.set(name, value());
    }
    key.measure = part();
    key.device = part();
    key.compiler = part();
    return key;
  }

 private:
  std::string part() {
    const std::size_t space = rest_.find(' ');
    const std::size_t colon = rest_.find(':', space);
    tag_ = rest_.substr(0, space);
    const std::size_t length = std::stoul(std::string(rest_.substr(space + 1, colon - space - 1)));
    const std::string part(rest_.substr(colon + 1, length));
    rest_.remove_prefix(colon + 1 + length + 1);
    return part;
  }

  Value value() {
    const std::string text = part();
    if (tag_ == "integer") return static_cast<std::int64_t>(std::stoll(text));
    if (tag_ == "boolean") return text == "true";
    if (tag_ == "element") return ElementType::find(text).value();
    return text;
  }

  std::string_view rest_;
  std::string_view tag_;
};

BOOST_AUTO_TEST_CASE(the_text_has_every_part_with_its_length) {
  const std::string expected = R"(point 1
pattern 6:stride
text 28:__global__ void stride() {}

parameters 1:2
name 6:STRIDE
integer 2:16
name 1:T
element 5:float
measure 10:cache cold
device 4:H200
compiler 10:NVRTC 13.0
)";
  BOOST_TEST(key_text(example_key(16)) == expected);
}

// A text from which the key can be read back belongs to no other key.
BOOST_AUTO_TEST_CASE(the_key_can_be_read_back_from_its_text) {
  check_property([] {
    const PointKey key = arbitrary_key();
    RC_ASSERT((KeyReader(key_text(key)).key() == key));
  });
}

BOOST_AUTO_TEST_CASE(keys_are_equal_exactly_when_their_texts_are) {
  check_property([] {
    const PointKey a = arbitrary_key();
    PointKey b = a;
    if (*rc::gen::arbitrary<bool>()) std::swap(b.measure, b.device);
    if (*rc::gen::arbitrary<bool>()) b.parameters = arbitrary_parameters();
    RC_ASSERT((key_text(a) == key_text(b)) == (a == b));
    RC_ASSERT((key_hash(a) == key_hash(b)) == (a == b));
  });
}

// Points stored under the hash of today are found under the same one tomorrow.
BOOST_AUTO_TEST_CASE(the_hash_is_xxh3_128_of_the_text) {
  BOOST_TEST(key_hash(example_key(16)) == "3b4ebab09ec767379bc86e99a8e98086");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
