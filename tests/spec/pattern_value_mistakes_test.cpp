#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/spec/copy_pattern.h"
#include "tests/spec/spec_case.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(pattern_value_mistakes)

namespace {

using namespace sweep::testing;

const std::vector<EditCase> expressions = {
    {"{default: 4 Ki,", "{default: 4 Ko,",
     "5:18+2 'Ko' is not a unit | the units are Ki, Mi and Gi (1 << 10, 1 << 20, 1 << 30)"},
    {"{default: 4 Ki,", "{default: SIZE / 4,",
     "5:16+4 there is no parameter 'SIZE' | the names known here are: T"},
    {"{default: 4 Ki,", "{default: BLOCK * 16,",
     "5:16+10 the default of 'N' uses 'BLOCK', which is not declared before it"},
    {"min: 1,", "min: BLOCK,",
     "5:27+5 'min' must be a number: it cannot name 'BLOCK' | a condition over several parameters "
     "stands under require:"},
    {"min: 1,", "min: 1 / 0,",
     "5:29+1 '/' divides by zero | guard it, for example with max(X, 1) or X > 0 && ..."},
    {"max: 1 Gi,", "max: true,", "5:35+4 'max' must be an integer, but this is a boolean"},
    {"max: 1 Gi,", "max: 1 Gi, values: {none: 1},",
     "5:50+4 'none' is not a number | values says what numbers stand for: {0: cached}"},
    {"max: 1 Gi,", "max: 1.5 Gi,",
     "5:35+2 numbers are integers here | write a fraction as a division, or scale the unit"},
    {"[N % BLOCK == 0]", "[N % BLOK == 0]",
     "7:15+4 there is no parameter 'BLOK' | did you mean 'BLOCK'?"},
    {"[N % BLOCK == 0]", "[N % BLOCK]",
     "7:11+9 a requirement must be a boolean, but this is an integer | write a comparison"},
    {"[N % BLOCK == 0]", "[N % BLOCK == 0, N + ]",
     "7:30+1 the expression ends where a value is expected"},
    {"{type: T, length: N, init", "{type: T, length: M, init",
     "9:25+1 there is no parameter 'M' | the names known here are: T, N, BLOCK"},
    {"{type: T, length: N, init", "{type: T, length: N > 1, init",
     "9:25+5 the length of 'in' must be an integer, but this is a boolean"},
    {"value: 1}", "value: X}",
     "12:33+1 there is no parameter 'X' | the names known here are: T, N, BLOCK"},
    {"value: 1}", "value: float}",
     "12:33+5 the value of 'scale' must be an integer, but this is an element type"},
    {"grid: N / BLOCK", "grid: N / BLOKC",
     "13:20+5 there is no parameter 'BLOKC' | did you mean 'BLOCK'?"},
    {"grid: N / BLOCK", "grid: [N / BLOCK, Y]",
     "13:28+1 there is no parameter 'Y' | the names known here are: T, N, BLOCK"},
    {"block: BLOCK", "block: [32, T]",
     "13:39+1 the block must be an integer, but this is an element type"},
    {"shared: 0", "shared: sizeof(U)",
     "13:49+9 there is no type 'U' | a pattern says the size of a type of its "
     "files by structs: {NAME: BYTES}"},
    {"read: N", "read: NN", "14:16+2 there is no parameter 'NN' | did you mean 'N'?"},
    {"write: N * 4", "write: N * 4 == 1",
     "14:38+10 useful write must be an integer, but this is a boolean"},
    {"  T: float", "  T: flaot", "4:6+5 there is no parameter 'flaot' | did you mean 'float'?"},
    {"  T: float", "  T: {type: element, default: 4}",
     "4:31+1 the default of 'T' must be an element type, but this is an integer"},
    {"  T: float", "  T: 'word'", "4:7+4 there is no parameter 'word'"},
    {"  T: float", "  T: \"'word'\"",
     "4:7+6 the default of 'T' must be an integer, a boolean or an element type"},
    {"  T: float", "  T: {type: element, default: float, min: 1}",
     "4:3+1 'T' is an element type: it has no min or max"},
    {"  T: float", "  T: {type: element, default: float +}",
     "4:38+1 the expression ends where a value is expected"},
    {"  T: float", "  T: {default: float +}",
     "4:23+1 the expression ends where a value is expected"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: 256}\n  B: {type: boolean, default: 1}",
     "7:31+1 the default of 'B' must be a boolean, but this is an integer | write true, false or a "
     "comparison"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: 256 $}",
     "6:24+1 '$' has no meaning in an expression"},
    {"min: 1, max: 1 Gi", "min: 2, max: 1", "5:3+1 the min of 'N' is above its max"},
};

