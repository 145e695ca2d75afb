// Arguments that are tensor maps and textures, in a pattern's header.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/spec/spec_case.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(argument_object)

namespace {

using namespace sweep;
using namespace sweep::testing;

const std::string text = R"cu(/* pattern:
parameters: {W: 64, H: 32, SWIZZLE: 128}
buffers:
  in: {type: float, length: W * H}
  out: {type: float, length: W}
arguments:
  - {tensor: in, shape: [W, H], box: [32, 8], swizzle: SWIZZLE}
  - {texture: in, shape: [W, H], address: clamp}
  - out
launch: {grid: 1, block: W}
useful: {read: W * 4}
verify: {out: "true"}
*/
__global__ void copy(CUtensorMap map, cudaTextureObject_t texture, float* out) {}
)cu";

const EditCase mistakes[] = {
    {"tensor: in, ", "", "7:5+1 a tensor map needs the key 'tensor'"},
    {"texture: in, shape: [W, H], ", "", "8:5+1 a texture needs the key 'texture'"},
    {"tensor: in", "tensor: inn", "7:14+3 there is no buffer 'inn' | did you mean 'in'?"},
    {"{tensor: in", "{tensor: ", "7:6+6 'tensor' has no value | {tensor: in"},
    {"texture: in", "texture: X", "8:15+1 there is no buffer 'X' | the buffers are: in, out"},
    {"box: [32, 8]", "boxes: [32, 8]", "7:33+5 a tensor map has no key 'boxes'"},
    {", box: [32, 8]", "", "7:5+1 a tensor map needs the key 'box'"},
    {"box: [32, 8]", "box: [32]",
     "7:38+1 'box' has 1 number, but the shape has 2 dimensions | a list stands in the shape's "
     "order: elements that lie side by side first"},
    {"box: [32, 8]", "box: [32, 8], strides: [64, 64]",
     "'strides' has 2 numbers, but the shape has 2 dimensions, the first of which has no stride"},
    {"box: [32, 8]", "box: [1, 2, 3, 4, 5, 6]", "'box' takes one to 5 numbers"},
    {"box: [32, 8]", "box: [BOX, 8]", "7:39+3 there is no parameter 'BOX'"},
    {"box: [32, 8]", "box: [0, 8]", "box of the tensor map of 'in'"},
    {"swizzle: SWIZZLE", "swizzle: true", "swizzle of the tensor map of 'in'"},
    {"swizzle: SWIZZLE", "fill: one", "'one' is not a value of 'fill' | 'fill' may be: zero, nan"},
    {"swizzle: SWIZZLE", "type: flaot", "'flaot' is not an element type | did you mean 'float'?"},
    {"address: clamp", "address: repeat",
     "'repeat' is not a value of 'address' | 'address' may be: wrap, clamp, mirror, border"},
    {"address: clamp", "filter: cubic",
     "'cubic' is not a value of 'filter' | 'filter' may be: point, linear"},
    {"[W, H], address", "[W, H, 2], address", "'shape' takes one to 2 numbers"},
    {"address: clamp", "box: [2, 2]", "a texture has no key 'box'"},
};

}  // namespace

BOOST_AUTO_TEST_CASE(tensor_maps_and_textures_are_read) {
  const PatternPtr pattern = good_pattern(text);
  const Step& step = pattern->steps.front();
  BOOST_REQUIRE(step.objects.size() == 2);
  const auto& map = std::get<TensorMapArgument>(step.objects[0]);
  BOOST_TEST(map.buffer == "in");
  BOOST_TEST(map.shape[0].text() == "W");
  BOOST_TEST(map.box.size() == 2);
  BOOST_TEST(map.strides.empty());
  BOOST_TEST(map.swizzle.text() == "SWIZZLE");
  const auto& texture = std::get<TextureArgument>(step.objects[1]);
  BOOST_TEST((texture.address == AddressMode::clamp));
  BOOST_TEST(!texture.is_linear);
  BOOST_REQUIRE(step.arguments->size() == 3);
  BOOST_TEST(step.arguments->at(0).value.text == object_expression(step.objects[0], 0));
  BOOST_TEST(step.arguments->at(1).value.text == object_name(1));
}

BOOST_DATA_TEST_CASE(mistakes_have_their_places, data::make(mistakes), row) {
  const std::string found = pattern_messages(edited(text, row.from, row.to));
  BOOST_TEST(found.find(row.expected) != std::string::npos, "found: " << found);
}

BOOST_AUTO_TEST_SUITE_END()
