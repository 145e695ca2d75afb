#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

// Tensor maps and textures as a launch passes them, with every size worked out. The GPU's backend
// has the driver encode them; the emulator's kernels see their bytes.

namespace sweep {

/// In the order of CUtensorMapDataType.
enum class TensorElement : std::uint8_t {
  uint8,
  uint16,
  uint32,
  int32,
  uint64,
  int64,
  float16,
  float32,
  float64,
  bfloat16
};

/// A tensor in a buffer and the box that copies move of it. The dimension whose elements lie side
/// by side comes first.
struct TensorMap {
  static constexpr std::uint64_t seal = 0x70616d20736f7262;  ///< tells it from a texture
  static constexpr unsigned most_rank = 5;

  std::uint64_t mark = seal;
  std::uint64_t address = 0;
  std::array<std::uint64_t, most_rank> extents = {1, 1, 1, 1, 1};
  /// In bytes; of the first dimension that of an element.
  std::array<std::uint64_t, most_rank> strides = {};
  std::array<std::uint16_t, most_rank> box = {1, 1, 1, 1, 1};
  std::array<std::uint8_t, most_rank> element_strides = {1, 1, 1, 1, 1};
  std::uint8_t rank = 1;
  TensorElement type = TensorElement::uint8;
  std::uint8_t swizzle = 0;     ///< 0, 32, 64, 128
  std::uint8_t interleave = 0;  ///< 0, 16, 32
  bool fills_nan = false;
  std::uint16_t l2_promotion = 0;  ///< 0, 64, 128, 256

  std::uint64_t element_bytes() const { return strides[0]; }
  bool is_floating() const {
    return type == TensorElement::float16 || type == TensorElement::bfloat16 ||
           type == TensorElement::float32 || type == TensorElement::float64;
  }
  /// The elements of a dimension that a copy moves.
  std::uint64_t copied(unsigned dimension) const {
    const unsigned step = dimension == 0 ? 1 : element_strides.at(dimension);
    return (box.at(dimension) + step - 1) / step;
  }
};
/// Of a CUtensorMap.
constexpr std::size_t tensor_map_bytes = 128;
static_assert(sizeof(TensorMap) <= tensor_map_bytes);

/// What a texture's components are.
enum class TextureComponent : std::uint8_t {
  uint8,
  uint16,
  uint32,
  int8,
  int16,
  int32,
  float16,
  float32
};
inline constexpr std::array<std::uint8_t, 8> texture_component_bytes = {1, 2, 4, 1, 2, 4, 2, 4};

/// A texture over a buffer: of rows, or of elements without rows.
struct Texture {
  static constexpr std::uint64_t seal = 0x7865742073627573;  ///< tells it from a tensor map
  /// In the order of CUaddress_mode.
  enum class Address : std::uint8_t { wrap, clamp, mirror, border };

  std::uint64_t mark = seal;
  std::uint64_t address = 0;
  std::uint64_t pitch = 0;  ///< bytes from row to row
  std::array<std::uint64_t, 2> extents = {1, 1};
  std::uint8_t rank = 1;
  TextureComponent component = TextureComponent::float32;
  std::uint8_t components = 1;  ///< 1, 2 or 4
  Address mode = Address::clamp;
  bool is_linear = false;               ///< interpolates
  bool is_normalized = false;           ///< coordinates are shares of the extents
  bool reads_normalized_float = false;  ///< integers are read as shares of their range

  std::uint64_t element_bytes() const {
    return std::uint64_t{components} *
           texture_component_bytes.at(static_cast<std::size_t>(component));
  }
  bool is_integer() const { return component < TextureComponent::float16; }
};

/// What a kernel takes one of the workload's buffers as.
struct ObjectPlan {
  std::size_t buffer = 0;  ///< its number; it gives the address
  std::variant<TensorMap, Texture> object;
};

/// Why no device takes it, as in "the box is 300 elements wide"; empty where nothing is wrong.
/// `bytes`: of the buffer.
std::string why_not_valid(const TensorMap& map, std::uint64_t bytes);
std::string why_not_valid(const Texture& texture, std::uint64_t bytes);

}  // namespace sweep
