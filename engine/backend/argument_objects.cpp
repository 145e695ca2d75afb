#include "engine/backend/argument_objects.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text/units.h"

namespace sweep {
namespace {

bool is_one_of(std::uint64_t value, std::initializer_list<std::uint64_t> values) {
  return std::ranges::find(values, value) != values.end();
}

/// Why a number is none of those that CUDA has.
std::string why_not_among(const char* key, std::uint64_t value,
                          std::initializer_list<std::uint64_t> values, const char* listed) {
  if (is_one_of(value, values)) return {};
  return fmt::format("'{}' is {}: it may be {}", key, value, listed);
}

std::string why_no_box(const TensorMap& map) {
  constexpr std::uint64_t most_box = 256;
  constexpr std::uint64_t most_step = 8;
  for (unsigned i = 0; i < map.rank; ++i) {
    if (map.box.at(i) == 0 || map.box.at(i) > most_box) {
      return fmt::format("its box has an extent of {}: each is at most {}", map.box.at(i),
                         most_box);
    }
    if (map.element_strides.at(i) == 0 || map.element_strides.at(i) > most_step) {
      return fmt::format("an element stride is {}: each is at most {}", map.element_strides.at(i),
                         most_step);
    }
  }
  if (map.interleave != 0) return {};
  const std::uint64_t inner = map.box[0] * map.element_bytes();
  if (inner % 16 != 0) {
    return fmt::format(
        "its box is {} elements of {} bytes wide, {} bytes: they are a multiple of "
        "16",
        map.box[0], map.element_bytes(), inner);
  }
  if (map.swizzle == 0 || inner <= map.swizzle) return {};
  return fmt::format("its box is {} bytes wide, which is more than the {} of the swizzle", inner,
                     map.swizzle);
}

/// The bytes from a tensor's first element to behind its last; all 64 bits set beyond any memory.
std::uint64_t reach_of(const TensorMap& map) {
  std::uint64_t reach = map.element_bytes();
  for (unsigned i = 0; i < map.rank; ++i) {
    std::uint64_t step = 0;
    if (__builtin_mul_overflow(map.extents.at(i) - 1, map.strides.at(i), &step) ||
        __builtin_add_overflow(reach, step, &reach)) {
      return ~std::uint64_t{0};
    }
  }
  return reach;
}

std::string why_no_tensor(const TensorMap& map, std::uint64_t bytes) {
  constexpr std::uint64_t most_extent = std::uint64_t{1} << 32U;
  constexpr std::uint64_t most_stride = std::uint64_t{1} << 40U;
  const std::uint64_t step = map.interleave == 32 ? 32 : 16;
  for (unsigned i = 0; i < map.rank; ++i) {
    if (map.extents.at(i) > most_extent) {
      return fmt::format("an extent is {}: each is at most 2^32", map.extents.at(i));
    }
    const std::uint64_t stride = map.strides.at(i);
    if (i > 0 && (stride % step != 0 || stride >= most_stride)) {
      return fmt::format("dimension {} has a stride of {} bytes: it is a multiple of {} below 2^40",
                         i + 1, stride, step);
    }
  }
  if (const std::uint64_t reach = reach_of(map); reach > bytes) {
    return fmt::format("the tensor needs {} bytes, but the buffer has {}", format_thousands(reach),
                       format_thousands(bytes));
  }
  return {};
}

}  // namespace

std::string why_not_valid(const TensorMap& map, std::uint64_t bytes) {
  std::string reason = why_not_among("swizzle", map.swizzle, {0, 32, 64, 128}, "0, 32, 64 or 128");
  if (reason.empty()) {
    reason = why_not_among("interleave", map.interleave, {0, 16, 32}, "0, 16 or 32");
  }
  if (reason.empty()) {
    reason =
        why_not_among("l2_promotion", map.l2_promotion, {0, 64, 128, 256}, "0, 64, 128 or 256");
  }
  if (reason.empty() && map.interleave != 0 && map.rank < 3) {
    reason = "an interleaved tensor has 3 to 5 dimensions";
  }
  if (reason.empty() && map.interleave == 32 && map.swizzle != 32) {
    reason = "'interleave: 32' needs 'swizzle: 32'";
  }
  if (reason.empty() && map.fills_nan && !map.is_floating()) {
    reason = "'fill: nan' needs floating elements";
  }
  if (reason.empty()) reason = why_no_tensor(map, bytes);
  return reason.empty() ? why_no_box(map) : reason;
}

std::string why_not_valid(const Texture& texture, std::uint64_t bytes) {
  using Address = Texture::Address;
  // Of textures over linear memory: CUDA C++ Programming Guide, "Technical Specifications".
  constexpr std::uint64_t most_elements = std::uint64_t{1} << 28U;
  constexpr std::uint64_t most_width = 131'072;
  constexpr std::uint64_t most_height = 65'000;
  const auto [width, height] = texture.extents;
  const std::uint64_t row = width * texture.element_bytes();
  if (texture.components == 3) return "an element has 3 components: it may have 1, 2 or 4";
  if (texture.rank == 1) {
    if (width > most_elements) {
      return fmt::format("it has {} elements: at most 2^28", format_thousands(width));
    }
    if (texture.is_linear || texture.is_normalized) {
      return "a texture of one dimension is read by tex1Dfetch, which neither interpolates nor "
             "takes normalized coordinates; 'shape: [WIDTH, 1]' makes it one of rows";
    }
  } else {
    if (width > most_width || height > most_height) {
      return fmt::format("its shape is {} x {}: at most {} x {}", width, height, most_width,
                         most_height);
    }
    if (texture.pitch % 32 != 0) {
      return fmt::format("its rows lie {} bytes apart: the distance is a multiple of 32",
                         texture.pitch);
    }
    if (row > texture.pitch) {
      return fmt::format("a row has {} bytes, but the pitch {}", row, texture.pitch);
    }
  }
  const bool repeats = texture.mode == Address::wrap || texture.mode == Address::mirror;
  if (repeats && !texture.is_normalized) {
    return "'address: wrap' and 'mirror' need 'normalized: true'; CUDA clamps otherwise";
  }
  if (texture.is_linear && texture.is_integer() && !texture.reads_normalized_float) {
    return "'filter: linear' of integers needs 'read: normalized_float'";
  }
  if (texture.reads_normalized_float &&
      (!texture.is_integer() ||
       texture_component_bytes.at(static_cast<std::size_t>(texture.component)) == 4)) {
    return "'read: normalized_float' needs integers of 8 or 16 bits";
  }
  const std::uint64_t needed = (height - 1) * texture.pitch + row;
  if (needed > bytes) {
    return fmt::format("it needs {} bytes, but the buffer has {}", format_thousands(needed),
                       format_thousands(bytes));
  }
  return {};
}

}  // namespace sweep
