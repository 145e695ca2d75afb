// Tensor maps and textures as arguments: what the emulator makes of them, and what it refuses.
#include <boost/test/data/test_case.hpp>

#include "tests/contains.h"
#include "tests/emulator/execution/emulated_pattern.h"
#include "tests/repeated.h"
#include "tests/tensor_patterns.h"
#include "tests/texture_patterns.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace argument_objects {
namespace {

/// A box of a 64 x 32 matrix of floats, with these keys of the argument's.
std::string pattern_with(const std::string& keys, const std::string& type = "float",
                         const std::string& object = "tensor") {
  return "/* pattern:\nparameters: {SIZE: {default: 0}}\nbuffers:\n  in: {type: " + type +
         ", length: 64 * 32, init: \"" + type +
         "(i)\"}\n  out: {type: float, length: 32}\narguments: [{" + object + ": in, " + keys +
         "}, out]\nlaunch: {grid: 1, block: 32}\nuseful: {read: 1}\nverify: {out: \"true\"}\n*/\n" +
         (object == "tensor" ? "struct Object { unsigned long long words[16]; };\n"
                             : "using Object = cudaTextureObject_t;\n") +
         "__global__ void kernel(const __grid_constant__ Object object, float* out) {\n"
         "  out[threadIdx.x] = sizeof object;\n}\n";
}

struct Refused {
  const char* keys;
  const char* why;
  const char* type = "float";
  const char* object = "tensor";

