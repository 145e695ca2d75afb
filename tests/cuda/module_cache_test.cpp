#include <boost/test/unit_test.hpp>
#include <string_view>

#include "engine/cuda/cuda_context.h"
#include "engine/jit/compiler.h"
#include "tests/nvrtc_fixture.h"
#include "tests/pattern_from_text.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(module_cache)

namespace {

bool has_variables_in_ptx(std::string_view body) {
  Program program;
  program.ptx = std::string(".version 8.0\n.target sm_90\n.address_size 64\n").append(body);
  return has_device_variables(program);
}

bool has_variables_in_cubin(std::string_view image) {
  Program program;
  program.cubin.assign(image.begin(), image.end());
  return has_device_variables(program);
}

bool has_variables_when_compiled(const std::string& declaration) {
  const std::string text =
      "/* pattern:\nparameters: {ADDED: 7, COUNT: 64}\n"
      "buffers: {data: {type: int, length: COUNT, init: int(i) * ADDED}}\n"
      "launch: {grid: 1, block: COUNT}\nuseful: {write: COUNT * 4}\n"
      "verify: \"data[i] == int(i) * ADDED + ADDED\"\n*/\n" +
      declaration + "__global__ void p(int* data) { data[threadIdx.x] += ADDED; }\n";
  const std::vector<Configuration> one = {resolve(pattern_from_text("p", text), {})};
  const auto outcomes = Compiler(nvrtc(), 90).compile(one);
  return has_device_variables(*std::get<CompiledConfiguration>(outcomes.front()).program);
}

constexpr std::string_view kernel =
    ".visible .entry k(.param .u64 k_param_0)\n{\n"
    "\tld.global.u32 \t%r1, [%rd2];\n\tcvta.to.global.u64 \t%rd2, %rd1;\n"
    "\tatom.global.add.u32 %r2, [%rd2], 1;\n\t@%p1 st.volatile.global.u32 [%rd2], "
    "%r1;\n\tret;\n}\n";

}  // namespace

BOOST_AUTO_TEST_CASE(declarations_in_ptx_are_found_and_instructions_are_not) {
  BOOST_TEST(!has_variables_in_ptx(""));
  BOOST_TEST(!has_variables_in_ptx(kernel));
  BOOST_TEST(has_variables_in_ptx(".global .align 4 .u32 counter;\n"));
  BOOST_TEST(has_variables_in_ptx(".visible .global .align 4 .u32 counter = 1;\n"));
  BOOST_TEST(!has_variables_in_ptx(".global .align 4 .u32 _ZN8sweep_k06STRIDEE = 40;\n"));
  BOOST_TEST(has_variables_in_ptx(
      ".global .align 4 .u32 _ZN8sweep_k06STRIDEE = 40;\n.global .align 4 .u32 counter;\n"));
  BOOST_TEST(!has_variables_in_ptx(".const .align 4 .u32 table[4];\n"));
}

BOOST_AUTO_TEST_CASE(only_what_is_declared_among_the_parameters_constants_is_one) {
  BOOST_TEST(!has_variables_in_ptx(".global .align 1 .u8 _ZN9sweep_k126ON_OFFE = 1"));
  BOOST_TEST(has_variables_in_ptx(".global .align 4 .u32 sweep_kernel_count;\n"));
  BOOST_TEST(has_variables_in_ptx(".visible .global .align 4 .u32 sweep_k;\n"));
  BOOST_TEST(has_variables_in_ptx(".global .align 4 .u32 sweep_k"));
  BOOST_TEST(!has_variables_in_ptx(".global .align 4 .u32 _ZN8sweep_k012sweep_kernelE = 2;\n"));
  BOOST_TEST(!has_variables_in_ptx(".global .align 4 .u32 sweep_kind_of_sweep_k0 = 2;\n"));
  BOOST_TEST(has_variables_in_ptx(
      ".visible .global .align 8 .u64 where = generic(_ZN8sweep_k06STRIDEE);\n"));
  BOOST_TEST(!has_variables_in_ptx(
      ".global .align 8 .u64 _ZN8sweep_k15WHEREE = generic(sweep_kernel_count);\n"));
}

BOOST_AUTO_TEST_CASE(sections_in_a_cubin_are_found) {
  using namespace std::string_view_literals;
  BOOST_TEST(has_variables_in_cubin("\177ELF\0.text.k\0.nv.global\0.nv.info"sv));
  BOOST_TEST(has_variables_in_cubin("\177ELF\0.text.k\0.nv.global.init\0"sv));
  BOOST_TEST(!has_variables_in_cubin("\177ELF\0.text.k\0.nv.constant0.k\0.nv.shared.k\0"sv));
}

BOOST_AUTO_TEST_CASE(parameters_are_no_variables, *boost::unit_test::precondition(has_nvrtc)) {
  BOOST_TEST(!has_variables_when_compiled(""));
  BOOST_TEST(has_variables_when_compiled("__device__ int counter = 1;\n"));
}

BOOST_AUTO_TEST_SUITE_END()
