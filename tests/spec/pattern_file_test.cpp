#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/spec/copy_pattern.h"
#include "tests/spec/spec_case.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(pattern_file)

namespace {

using namespace sweep::testing;

const std::string example =
    " | a pattern file starts with /* pattern: and YAML that describes the kernel; 'sweep show "
    "pattern stride' prints an example";
const std::string no_header =
    "0:0+1 this is not a pattern: it does not start with a header comment" + example;
const std::string other_comment =
    " this is not a pattern: its first comment does not start with 'pattern:'" + example;

// What a pattern file must be before its keys are looked at.
const std::vector<TextCase> files = {
    {"", no_header},
    {"\n\n", no_header},
    {"// pattern:\n", no_header},
    {"__global__ void copy(float* data) {}\n", no_header},
    {"#include <x>\n/* pattern: */\n", no_header},
    {"/* pattern:\nsummary: Copy\n", "1:1+2 this comment is never closed | end the header with */"},
    {"// One\n  /* pattern:\nsummary: Copy\n",
     "2:3+2 this comment is never closed | end the header with */"},
    {"/* A copy */\n", "1:1+2" + other_comment},
    {"// One\n  /* A copy */\n/* pattern:\n*/\n", "2:3+2" + other_comment},
    {"/**/\n", "1:1+2" + other_comment},
    {"/*", "1:1+2 this comment is never closed | end the header with */"},
    {"/* patterns: */", "1:1+2" + other_comment},
    {"/* pattern: */\n",
     "0:0+1 there is no kernel 'copy' in this file | write __global__ void copy(...)\n"
     "1:1+2 the pattern's header is empty | the keys are: summary, family, help, origin, "
     "parameters, "
     "structs, require, buffers, kernel, arguments, compile, constants, launch, steps, useful, "
     "metrics, reference, verify"},
    {"/* pattern:\n*/\n__global__ void copy() {}\n",
     "1:1+2 the pattern's header is empty | the keys are: summary, family, help, origin, "
     "parameters, "
     "structs, require, buffers, kernel, arguments, compile, constants, launch, steps, useful, "
     "metrics, reference, verify"},
    {"/* pattern: 7 */\n__global__ void copy() {}\n",
     "1:13+1 the pattern's header must be a map of keys and values | the keys are: summary, "
     "family, help, "
     "origin, parameters, structs, require, buffers, kernel, arguments, compile, constants, "
     "launch, steps, "
     "useful, "
     "metrics, reference, verify"},
    {"/* pattern:\n- a\n*/\n__global__ void copy() {}\n",
     "2:1+1 the pattern's header must be a map of keys and values | the keys are: summary, family, "
     "help, "
     "origin, parameters, structs, require, buffers, kernel, arguments, compile, constants, "
     "launch, steps, "
     "useful, "
     "metrics, reference, verify"},
    {"/* pattern:\nsummary: Copy: an array\n*/\n",
     "2:14+1 this is not valid YAML: illegal map value | put text that contains ':', '#', quotes, "
     "braces or a leading '*', '&' or '%' in quotes"},
    {"/* pattern:\n * summary: Copy\n */\n",
     "2:3+1 this is not valid YAML: alias not found after * | write the header's lines without a "
     "leading '*'"},
    {"/* pattern:\n\tsummary: Copy\n*/\n",
     "2:9+1 this is not valid YAML: illegal map value | YAML is indented with spaces, not tabs"},
    {"/* pattern:\nsummary: \"Copy\n*/\n", "2:10+1 this quote is never closed"},
    {"/* pattern:\nsummary: Copy\n---\nsummary: Again\n*/\n",
     "3:1+1 a second YAML document starts here | keep one document in a file"},
    {"/* pattern:\nsummary: \xFF\n*/\n",
     "2:10+1 this byte (0xFF) is not UTF-8 text | save the file as UTF-8 text"},
    {"/* pattern:\nparameters: [T, N]\nrequire: N > 1\nbuffers: {data: {type: T, length: N}}\n"
     "launch: {grid: N, block: 1}\nuseful: N\nverify: \"true\"\n*/\n"
     "__global__ void copy(T* data) {}\n",
     "2:13+1 'parameters' must be a map of names | BLOCK: {default: 256, min: 32}"},
    {"/* pattern:\nbuffers: [data]\nlaunch: {grid: 1, block: 1}\nuseful: 4\n"
     "verify: {data: \"true\"}\n*/\n__global__ void copy(float* data) {}\n",
     "2:10+1 'buffers' must be a map of names | data: {type: float, length: N, init: \"i\"}"},
    {"/* pattern:\nbuffers: {}\nlaunch: {grid: 1, block: 1}\nuseful: 4\nverify: \"true\"\n*/\n"
     "__global__ void copy() {}\n",
     "2:10+1 a pattern needs at least one buffer | data: {type: float, length: N, init: \"i\"}"},
    {"/* pattern:\nbuffers:\n  data:\nlaunch: {grid: 1, block: 1}\nuseful: 4\n"
     "verify: \"true\"\n*/\n__global__ void copy(float* data) {}\n",
     "3:3+4 the buffer 'data' is empty | the keys are: type, length, init, place, peer"},
};

const std::vector<TextCase> file_names = {
    {"copy-fast",
     "0:0+1 the file's name is the kernel's, but 'copy-fast' is not a name: use letters, digits "
     "and _, a letter first | rename the file"},
    {"2copy",
     "0:0+1 the file's name is the kernel's, but '2copy' is not a name: use letters, digits and _, "
     "a letter first | rename the file"},
    {"float",
     "0:0+1 the file's name is the kernel's, but 'float' is a word of C++ | rename the file"},
    {"copy.v2",
     "0:0+1 the file's name is the kernel's, but 'copy.v2' is not a name: use letters, digits and "
     "_, a letter first | rename the file"},
    {"max",
     "0:0+1 the file's name is the kernel's, but 'max' has another meaning in a pattern | rename "
     "the file"},
    {"kopie",
     "0:0+1 there is no kernel 'kopie' in this file | the kernel must have the file's name; there "
     "is: copy"},
};

}  // namespace

