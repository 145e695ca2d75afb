#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/spec/copy_pattern.h"
#include "tests/spec/spec_case.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(pattern_key_mistakes)

namespace {

using namespace sweep::testing;

constexpr const char* family_help =
    " | for example family: coalescing; there are: coalescing, structures, transpose, shared "
    "memory, streams, irregular, collectives, hierarchy, links, execution; or a name of your own";

constexpr const char* expected_help =
    " | for example {equals: \"2 * i\", tolerance: {relative: 1e-5}}, or {file: out.npy, "
    "tolerance: ...}";

const std::vector<EditCase> keys = {
    // Unknown keys, at every level
    {"summary: Copy", "sumary: Copy",
     "2:1+6 the pattern's header has no key 'sumary' | did you mean 'summary'?"},
    {"summary: Copy", "colour: Copy",
     "2:1+6 the pattern's header has no key 'colour' | the keys are: summary, family, help, "
     "origin, parameters, structs, require, buffers, kernel, arguments, compile, constants, "
     "launch, steps, useful, metrics, reference, verify"},
    {"max: 1 Gi", "maximum: 1 Gi",
     "5:30+7 the parameter 'N' has no key 'maximum' | the keys are: type, default, min, max, "
     "device, help, values"},
    {"{type: T, length: N, init", "{typ: T, length: N, init",
     "9:8+3 the buffer 'in' has no key 'typ' | did you mean 'type'?"},
    {"{type: int32_t, value: 1}", "{type: int32_t, valeu: 1}",
     "12:26+5 the argument 'scale' has no key 'valeu' | did you mean 'value'?"},
    {"shared: 0}", "shred: 0}", "13:41+5 launch has no key 'shred' | did you mean 'shared'?"},
    {"shared: 0}", "cluster: [1, 2, 3, 4]}", "13:50+1 'cluster' takes one to three numbers"},
    {"shared: 0}", "cooperative: N}",
     "13:54+1 cooperative must be a boolean, but this is an integer | write true, false or a "
     "comparison"},
    // Access policy windows
    {"shared: 0}", "access_policy_window: {buffer: im, bytes: 4}}",
     "13:72+2 there is no buffer 'im' | did you mean 'in'?"},
    {"shared: 0}", "access_policy_window: {buffer: table, bytes: 4}}",
     "13:72+5 there is no buffer 'table' | the buffers are: in, out"},
    {"shared: 0}", "access_policy_window: {buffer: in}}",
     "13:63+1 access_policy_window needs the key 'bytes' | access_policy_window: {buffer: table, "
     "bytes: 16 Mi}"},
    {"shared: 0}", "access_policy_window: {bytes: 4}}",
     "13:63+1 access_policy_window needs the key 'buffer' | access_policy_window: {buffer: table, "
     "bytes: 16 Mi}"},
    {"shared: 0}", "access_policy_window: in}",
     "13:63+2 access_policy_window must be a map of keys and values | the keys are: buffer, bytes, "
     "hit_ratio, set_aside"},
    {"shared: 0}", "access_policy_window: {buffer: in, bytes: 4, ratio: 1}}",
     "13:86+5 access_policy_window has no key 'ratio' | the keys are: buffer, bytes, hit_ratio, "
     "set_aside"},
    {"shared: 0}", "access_policy_window: {buffer: in, bytes: N > 4}}",
     "13:83+5 the access policy window must be an integer, but this is a boolean"},
    {"shared: 0}", "access_policy_window: {buffer: in, bytes: 4, hit_ratio: T}}",
     "13:97+1 hit_ratio must be an integer, but this is an element type"},
    {"shared: 0}", "access_policy_window: {buffer: in, bytes: 4, set_aside: -1}}",
     "13:97+2 with the defaults the set-aside of L2 is -1, but 0 is the least | T=float N=4096 "
     "BLOCK=256"},
    {"useful: {read", "constants: {c: {int: 1}}\nuseful: {read",
     "14:17+3 the constant 'c' has no key 'int' | did you mean 'init'?"},
    {"useful: {read", "constants: {\"c[1]\": {init: 1}}\nuseful: {read",
     "14:14+4 'c[1]' names no variable | write its name, with its namespaces: filters::weights"},
    // Steps
    {"launch: {grid: N / BLOCK, block: BLOCK, shared: 0}",
     "steps: [{kernel: copy, grid: K, block: 1, repeat: {K: {form: 1, to: N}}}]",
     "13:56+4 the repetition 'K' has no key 'form' | did you mean 'from'?"},
    {"launch: {grid: N / BLOCK, block: BLOCK, shared: 0}",
     "steps: [{kernel: copy, grid: 1, block: 1, repeat: {K: {from: 1, to: N, step: 2, multiply: "
     "2}}}]",
     "13:91+1 a repetition has one of 'step', 'multiply' and 'divide'"},
    {"launch: {grid: N / BLOCK, block: BLOCK, shared: 0}",
     "steps: [{kernel: copy, grid: 1, block: 1}, {kernel: cpoy, grid: 1, block: 1}]",
     "13:53+4 there is no kernel 'cpoy' in this file, nor in one that it includes | did you mean "
     "'copy'?"},
    {"launch: {grid: N / BLOCK, block: BLOCK, shared: 0}",
     "steps: [{kernel: copy, grid: 1, block: 1, repeat: {N: {from: 1, to: 2}}}]",
     "13:52+1 the name 'N' is used twice | parameters, structs, buffers and arguments share one "
     "set "
     "of names"},
    {"launch: {grid: N / BLOCK, block: BLOCK, shared: 0}", "steps: {kernel: copy}",
     "13:8+1 'steps' must be a list of launches | steps: [{kernel: scan, arguments: [in, "
     "out], grid: N / BLOCK, block: BLOCK}]"},
    {"read: N", "reads: N", "14:10+5 useful has no key 'reads' | did you mean 'read'?"},
    {"{out: \"out[i]", "{uot: \"out[i]", "15:10+3 there is no buffer 'uot' | did you mean 'out'?"},
    {"{out: \"out[i]", "{result: \"out[i]",
     "15:10+6 there is no buffer 'result' | the buffers are: in, out"},
    {"summary: Copy an array\n", "summary: Copy an array\nsummary: Copy\n",
     "3:1+7 the key 'summary' is given twice | it stands first in line 2"},
    // Missing keys
    {"launch: {grid: N / BLOCK, block: BLOCK, shared: 0}\n", "",
     "2:1+1 the pattern's header needs the key 'launch' | launch: {grid: N / BLOCK, block: BLOCK}"},
    {"useful: {read: N * sizeof(T), write: N * 4}\n", "",
     "2:1+1 the pattern's header needs the key 'useful' | the bytes the algorithm needs: {read: "
     "..., write: ...} or {shared: ...}"},
    {"verify: {out: \"out[i] == T(i % 101)\"}\n", "",
     "2:1+1 the pattern's header needs the key 'verify' | a CUDA expression that holds for every "
     "element i after one launch"},
    {"type: T, length: N, ", "length: N, ",
     "9:7+1 the buffer 'in' needs the key 'type' | for example type: float, or a parameter of type "
     "element, or a struct"},
    {"type: T, length: N, ", "type: T, ",
     "9:7+1 the buffer 'in' needs the key 'length' | the number of elements, for example length: "
     "N"},
    {"{type: int32_t, value: 1}", "{type: int32_t}",
     "12:10+1 the argument 'scale' needs the key 'value' | an expression, for example value: N"},
    {"grid: N / BLOCK, ", "",
     "13:9+1 launch needs the key 'grid' | one number, or a list of up to three"},
    {"block: BLOCK, ", "",
     "13:9+1 launch needs the key 'block' | one number, or a list of up to three"},
    {"{default: 256}", "{min: 1}",
     "6:10+1 the parameter 'BLOCK' needs the key 'default' | for example default: 256, which "
     "sweeps that do not name the parameter take"},
    {"{default: 256}", "{default: }",
     "6:11+7 'default' has no value | for example default: 256, which sweeps that do not name the "
     "parameter take"},
    {"{default: 256}", "",
     "6:3+5 the parameter 'BLOCK' is empty | the keys are: type, default, min, max, device, help, "
     "values"},
    {"launch: {grid: N / BLOCK, block: BLOCK, shared: 0}",
     "launch:", "13:1+6 'launch' has no value | launch: {grid: N / BLOCK, block: BLOCK}"},
    // Values that are not what the key takes
    {"{default: 256}", "[256]",
     "6:10+1 the parameter 'BLOCK' must be a map of keys and values | the keys are: type, default, "
     "min, max, device, help, values"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: [256]}",
     "6:20+1 'default' must be a single value"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: 256, type: [integer]}",
     "6:31+1 'type' must be a single value"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: 256, type: int}",
     "6:31+3 'int' is not a type of parameter | the types are: element, integer, boolean, place"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: 256, type: bolean}",
     "6:31+6 'bolean' is not a type of parameter | did you mean 'boolean'?"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: 256, device: multiprocesors}",
     "6:33+14 'multiprocesors' is not a figure of the device | did you mean 'multiprocessors'?"},
    {"  BLOCK: {default: 256}",
     "  BLOCK: {default: 256}\n  FLAG: {default: true, device: l2_bytes}",
     "7:3+4 'FLAG' is a boolean: a figure of the device is an integer"},
    {"{type: int32_t, value: 1}", "1",
     "12:10+1 the argument 'scale' must be a map of keys and values | the keys are: type, value"},
    {"{type: T, length: N + 0}", "T",
     "10:8+1 the buffer 'out' must be a map of keys and values | the keys are: type, length, init, "
     "place, "
     "peer"},
    {"{grid: N / BLOCK, block: BLOCK, shared: 0}", "256",
     "13:9+3 launch must be a map of keys and values | the keys are: grid, block, shared, cluster, "
     "cooperative, access_policy_window, copy_engine"},
    {"grid: N / BLOCK,", "grid: [],", "13:16+1 'grid' takes one to three numbers"},
    {"grid: N / BLOCK,", "grid: [1, 2, 3, 4],", "13:16+1 'grid' takes one to three numbers"},
    {"grid: N / BLOCK,", "grid: {x: 1},", "13:16+1 'grid' takes one to three numbers"},
    {"{read: N * sizeof(T), write: N * 4}", "[1, 2]",
     "14:9+1 useful must be a map of keys and values | the keys are: read, write, shared"},
    {"{read: N * sizeof(T), write: N * 4}", "{}",
     "14:9+1 'useful' is empty | the bytes the algorithm needs: {read: ..., write: ...} or "
     "{shared: ...}"},
    {"{out: \"out[i] == T(i % 101)\"}", "{}",
     "15:9+1 'verify' must be an expression, or one for each buffer's name | a CUDA expression "
     "that holds for every element i after one launch"},
    {"{out: \"out[i] == T(i % 101)\"}", "[\"true\"]",
     "15:9+1 'verify' must be an expression, or one for each buffer's name | a CUDA expression "
     "that holds for every element i after one launch"},
    {"{out: \"out[i] == T(i % 101)\"}", "{out: \"\"}", "15:16+1 'verify' is empty"},
    {"{out: \"out[i] == T(i % 101)\"}", "{out: [1]}", "15:15+1 'verify' must be a single value"},
    {"{out: \"out[i] == T(i % 101)\"}", "\"out[i] == T(i % 101)\"",
     "15:10+20 'verify' must say which buffer's elements it runs over | write verify: {out: "
     "\"...\"}"},
    {"{out: \"out[i] == T(i % 101)\"}", "{out: {tolerance: {ulps: 1}}}",
     std::string("15:15+1 verify of 'out' needs 'equals', 'file' or 'reference', and one alone") +
         expected_help},
    {"{out: \"out[i] == T(i % 101)\"}", "{out: {equals: 1, file: x.npy}}",
     std::string("15:15+1 verify of 'out' needs 'equals', 'file' or 'reference', and one alone") +
         expected_help},
    {"{out: \"out[i] == T(i % 101)\"}", "{out: {equals: 1, tolerance: {relativ: 1e-5}}}",
     "15:39+7 tolerance has no key 'relativ' | did you mean 'relative'?"},
    {"{out: \"out[i] == T(i % 101)\"}", "{out: {equals: 1, tolerance: {relative: -1e-5}}}",
     "15:49+5 'relative' is below 0"},
    {"{out: \"out[i] == T(i % 101)\"}", "{out: {equals: 1, tolerance: {relative: 1 %}}}",
     "15:49+3 '1 %' is no CUDA expression | write 0.01"},
    {"{out: \"out[i] == T(i % 101)\"}", "{out: {equals: 1, tolerance: {accumulate: float}}}",
     "15:51+5 'accumulate' means nothing without 'length' | length: K, for sums of K terms"},
    {"{out: \"out[i] == T(i % 101)\"}",
     "{out: {equals: 1, tolerance: {length: N, accumulate: int}}}",
     "15:62+3 'int' is no type that sums are rounded to | use half, bfloat16, float or double"},
    {"{out: \"out[i] == T(i % 101)\"}", "{out: {equals: 1, tolerance: {equal_nan: 1}}}",
     "15:50+1 'equal_nan' must be true or false"},
    {"init: \"T(i % 101)\"", "init: {type: float}",
     "9:34+1 init needs the key 'file' | for example init: {file: weights.npy}"},
    {"init: \"T(i % 101)\"", "init: \" \"", "9:35+1 'init' is empty"},
    {"init: \"T(i % 101)\"", "init: [0]", "9:34+1 'init' must be a single value"},
    {"summary: Copy an array", "summary: [Copy]", "2:10+1 'summary' must be a single value"},
    {"summary: Copy an array", "family: [a]", "2:9+1 'family' must be a single value"},
    {"summary: Copy an array", "family: \"\"",
     std::string("2:10+1 'family' is empty") + family_help},
    {"summary: Copy an array", "family: \"two\\nlines\"",
     std::string("2:10+3 'family' must be one line of plain text") + family_help},
    {"summary: Copy an array", "family: a family whose name is one letter too long",
     std::string("2:9+42 'family' is longer than 40 characters") + family_help},
    {"[N % BLOCK == 0]", "{a: 1}", "7:10+1 'require' must be a single value"},
};

void check(const EditCase& row) {
  BOOST_TEST(pattern_messages(edited(copy_pattern, row.from, row.to)) == row.expected);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_text_that_is_edited_is_good) {
  BOOST_TEST(pattern_messages(copy_pattern) == "");
}

BOOST_DATA_TEST_CASE(keys_and_what_they_take, data::make(keys)) {
  check(sample);
}

BOOST_AUTO_TEST_SUITE_END()
