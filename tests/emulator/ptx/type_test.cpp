#include "engine/emulator/ptx/type.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <vector>

namespace data = boost::unit_test::data;

namespace sweep::ptx::type_test {
namespace {

struct Row {
  std::string_view name;
  Type type;
  unsigned bits;
  unsigned bytes;
  bool is_signed;
  bool is_floating;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }
};

const std::vector<Row> types = {
    {"pred", Type::pred, 1, 0, false, false},   {"b8", Type::b8, 8, 1, false, false},
    {"b16", Type::b16, 16, 2, false, false},    {"b32", Type::b32, 32, 4, false, false},
    {"b64", Type::b64, 64, 8, false, false},    {"b128", Type::b128, 128, 16, false, false},
    {"u8", Type::u8, 8, 1, false, false},       {"u16", Type::u16, 16, 2, false, false},
    {"u32", Type::u32, 32, 4, false, false},    {"u64", Type::u64, 64, 8, false, false},
    {"s8", Type::s8, 8, 1, true, false},        {"s16", Type::s16, 16, 2, true, false},
    {"s32", Type::s32, 32, 4, true, false},     {"s64", Type::s64, 64, 8, true, false},
    {"f16", Type::f16, 16, 2, false, true},     {"f16x2", Type::f16x2, 32, 4, false, true},
    {"bf16", Type::bf16, 16, 2, false, true},   {"bf16x2", Type::bf16x2, 32, 4, false, true},
    {"tf32", Type::tf32, 32, 4, false, true},   {"f32", Type::f32, 32, 4, false, true},
    {"f32x2", Type::f32x2, 64, 8, false, true}, {"f64", Type::f64, 64, 8, false, true},
};

BOOST_DATA_TEST_CASE(types_have_their_sizes, data::make(types)) {
  BOOST_TEST((find_type(sample.name) == sample.type));
  BOOST_TEST(to_string(sample.type) == sample.name);
  BOOST_TEST(bits_of(sample.type) == sample.bits);
  BOOST_TEST(bytes_of(sample.type) == sample.bytes);
  BOOST_TEST(is_signed(sample.type) == sample.is_signed);
  BOOST_TEST(is_floating(sample.type) == sample.is_floating);
}

struct SpaceRow {
  std::string_view name;
  Space space;

  friend std::ostream& operator<<(std::ostream& out, const SpaceRow& row) {
    return out << row.name;
  }
};

const std::vector<SpaceRow> spaces = {{"generic", Space::generic}, {"param", Space::param},
                                      {"local", Space::local},     {"shared", Space::shared},
                                      {"global", Space::global},   {"const", Space::constant}};

BOOST_DATA_TEST_CASE(spaces_have_names, data::make(spaces)) {
  BOOST_TEST((find_space(sample.name) == sample.space));
  BOOST_TEST(to_string(sample.space) == sample.name);
}

BOOST_AUTO_TEST_CASE(other_names_are_nothing) {
  for (const std::string_view name : {"", "f", "f3", "f322", "F32", "reg"}) {
    BOOST_TEST(!find_type(name).has_value());
    BOOST_TEST(!find_space(name).has_value());
  }
}

}  // namespace
}  // namespace sweep::ptx::type_test
