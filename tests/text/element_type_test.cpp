#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <set>
#include <vector>

#include "engine/text/value.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(element_type)

namespace {

using sweep::ElementHeader;
using sweep::ElementType;

/// Sizes as in CUDA's documentation of its built-in vector types and 16-bit types.
struct Row {
  std::string name;
  std::string cuda;
  std::size_t size;
  unsigned components;
  const ElementHeader* header = nullptr;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }
};

const std::vector<Row> types = {
    {"int8_t", "signed char", 1, 1},
    {"uint8_t", "unsigned char", 1, 1},
    {"int16_t", "short", 2, 1},
    {"uint16_t", "unsigned short", 2, 1},
    {"int32_t", "int", 4, 1},
    {"uint32_t", "unsigned int", 4, 1},
    {"int64_t", "long long", 8, 1},
    {"uint64_t", "unsigned long long", 8, 1},
    {"half", "__half", 2, 1, &sweep::element_headers()[0]},
    {"bfloat16", "__nv_bfloat16", 2, 1, &sweep::element_headers()[1]},
    {"float", "float", 4, 1},
    {"double", "double", 8, 1},
    {"bool", "bool", 1, 1},
    {"half2", "__half2", 4, 2, &sweep::element_headers()[0]},
    {"bfloat162", "__nv_bfloat162", 4, 2, &sweep::element_headers()[1]},
    {"char1", "char1", 1, 1},
    {"char2", "char2", 2, 2},
    {"char3", "char3", 3, 3},
    {"char4", "char4", 4, 4},
    {"uchar1", "uchar1", 1, 1},
    {"uchar2", "uchar2", 2, 2},
    {"uchar3", "uchar3", 3, 3},
    {"uchar4", "uchar4", 4, 4},
    {"short1", "short1", 2, 1},
    {"short2", "short2", 4, 2},
    {"short3", "short3", 6, 3},
    {"short4", "short4", 8, 4},
    {"ushort1", "ushort1", 2, 1},
    {"ushort2", "ushort2", 4, 2},
    {"ushort3", "ushort3", 6, 3},
    {"ushort4", "ushort4", 8, 4},
    {"int1", "int1", 4, 1},
    {"int2", "int2", 8, 2},
    {"int3", "int3", 12, 3},
    {"int4", "int4", 16, 4},
    {"uint1", "uint1", 4, 1},
    {"uint2", "uint2", 8, 2},
    {"uint3", "uint3", 12, 3},
    {"uint4", "uint4", 16, 4},
    {"longlong1", "longlong1", 8, 1},
    {"longlong2", "longlong2", 16, 2},
    {"longlong3", "longlong3", 24, 3},
    {"longlong4", "longlong4", 32, 4},
    {"ulonglong1", "ulonglong1", 8, 1},
    {"ulonglong2", "ulonglong2", 16, 2},
    {"ulonglong3", "ulonglong3", 24, 3},
    {"ulonglong4", "ulonglong4", 32, 4},
    {"float1", "float1", 4, 1},
    {"float2", "float2", 8, 2},
    {"float3", "float3", 12, 3},
    {"float4", "float4", 16, 4},
    {"double1", "double1", 8, 1},
    {"double2", "double2", 16, 2},
    {"double3", "double3", 24, 3},
    {"double4", "double4", 32, 4},
    {"longlong4_16a", "longlong4_16a", 32, 4},
    {"longlong4_32a", "longlong4_32a", 32, 4},
    {"ulonglong4_16a", "ulonglong4_16a", 32, 4},
    {"ulonglong4_32a", "ulonglong4_32a", 32, 4},
    {"double4_16a", "double4_16a", 32, 4},
    {"double4_32a", "double4_32a", 32, 4},
};

struct Alias {
  std::string alias;
  std::string name;

  friend std::ostream& operator<<(std::ostream& out, const Alias& row) { return out << row.alias; }
};

const std::vector<Alias> aliases = {
    {"char", "int8_t"},
    {"uchar", "uint8_t"},
    {"short", "int16_t"},
    {"ushort", "uint16_t"},
    {"int", "int32_t"},
    {"uint", "uint32_t"},
    {"unsigned", "uint32_t"},
    {"__half", "half"},
    {"__nv_bfloat16", "bfloat16"},
    {"__half2", "half2"},
    {"__nv_bfloat162", "bfloat162"},
    {"nv_bfloat16", "bfloat16"},
    {"nv_bfloat162", "bfloat162"},
    {"signed", "int32_t"},
    {"signed char", "int8_t"},
    {"unsigned char", "uint8_t"},
    {"unsigned short", "uint16_t"},
    {"unsigned int", "uint32_t"},
    {"long", "int64_t"},
    {"long long", "int64_t"},
    {"size_t", "uint64_t"},
    {"unsigned long", "uint64_t"},
    {"long unsigned int", "uint64_t"},
    {"unsigned long long", "uint64_t"},
};

}  // namespace

BOOST_DATA_TEST_CASE(is_what_cuda_documents, data::make(types), row) {
  const auto type = ElementType::find(row.name);
  BOOST_REQUIRE(type.has_value());
  BOOST_TEST(type->name() == row.name);
  BOOST_TEST(type->cuda() == row.cuda);
  BOOST_TEST(type->size() == row.size);
  BOOST_TEST(type->components() == row.components);
  BOOST_TEST((type->header() == row.header));
}

BOOST_AUTO_TEST_CASE(alignments_are_cudas) {
  const std::pair<const char*, std::size_t> alignments[] = {
      {"int8_t", 1},  {"double", 8},         {"half2", 4},         {"float1", 4},   {"float3", 4},
      {"float4", 16}, {"double2", 16},       {"double3", 8},       {"double4", 16}, {"ushort4", 8},
      {"char3", 1},   {"longlong4_16a", 16}, {"longlong4_32a", 32}};
  for (const auto& [name, alignment] : alignments) {
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(ElementType::find(name)->alignment() == alignment);
    }
  }
}

BOOST_AUTO_TEST_CASE(vectors_have_components_even_if_it_is_one) {
  for (const char* name : {"float1", "half2", "double4_32a"}) {
    BOOST_TEST(ElementType::find(name)->is_vector());
  }
  for (const char* name : {"half", "float", "int8_t", "bool"}) {
    BOOST_TEST(!ElementType::find(name)->is_vector());
  }
}

BOOST_AUTO_TEST_CASE(the_names_are_exactly_the_types) {
  std::vector<std::string> expected;
  for (const Row& row : types) expected.push_back(row.name);
  const auto names = ElementType::names();
  BOOST_TEST(std::vector<std::string>(names.begin(), names.end()) == expected,
             boost::test_tools::per_element());
}

BOOST_DATA_TEST_CASE(aliases_mean_the_same_type, data::make(aliases), row) {
  BOOST_REQUIRE(ElementType::find(row.alias).has_value());
  BOOST_TEST((ElementType::find(row.alias) == ElementType::find(row.name)));
  BOOST_TEST(ElementType::find(row.alias)->name() == row.name);
}

BOOST_DATA_TEST_CASE(other_names_are_no_types,
                     data::make({"", "Float", "float5", "float ", "int128_t", "void", "STRIDE"}),
                     name) {
  BOOST_TEST(!ElementType::find(name).has_value());
}

BOOST_AUTO_TEST_CASE(types_are_regular_and_ordered_as_listed) {
  const auto names = ElementType::names();
  for (std::size_t i = 1; i < names.size(); ++i) {
    BOOST_TEST((*ElementType::find(names[i - 1]) < *ElementType::find(names[i])));
  }
}

BOOST_AUTO_TEST_SUITE_END()
