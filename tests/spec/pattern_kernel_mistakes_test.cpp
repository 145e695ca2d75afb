#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/spec/copy_pattern.h"
#include "tests/spec/spec_case.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(pattern_kernel_mistakes)

namespace {

using namespace sweep::testing;

const std::vector<EditCase> names = {
    {"  BLOCK: {default: 256}", "  BLOCK: {default: 256}\n  for: 1",
     "7:3+3 'for' is a word of C++ | choose another name"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: 256}\n  thread_local: 1",
     "7:3+12 'thread_local' is a word of C++ | choose another name"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: 256}\n  float4: 1",
     "7:3+6 'float4' is an element type | choose another name"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: 256}\n  i: 1",
     "7:3+1 'i' has another meaning in a pattern | choose another name"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: 256}\n  splat: 1",
     "7:3+5 'splat' has another meaning in a pattern | choose another name"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: 256}\n  copy: 1",
     "7:3+4 'copy' is the kernel's name | choose another name"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: 256}\n  in: 1",
     "10:3+2 the name 'in' is used twice | parameters, structs, buffers and arguments share one "
     "set of names"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: 256}\n  scale: 1",
     "13:3+5 the name 'scale' is used twice | parameters, structs, buffers and arguments share one "
     "set of names"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: 256}\n  BLOCK: 1",
     "7:3+5 the key 'BLOCK' is given twice | it stands first in line 6"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: 256}\n  __x: 1",
     "7:3+3 '__x' is reserved | choose another name"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: 256}\n  sweep_x: 1",
     "7:3+7 'sweep_x' is reserved | choose another name"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: 256}\n  2D: 1",
     "7:3+2 '2D' is not a name: use letters, digits and _, a letter first | choose another name"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: 256}\n  BLOCK-X: 1",
     "7:3+7 'BLOCK-X' is not a name: use letters, digits and _, a letter first | choose another "
     "name"},
    {"  BLOCK: {default: 256}", "  BLOCK: {default: 256}\n  größe: 1",
     "7:3+7 'größe' is not a name: use letters, digits and _, a letter first | choose another "
     "name"},
    {"require:", "structs: {T: 4}\nrequire:",
     "7:11+1 the name 'T' is used twice | parameters, structs, buffers and arguments share one set "
     "of names"},
    {"  out: {type: T, length: N + 0}",
     "  out: {type: T, length: N + 0}\n  i: {type: T, length: N}",
     "11:3+1 'i' has another meaning in a pattern | choose another name\n"
     "18:17+4 the kernel takes 3 parameters, but the header has 3 buffers and 1 argument | the "
     "header describes copy(T* in, T* out, T* i, int32_t scale)"},
    {"arguments:\n", "arguments:\n  in: {value: 1}\n",
     "12:3+2 the name 'in' is used twice | parameters, structs, buffers and arguments share one "
     "set of names\n"
     "18:17+4 the kernel takes 3 parameters, but the header has 2 buffers and 2 arguments | the "
     "header describes copy(T* in, T* out, int32_t in, int32_t scale)"},
};

const std::vector<EditCase> types = {
    {"  out: {type: T,", "  out: {type: flaot,",
     "10:15+5 the buffer 'out' has the unknown type 'flaot' | did you mean 'float'?"},
    {"  out: {type: T,", "  out: {type: Particle,",
     "10:15+8 the buffer 'out' has the unknown type 'Particle' | it is no element type, and "
     "neither the pattern nor a file that it includes has a type of that name"},
    {"  out: {type: T,", "  out: {type: N,",
     "10:15+1 the buffer 'out' has the unknown type 'N' | it is no element type, and "
     "neither the pattern nor a file that it includes has a type of that name"},
    {"  out: {type: T,", "  out: {type: [T],", "10:15+1 'type' must be a single value"},
    {"type: int32_t", "type: half",
     "12:17+4 'half' is not a type that an argument can have | use an integer type, bool, float or "
     "double"},
    {"type: int32_t", "type: float2",
     "12:17+6 'float2' is not a type that an argument can have | use an integer type, bool, float "
     "or "
     "double"},
    {"type: int32_t", "type: float1",
     "12:17+6 'float1' is not a type that an argument can have | use an integer type, bool, float "
     "or "
     "double"},
    {"type: int32_t", "type: T",
     "12:17+1 'T' is not a type that an argument can have | use an integer type, bool, float or "
     "double"},
    {"type: int32_t", "type: integer",
     "12:17+7 'integer' is not a type that an argument can have | use an integer type, bool, float "
     "or "
     "double"},
};

