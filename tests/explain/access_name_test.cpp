#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

#include "engine/explain/explanation.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(access_name)

namespace {

/// The text of a source's one interesting line, an access there, and the expression it is.
struct NameCase {
  const char* line;
  AccessVerb verb;
  AccessSpace space;
  const char* array;
  const char* expected;  ///< empty: it cannot be told
};

std::ostream& operator<<(std::ostream& out, const NameCase& example) {
  return out << example.line << " [" << example.array << "]";
}

AccessCost access_at(std::size_t line, AccessVerb verb, AccessSpace space, const char* array) {
  AccessCost access;
  access.line = line;
  access.verb = verb;
  access.space = space;
  access.array = array;
  return access;
}

/// The line as the body of a kernel that has buffers in, out and idx and a shared array tile.
std::string name_of_case(const NameCase& example) {
  const std::string cuda = std::string(
                               "#define AT(i) in[(i) * 2]\n"
                               "__global__ void k(const float* in, float* __restrict__ out, "
                               "const int* idx, int n) {\n"
                               "extern __shared__ float tile[];\n"
                               "const float4* v = reinterpret_cast<const float4*>(in);\n"
                               "auto row = in + 32;\n"
                               "float acc[4];\n") +
                           example.line + "\n}\n";
  const SourceText source = read_source_text(cuda, 10);
  const AccessCost access = access_at(16, example.verb, example.space, example.array);
  const auto name = name_access(source, access, {"in", "out", "idx", "tile"});
  return name ? name->text : std::string();
}

constexpr auto load = AccessVerb::load;
constexpr auto store = AccessVerb::store;
constexpr auto atomic = AccessVerb::atomic;
constexpr auto copy = AccessVerb::copy;
constexpr auto global = AccessSpace::global;
constexpr auto shared = AccessSpace::shared;
constexpr auto local = AccessSpace::local;

const std::vector<NameCase> cases = {
    {"out[i] = in[i];", load, global, "in", "in[i]"},
    {"out[i] = in[i];", store, global, "out", "out[i]"},
    {"out[ i*2 ]  =  in[ i ];", store, global, "out", "out[ i*2 ]"},
    {"out[i] += in[i];", load, global, "out", "out[i]"},
    {"out[i] += in[i];", store, global, "out", "out[i]"},
    {"++out[i];", store, global, "out", "out[i]"},
    {"out[i]--;", load, global, "out", "out[i]"},
    {"out[i] <<= 2;", store, global, "out", "out[i]"},
    {"x = out[i] <= 2;", load, global, "out", "out[i]"},
    {"x = out[i] == 2;", load, global, "out", "out[i]"},
    // Nested subscripts, members, several dimensions, casts.
    {"out[i] = in[idx[i]];", load, global, "in", "in[idx[i]]"},
    {"out[i] = in[idx[i]];", load, global, "idx", "idx[i]"},
    {"x = in[i].y + 1;", load, global, "in", "in[i].y"},
    {"x = in->velocity.x;", load, global, "in", "in->velocity.x"},
    {"x = tile[a[1]][(j + 1) % 3];", load, shared, "tile", "tile[a[1]][(j + 1) % 3]"},
    {"x = v[i].x + n;", load, global, "in", "v[i].x"},
    {"x = row[i];", load, global, "in", "row[i]"},
    {"x = *reinterpret_cast<const float2*>(in + i);", load, global, "in",
     "*reinterpret_cast<const float2*>(in + i)"},
    {"*out = 3;", store, global, "out", "*out"},
    {"*(out + i) = 3;", store, global, "out", "*(out + i)"},
    {"x = n * in[i];", load, global, "in", "in[i]"},
    {"x = n & in[i];", load, global, "in", "in[i]"},
    // Atomics, copies, loads through functions.
    {"atomicAdd(&out[i % 4], in[i]);", atomic, global, "out", "out[i % 4]"},
    {"atomicAdd(&out[i % 4], in[i]);", load, global, "in", "in[i]"},
    {"atomicAdd(out + i, out[2]);", atomic, global, "out", "out + i"},
    {"x = __ldg(&in[i]);", load, global, "in", "in[i]"},
    {"x = __ldcs(in + i * 9);", load, global, "in", "in + i * 9"},
    {"asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(n), \"l\"(in + i));", copy,
     global, "in", "in + i"},
    // Several would fit: only the array is certain.
    {"x = in[i] + in[i + 1];", load, global, "in", "in[...]"},
    {"x = in[i] + v[i].x;", load, global, "in", "in[...]"},
    {"x = in[i] + in[i];", load, global, "in", "in[i]"},
    // Local arrays, which have no name in the program.
    {"acc[n] = in[i];", store, local, "", "acc[n]"},
    {"acc[n] = in[i];", load, local, "", "acc[n]"},
    {"x = acc[n] + acc[1];", load, local, "", ""},
    // Nothing can be told.
    {"x = AT(i);", load, global, "in", ""},
    {"x = AT(i) + in[i];", load, global, "in", ""},
    {"x = other(i);", load, global, "in", ""},
    {"x = acc[n];", load, global, "in", ""},
    {"// in[i]", load, global, "in", ""},
    {"x = \"in[i]\";", load, global, "in", ""},
};

}  // namespace