BOOST_DATA_TEST_CASE(starts_with_a_header, data::make(files)) {
  BOOST_TEST(pattern_messages(sample.text) == sample.expected);
}

BOOST_DATA_TEST_CASE(is_called_as_its_kernel, data::make(file_names)) {
  BOOST_TEST(pattern_messages(copy_pattern, sample.text) == sample.expected);
}

BOOST_AUTO_TEST_CASE(shows_all_its_mistakes_at_once) {
  std::string text = copy_pattern;
  text = edited(text, "summary: Copy", "summry: Copy");
  text = edited(text, "{default: 4 Ki,", "{default: 4 Ko,");
  text = edited(text, "[N % BLOCK == 0]", "[N % BLOCK == 0, BLOK > 1]");
  text = edited(text, "  in: {type: T,", "  in: {type: flaot,");
  text = edited(text, "grid: N / BLOCK", "grid: 2 *");
  text = edited(text, "{out: \"out[i]", "{result: \"out[i]");
  text = edited(text, "__global__ void copy", "extern \"C\" __global__ void copy");
  text = edited(text, "int scale", "float scale");
  BOOST_TEST(pattern_messages(text) ==
             "2:1+6 the pattern's header has no key 'summry' | did you mean 'summary'?\n"
             "5:18+2 'Ko' is not a unit | the units are Ki, Mi and Gi (1 << 10, 1 << 20, 1 << 30)\n"
             "7:27+4 there is no parameter 'BLOK' | did you mean 'BLOCK'?\n"
             "9:14+5 the buffer 'in' has the unknown type 'flaot' | did you mean 'float'?\n"
             "13:19+1 the expression ends where a value is expected\n"
             "15:10+6 there is no buffer 'result' | the buffers are: in, out\n"
             "17:28+4 the kernel is declared extern | leave 'extern \"C\"' out: every "
             "configuration has a namespace of its own\n"
             "17:54+11 'scale' is passed as 'int32_t', but this parameter has the type 'float' | "
             "the header describes copy(flaot* in, T* out, int32_t scale)");
}

BOOST_AUTO_TEST_CASE(shows_one_message_for_a_mistake_that_others_depend_on) {
  // T, N and BLOCK are used all over the header.
  BOOST_TEST(pattern_messages(edited(copy_pattern, "  T: float", "  T: flaot")) ==
             "4:6+5 there is no parameter 'flaot' | did you mean 'float'?");
  BOOST_TEST(pattern_messages(edited(copy_pattern, "{default: 4 Ki,", "{default: 4 Ko,")) ==
             "5:18+2 'Ko' is not a unit | the units are Ki, Mi and Gi (1 << 10, 1 << 20, 1 << 30)");
  BOOST_TEST(pattern_messages(edited(copy_pattern, "{default: 256}", "[]")) ==
             "6:10+1 the parameter 'BLOCK' must be a map of keys and values | the keys are: type, "
             "default, min, max, device, help, values");
  for (const char* dependent :
       {"U: T", "U: T == float", "U: {type: boolean, default: T == float}"}) {
    const std::string to = std::string("  T: flaot\n  ") + dependent;
    BOOST_TEST(pattern_messages(edited(copy_pattern, "  T: float", to)) ==
               "4:6+5 there is no parameter 'flaot' | did you mean 'float'?");
  }
  std::string text = edited(copy_pattern, "  T: float", "  T: flaot\n  U: T");
  text = edited(text, "  out: {type: T,", "  out: {type: U,");
  text = edited(text, "T* out, int", "U* out, int");
  BOOST_TEST(pattern_messages(text) ==
             "4:6+5 there is no parameter 'flaot' | did you mean 'float'?");
}

BOOST_AUTO_TEST_SUITE_END()