const std::vector<EditCase> kernels = {
    {"__global__ void copy", "__global__ void copied",
     "0:0+1 there is no kernel 'copy' in this file | the kernel must have the file's name; there "
     "is: copied"},
    {"__global__ void copy", "__device__ void copy",
     "0:0+1 there is no kernel 'copy' in this file | write __global__ void copy(...)"},
    {"__global__ void copy", "// __global__ void copy",
     "0:0+1 there is no kernel 'copy' in this file | write __global__ void copy(...)"},
    {"__global__ void copy", "template <int K> __global__ void copy",
     "17:34+4 the kernel is a template | parameters are constants in a pattern: use them instead "
     "of template arguments"},
    {"__global__ void copy", "extern \"C\" __global__ void copy",
     "17:28+4 the kernel is declared extern | leave 'extern \"C\"' out: every configuration has a "
     "namespace of its own"},
    {"__global__ void copy", "extern \"C\" {\n__global__ void copy",
     "18:17+4 the kernel is declared extern | leave 'extern \"C\"' out: every configuration has a "
     "namespace of its own"},
    {"__global__ void copy", "namespace a {\n__global__ void copy",
     "18:17+4 the kernel is declared in a namespace | move it out: every configuration has a "
     "namespace of its own"},
    {", int scale)", ")",
     "17:17+4 the kernel takes 2 parameters, but the header has 2 buffers and 1 argument | the "
     "header describes copy(T* in, T* out, int32_t scale)"},
    {"const T* in, T* out, int scale", "",
     "17:17+4 the kernel takes 0 parameters, but the header has 2 buffers and 1 argument | the "
     "header describes copy(T* in, T* out, int32_t scale)"},
    {", int scale)", ", int scale, float factor)",
     "17:17+4 the kernel takes 4 parameters, but the header has 2 buffers and 1 argument | the "
     "header describes copy(T* in, T* out, int32_t scale)"},
    {"const T* in,", "const float* in,",
     "17:22+15 'in' is passed as 'T*', but this parameter has the type 'float*' | the header "
     "describes copy(T* in, T* out, int32_t scale)"},
    {"const T* in,", "T in,",
     "17:22+4 'in' is passed as 'T*', but this parameter has the type 'T' | the header describes "
     "copy(T* in, T* out, int32_t scale)"},
    {"const T* in,", "const T** in,",
     "17:22+12 'in' is passed as 'T*', but this parameter has the type 'T**' | the header "
     "describes copy(T* in, T* out, int32_t scale)"},
    {"int scale", "unsigned scale",
     "17:43+14 'scale' is passed as 'int32_t', but this parameter has the type 'unsigned' | the "
     "header describes copy(T* in, T* out, int32_t scale)"},
    {"int scale", "int* scale",
     "17:43+10 'scale' is passed as 'int32_t', but this parameter has the type 'int*' | the header "
     "describes copy(T* in, T* out, int32_t scale)"},
    {"const T* in, T* out,", "T* out, const T* in,",
     "17:22+6 'out' stands where 'in' is passed | the header describes copy(T* in, T* out, int32_t "
     "scale)\n"
     "17:30+11 'in' stands where 'out' is passed | the header describes copy(T* in, T* out, "
     "int32_t scale)"},
    {"const T* in, T* out,", "const T* in,\n    T* in,",
     "18:5+5 'in' stands where 'out' is passed | the header describes copy(T* in, T* out, int32_t "
     "scale)"},
};

void check(const EditCase& row) {
  BOOST_TEST(pattern_messages(edited(copy_pattern, row.from, row.to)) == row.expected);
}

}  // namespace

BOOST_DATA_TEST_CASE(names_that_are_taken, data::make(names)) {
  check(sample);
}

BOOST_DATA_TEST_CASE(types_there_are_not, data::make(types)) {
  check(sample);
}

BOOST_DATA_TEST_CASE(kernels_that_the_header_does_not_describe, data::make(kernels)) {
  check(sample);
}

BOOST_AUTO_TEST_SUITE_END()