  friend std::ostream& operator<<(std::ostream& out, const Refused& row) { return out << row.keys; }
};

const Refused refused[] = {
    {"shape: [64, 32], box: [8, 300]", "its box has an extent of 300: each is at most 256"},
    {"shape: [64, 32], box: [3, 8]",
     "its box is 3 elements of 4 bytes wide, 12 bytes: they are a multiple of 16"},
    {"shape: [64, 32], box: [64, 8], swizzle: 128",
     "its box is 256 bytes wide, which is more than the 128 of the swizzle"},
    {"shape: [64, 32], box: [8, 8], swizzle: 48", "'swizzle' is 48: it may be 0, 32, 64 or 128"},
    {"shape: [64, 32], box: [8, 8], interleave: 8", "'interleave' is 8: it may be 0, 16 or 32"},
    {"shape: [64, 32], box: [8, 8], l2_promotion: 512",
     "'l2_promotion' is 512: it may be 0, 64, 128 or 256"},
    {"shape: [64, 32], box: [8, 8], interleave: 16", "an interleaved tensor has 3 to 5 dimensions"},
    {"shape: [64, 4, 8], box: [8, 2, 2], interleave: 32", "'interleave: 32' needs 'swizzle: 32'"},
    {"shape: [64, 33], box: [8, 8]", "the tensor needs 8,448 bytes, but the buffer has 8,192"},
    {"shape: [62, 32], box: [8, 8]",
     "dimension 2 has a stride of 248 bytes: it is a multiple of 16 below 2^40"},
    {"shape: [60, 32], strides: [66 + SIZE], box: [8, 8]",
     "dimension 2 has a stride of 264 bytes: it is a multiple of 16 below 2^40"},
    {"shape: [64, 32], box: [8, 8], element_strides: [1, 9]",
     "an element stride is 9: each is at most 8"},
    {"shape: [64, 32], box: [8, 8], fill: nan", "'fill: nan' needs floating elements", "int32_t"},
    {"shape: [64, 32], box: [8, 8], type: float4",
     "there is none of float4 elements: 'type: float' makes one of their components"},
    {"shape: [64, 32], pitch: 60", "its rows lie 240 bytes apart: the distance is a multiple of 32",
     "float", "texture"},
    {"shape: [64, 33]", "it needs 8,448 bytes, but the buffer has 8,192", "float", "texture"},
    {"shape: [64, 32], address: wrap",
     "'address: wrap' and 'mirror' need 'normalized: true'; CUDA clamps otherwise", "float",
     "texture"},
    {"shape: [64, 32], filter: linear",
     "'filter: linear' of integers needs 'read: normalized_float'", "int32_t", "texture"},
    {"shape: [64, 32], read: normalized_float",
     "'read: normalized_float' needs integers of 8 or 16 bits", "float", "texture"},
    {"filter: linear", "a texture of one dimension is read by tex1Dfetch", "float", "texture"},
    {"shape: [64, 32]", "there is none of double elements", "double", "texture"},
};

/// Reads a box with what the copy asks for.
std::string copy_pattern(const std::string& instruction) {
  return "/* pattern:\nbuffers:\n  in: {type: float, length: 1024, init: \"i\"}\n  out: {type: "
         "float, "
         "length: 32}\narguments: [{tensor: in, shape: [32, 32], box: [8, 4]}, out]\n"
         "launch: {grid: 1, block: 32}\nuseful: {read: 1}\nverify: {out: \"true\"}\n*/\n"
         "__global__ void kernel(const __grid_constant__ CUtensorMap map, float* out) {\n"
         "  __shared__ __align__(128) float tile[64];\n"
         "  const unsigned at = unsigned(__cvta_generic_to_shared(tile));\n"
         "  tile[threadIdx.x] = tile[threadIdx.x + 32] = 0;\n  __syncthreads();\n"
         "  if (threadIdx.x == 0) asm volatile(\"" +
         instruction + "\" ::\"r\"(at), \"l\"(&map), \"l\"(out) : \"memory\");\n" +
         "  out[threadIdx.x] = tile[threadIdx.x];\n}\n";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(argument_objects_suite, *boost::unit_test::precondition(has_nvrtc))

BOOST_DATA_TEST_CASE(boxes_are_loaded, data::make(tensor_cases), row) {
  BOOST_TEST(emulate(tensor_load_pattern(row)).outcome == "correct");
}

BOOST_DATA_TEST_CASE(boxes_are_stored, data::make(tensor_cases), row) {
  BOOST_TEST(emulate(tensor_store_pattern(row, false)).outcome == "correct");
}

BOOST_DATA_TEST_CASE(boxes_are_added, data::make(tensor_cases), row) {
  const std::string outcome = emulate(tensor_store_pattern(row, true)).outcome;
  // Bytes have no sum.
  BOOST_TEST((std::string(row.type) == "uint8_t" ? contains(outcome, "have no such operation")
                                                 : outcome == "correct"),
             outcome);
}

BOOST_AUTO_TEST_CASE(boxes_begin_where_hardware_lets_them) {
  TensorCase row = {"2D", "float", 2, {40, 24}, {16, 8}, {3, 0}};
  BOOST_TEST(contains(emulate(tensor_load_pattern(row)).outcome,
                      "begins at byte 12 of a row, which is no multiple of 16"));
  row.begin = {4, 8};
  row.swizzle = 128;
  BOOST_TEST(contains(emulate(tensor_load_pattern(row)).outcome, "narrower than their swizzle"));
  row.swizzle = 0;
  std::string store = tensor_store_pattern(row, false);
  store.replace(store.find("C1: 8"), 5, "C1: -8");
  BOOST_TEST(
      contains(emulate(store).outcome, "it stores a tensor's box from the coordinate -8 on"));
}

BOOST_DATA_TEST_CASE(textures_are_read, data::make(texture_cases), row) {
  BOOST_TEST(emulate(texture_pattern(row)).outcome == "correct");
}

BOOST_AUTO_TEST_CASE(textures_are_fetched_and_gathered) {
  BOOST_TEST(emulate(texture_fetch_pattern).outcome == "correct");
  BOOST_TEST(emulate(texture_gather_pattern).outcome == "correct");
  BOOST_TEST(emulate(texture_query_pattern).outcome == "correct");
}

BOOST_AUTO_TEST_CASE(reads_of_textures_count_by_four_lanes) {
  const Emulated result = emulate(texture_fetch_pattern);
  BOOST_TEST(result.metrics.at("texture_requests") == 4 * 8);
  // 100 elements; each second four lanes begin two elements before a sector does, the first there.
  BOOST_TEST(result.metrics.at("texture_sectors") == 1 + 12 * 2 + 13);
  BOOST_TEST(result.metrics.at("load_requests") == 0);
}

BOOST_DATA_TEST_CASE(what_no_device_takes_is_left_out, data::make(refused), row) {
  const std::string outcome = emulate(pattern_with(row.keys, row.type, row.object)).outcome;
  BOOST_TEST(contains(outcome, row.why), outcome);
  BOOST_TEST(contains(outcome,
                      fmt::format("bad launch: the {} of in: ",
                                  std::string(row.object) == "tensor" ? "tensor map" : "texture")),
             outcome);
}

BOOST_AUTO_TEST_CASE(interleaved_tensors_are_left_to_gpus) {
  BOOST_TEST(
      contains(emulate(pattern_with("shape: [16, 4, 8], box: [16, 2, 2], interleave: 16")).outcome,
               "the emulator copies no interleaved tensors"));
}

struct Faulty {
  const char* instruction;
  const char* why;

  friend std::ostream& operator<<(std::ostream& out, const Faulty& row) {
    return out << row.instruction;
  }
};

const Faulty faulty[] = {
    {"cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%1, {0}], [%0];",
     "it copies a box of 1 dimensions by a tensor map that has 2"},
    {"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%1, {0, 0}], [%0 + 64];",
     "a tensor's box at byte 64 of shared memory, which is no multiple of 128"},
    {"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%2, {0, 0}], [%0];",
     "there is no tensor map at"},
    {"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%1, {0, 0}], [%0 + 256];",
     "out of bounds: 128 bytes at byte 256 of shared memory, of which the block has 256"},
    {"cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%1, {0, 0, 0}], [%0];",
     "of tensor copies it executes tiles alone"},
};

BOOST_DATA_TEST_CASE(mistakes_of_copies_have_their_place, data::make(faulty), row) {
  const std::string outcome = emulate(copy_pattern(row.instruction)).outcome;
  BOOST_TEST(contains(outcome, row.why), outcome);
}

/// A kernel takes a tensor map by value, by address, and in a struct.
BOOST_AUTO_TEST_CASE(tensor_maps_come_as_kernels_take_them) {
  const char* const text = R"cuda(/* pattern:
parameters: {WHICH: 0}
buffers:
  in: {type: float, length: 1024, init: "i"}
  out: {type: float, length: 32}
arguments:
  - out
  - {tensor: in, shape: [32, 32], box: [8, 4]}
  - {fields: {more: 1, map: {tensor: in, shape: [32, 32], box: [8, 4]}}}
launch: {grid: 1, block: 32}
useful: {read: 1}
verify: {out: "out[i] == (i / 8 + 4) * 32 + i % 8 + 8"}
*/
struct Maps { int more; CUtensorMap map; };
__global__ void kernel(float* out, const CUtensorMap* map, const __grid_constant__ Maps maps) {
  __shared__ __align__(128) float tile[32];
  __shared__ unsigned long long arrived;
  const unsigned at = unsigned(__cvta_generic_to_shared(tile));
  const unsigned barrier = unsigned(__cvta_generic_to_shared(&arrived));
  const CUtensorMap* const used = WHICH == 0 ? map : &maps.map;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier));
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(barrier));
    asm volatile("prefetch.tensormap [%0];" ::"l"(used) : "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {8, 4}];" ::"l"(used));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4}], [%2];" ::"r"(at), "l"(used), "r"(barrier), "r"(8), "r"(4)
                 : "memory");
  }
  __syncthreads();
  unsigned done = 0;
  while (!done) {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; "
                 "selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(barrier) : "memory");
  }
  out[threadIdx.x] = tile[threadIdx.x] + maps.more - 1;
}
)cuda";
  BOOST_TEST(emulate(text, integers({{"WHICH", 0}})).outcome == "correct");
  BOOST_TEST(emulate(text, integers({{"WHICH", 1}})).outcome == "correct");
}