const std::vector<EditCase> defaults = {
    {"{default: 4 Ki, min: 1", "{default: 4 Ki, min: 4097",
     "5:3+1 N = 4096 is below the min of 4097"},
    {"max: 1 Gi", "max: 4095", "5:3+1 N = 4096 is above the max of 4095"},
    {"{default: 256}", "{default: 255}",
     "7:11+14 the defaults do not satisfy this requirement | T=float N=4096 BLOCK=255"},
    {"grid: N / BLOCK", "grid: N / (BLOCK - 256)",
     "13:18+1 '/' divides by zero | guard it, for example with max(X, 1) or X > 0 && ..."},
    {"grid: N / BLOCK", "grid: N - 4 Ki",
     "13:16+8 with the defaults the grid is 0, but 1 is the least | T=float N=4096 BLOCK=256"},
    {"block: BLOCK", "block: [BLOCK, BLOCK - 256]",
     "13:42+11 with the defaults the block is 0, but 1 is the least | T=float N=4096 BLOCK=256"},
    {"shared: 0", "shared: 0 - BLOCK",
     "13:49+9 with the defaults shared memory is -256, but 0 is the least | T=float N=4096 "
     "BLOCK=256"},
    {"length: N + 0", "length: N * N * N * N * N * N * N * N",
     "10:44+1 the result of '*' does not fit a 64-bit integer"},
    {"length: N + 0", "length: N - 4 Ki",
     "10:26+8 with the defaults the length of 'out' is 0, but 1 is the least | T=float N=4096 "
     "BLOCK=256"},
    {"value: 1}", "value: 1 << BLOCK}", "12:35+2 '<<' shifts by a count outside 0 to 63"},
    {"read: N", "read: 0 - N",
     "14:16+17 with the defaults useful read is -16384, but 0 is the least | T=float N=4096 "
     "BLOCK=256"},
    {"write: N * 4", "write: log2(N - 4 Ki)", "14:38+4 log2 takes a value of at least 1"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: N / (N - 4 Ki)}",
     "6:22+1 '/' divides by zero | guard it, for example with max(X, 1) or X > 0 && ..."},
    {"[N % BLOCK == 0]", "[N % (BLOCK - 256) == 0, N < BLOCK]",
     "7:13+1 '%' divides by zero | guard it, for example with max(X, 1) or X > 0 && ...\n"
     "7:35+9 the defaults do not satisfy this requirement | T=float N=4096 BLOCK=256"},
    {"require:", "structs: {P: BLOCK - 256}\nrequire:",
     "7:14+11 with the defaults the size of 'P' is 0, but 1 is the least | T=float N=4096 "
     "BLOCK=256"},
    // Every one of them at once
    {"grid: N / BLOCK, block: BLOCK, shared: 0", "grid: 1 / 0, block: 0, shared: 1 << 64",
     "13:18+1 '/' divides by zero | guard it, for example with max(X, 1) or X > 0 && ...\n"
     "13:30+1 with the defaults the block is 0, but 1 is the least | T=float N=4096 BLOCK=256\n"
     "13:43+2 '<<' shifts by a count outside 0 to 63"},
};

void check(const EditCase& row) {
  BOOST_TEST(pattern_messages(edited(copy_pattern, row.from, row.to)) == row.expected);
}

}  // namespace

BOOST_DATA_TEST_CASE(expressions_that_mean_nothing, data::make(expressions)) {
  check(sample);
}

BOOST_DATA_TEST_CASE(defaults_that_cannot_be_run, data::make(defaults)) {
  check(sample);
}

BOOST_AUTO_TEST_SUITE_END()