BOOST_DATA_TEST_CASE(an_access_is_named_when_the_line_leaves_no_doubt, data::make(cases), example) {
  BOOST_TEST(name_of_case(example) == example.expected);
}

BOOST_AUTO_TEST_CASE(a_store_through_a_second_pointer_is_not_taken_for_the_array) {
  const SourceText source = read_source_text("float* half = out + n;\nhalf[i] = out[i];\n", 1);
  const AccessCost access = access_at(2, store, global, "out");
  const auto name = name_access(source, access, {"out"});
  BOOST_REQUIRE(name.has_value());
  BOOST_TEST(name->text == "half[i]");
}

BOOST_AUTO_TEST_CASE(an_expression_over_several_lines_is_found_on_each) {
  const SourceText source = read_source_text("x = in[\n  i\n   * 2]\n + in[3];\n", 7);
  for (const std::size_t line : {7U, 8U}) {
    const AccessCost access = access_at(line, load, global, "in");
    const auto name = name_access(source, access, {"in"});
    BOOST_REQUIRE(name.has_value());
    BOOST_TEST(name->text == "in[ i * 2]");
    BOOST_TEST(name->line == 7U);
  }
}

BOOST_AUTO_TEST_CASE(source_that_is_cut_short_is_read_all_the_same) {
  for (const char* text : {"in[", "*", "x = in[i", "f(in + ", "a->", "*(", "in[i]."}) {
    BOOST_CHECK_NO_THROW(read_source_text(text, 1));
  }
}

BOOST_AUTO_TEST_CASE(declarations_are_found) {
  const SourceText source = read_source_text(
      "extern __shared__ __align__(16) unsigned char raw [ ] ;\n"
      "__device__ int table[] = {1, 2};\n"
      "__global__ void k(const float *in, float* const __restrict__ out, int n, float (&ref)[4]) "
      "{\n"
      "  auto row = in; auto* end{out}; int x = n * 2, y = n * x; const float* a, *b;\n"
      "}\n",
      1);
  const std::vector<std::string> expected = {"in", "out", "row", "end", "x", "a", "b"};
  BOOST_TEST(source.pointers == expected, boost::test_tools::per_element());
  BOOST_TEST(source.dynamic_shared == "raw");
}

BOOST_DATA_TEST_CASE(long_source_is_read_to_its_end, data::make({' ', 'a', '(', '[', '*'}),
                     filler) {
  constexpr std::size_t length = 300'000;
  const std::string filling(length, filler);
  const SourceText source = read_source_text(
      "extern " + filling + " float* " + filling + "\n#define " + filling + "\n", 1);
  BOOST_TEST(source.dynamic_shared.empty());
}

BOOST_DATA_TEST_CASE(nested_expressions_take_no_time, data::make({false, true}), is_closed) {
  constexpr int depth = 50'000;
  std::string cuda;
  for (int i = 0; i < depth; ++i) cuda += "a[";
  if (is_closed) cuda += std::string(depth, ']');
  const SourceText source = read_source_text(cuda + " out[i] = 1;\n", 1);
  const auto is_last = [](const SourceAccess& access) { return access.text == "out[i]"; };
  BOOST_TEST(std::ranges::any_of(source.accesses, is_last));
}

BOOST_AUTO_TEST_SUITE_END()