/// A kernel has a copy of its tensor map, which serves as well, and changes it, which does not.
BOOST_AUTO_TEST_CASE(tensor_maps_cannot_be_forged) {
  const std::string text = R"cuda(/* pattern:
parameters: {CHANGED: 0, WORD: 0}
buffers:
  in: {type: float, length: 1024}
  copy: {type: uint64_t, length: 16}
arguments: [{tensor: in, shape: [32, 32], box: [8, 4]}, copy]
launch: {grid: 1, block: 1}
useful: {read: 1}
verify: {copy: "true"}
*/
struct Words { unsigned long long words[16]; };
__global__ void kernel(const __grid_constant__ CUtensorMap map, unsigned long long* copy) {
  __shared__ __align__(128) float tile[32];
  for (int i = 0; i < 16; ++i) copy[i] = reinterpret_cast<const Words&>(map).words[i];
  copy[WORD] += CHANGED;
  for (int i = 0; i < 32; ++i) tile[i] = i;
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%1, {0, 0}], [%0];"
               ::"r"(unsigned(__cvta_generic_to_shared(tile))), "l"(copy) : "memory");
}
)cuda";
  const auto outcome = [&](int changed, int word) {
    return emulate(text, integers({{"CHANGED", changed}, {"WORD", word}})).outcome;
  };
  BOOST_TEST(outcome(0, 0) == "correct");
  for (int word = 0; word < static_cast<int>(sizeof(TensorMap) / 8); ++word) {
    BOOST_TEST(contains(outcome(1, word), "there is no tensor map at"), word);
  }
}

/// Four rows of a tensor, anywhere, one of them outside: from compute capability 10.0 on.
BOOST_AUTO_TEST_CASE(rows_are_gathered_and_scattered) {
  const char* const text = R"cuda(/* pattern:
buffers:
  in: {type: float, length: 1024, init: "i"}
  out: {type: float, length: 1024, init: "-1"}
arguments:
  - {tensor: in, shape: [32, 32], box: [32, 1], swizzle: 128}
  - {tensor: out, shape: [32, 32], box: [32, 1], swizzle: 128}
compile: {architecture: specific}
launch: {grid: 1, block: 32}
useful: {read: 1}
verify:
  out: "out[i] == (i / 32 == 3 ? 7 * 32 + i % 32 : i / 32 == 1 ? 0 : i / 32 == 30 ? float(i - 32) : -1)"
*/
__global__ void kernel(const __grid_constant__ CUtensorMap in,
                       const __grid_constant__ CUtensorMap out) {
  __shared__ __align__(1024) float tile[128];
  __shared__ unsigned long long arrived;
  const unsigned at = unsigned(__cvta_generic_to_shared(tile));
  const unsigned barrier = unsigned(__cvta_generic_to_shared(&arrived));
  if (threadIdx.x > 0) return;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier));
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(barrier));
  asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(at), "l"(&in), "r"(barrier), "r"(0),
               "r"(7), "r"(-1), "r"(29), "r"(5) : "memory");
  unsigned done = 0;
  while (!done) {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; "
                 "selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(barrier) : "memory");
  }
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group "
               "[%1, {%2, %3, %4, %5, %6}], [%0];" ::"r"(at), "l"(&out), "r"(0), "r"(3), "r"(1),
               "r"(30), "r"(40) : "memory");
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}
)cuda";
  EmulatorBackend backend(emulator_settings(100, 1));
  const Workload workload = emulated_workload(text, {}, 100);
  const auto execution = backend.prepare(workload, {});
  execution->initialise();
  execution->launch();
  BOOST_TEST(execution->verify().value_or("correct") == "correct");
}

BOOST_AUTO_TEST_CASE(a_kernel_that_takes_something_else_is_told) {
  const auto pattern = pattern_from_text("kernel", R"cuda(/* pattern:
buffers: {in: {type: float, length: 1024}}
arguments: [{tensor: in, box: 32}]
launch: {grid: 1, block: 32}
useful: {read: 1}
verify: {in: "true"}
*/
struct Small { int n; };
__global__ void kernel(Small map) {}
)cuda");
  const std::vector<Configuration> one = {resolve(pattern, {})};
  const auto outcomes = Compiler(nvrtc(), 90).compile(one);
  const auto* const failure = std::get_if<CompileFailure>(&outcomes.front());
  BOOST_REQUIRE(failure != nullptr);
  BOOST_TEST(contains(render(failure->errors), "the kernel takes no tensor map here"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace argument_objects
