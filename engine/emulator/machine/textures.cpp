// tex and tld4: CUDA C++ Programming Guide, "Texture Fetching".

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "engine/emulator/machine/block_run.h"

namespace sweep {
namespace {

float float_of_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const auto mantissa = static_cast<float>(bits & 0x3ff);
  const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 0x1f) {
    return std::bit_cast<float>((bits & 0x8000U) << 16 | 0x7f800000U | (bits & 0x3ffU) << 13);
  }
  constexpr int bias = 15;
  constexpr int mantissa_bits = 10;
  return exponent == 0 ? sign * std::ldexp(mantissa, 1 - bias - mantissa_bits)
                       : sign * std::ldexp(mantissa + 1024, exponent - bias - mantissa_bits);
}

/// The whole numbers of `bytes` bytes, extended.
std::int64_t integer_at(const std::byte* place, unsigned bytes, bool is_signed) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, place, bytes);
  const unsigned unused = 64 - 8 * bytes;
  return is_signed ? static_cast<std::int64_t>(bits << unused) >> unused
                   : static_cast<std::int64_t>(bits);
}

/// A component as a 32-bit register gets it.
std::uint32_t component_at(const Texture& texture, const std::byte* place) {
  const unsigned bytes = texture_component_bytes.at(static_cast<std::size_t>(texture.component));
  if (texture.component == TextureComponent::float16) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, place, bytes);
    return std::bit_cast<std::uint32_t>(float_of_half(bits));
  }
  const bool is_signed = texture.component >= TextureComponent::int8 && texture.is_integer();
  const std::int64_t value = integer_at(place, bytes, is_signed);
  if (!texture.reads_normalized_float) return static_cast<std::uint32_t>(value);
  const auto largest = static_cast<float>((1U << (8 * bytes - (is_signed ? 1 : 0))) - 1);
  return std::bit_cast<std::uint32_t>(std::max(static_cast<float>(value) / largest, -1.0F));
}

/// The texel that one outside of the texture stands for; none beyond a border.
std::optional<std::uint64_t> inside(std::int64_t texel, std::uint64_t extent,
                                    Texture::Address mode) {
  using Address = Texture::Address;
  const auto count = static_cast<std::int64_t>(extent);
  if (mode == Address::border && (texel < 0 || texel >= count)) return std::nullopt;
  if (mode == Address::clamp) texel = std::clamp<std::int64_t>(texel, 0, count - 1);
  const std::int64_t period = mode == Address::mirror ? 2 * count : count;
  texel = (texel % period + period) % period;
  return static_cast<std::uint64_t>(texel < count ? texel : period - 1 - texel);
}

/// The texels of one dimension that a read takes: one, or two with the share of the second.
struct Footprint {
  std::int64_t first = 0;
  float share = 0;
};

/// Of a coordinate in texels. Shares have 8 bits after the point.
Footprint footprint(float position, bool is_pair) {
  constexpr float most = 1 << 22;
  if (!(std::abs(position) < most)) position = position > 0 ? most : position < 0 ? -most : 0.0F;
  if (!is_pair) return {static_cast<std::int64_t>(std::floor(position)), 0};
  constexpr double steps = 256;
  const double fixed = std::floor((double{position} - 0.5) * steps + 0.5);
  const double first = std::floor(fixed / steps);
  return {static_cast<std::int64_t>(first), static_cast<float>(fixed / steps - first)};
}

float mixed(float first, float second, float share) {
  return (1 - share) * first + share * second;
}

}  // namespace

/// The components of a texel, whose place is noted.
AccessUnit::Texel AccessUnit::texel_at(const Texture& texture, unsigned lane, std::int64_t x,
                                       std::int64_t y, TexelAddresses& read) {
  const auto column = inside(x, texture.extents[0], texture.mode);
  const auto row = inside(y, texture.extents[1], texture.mode);
  Texel texel{};
  if (!column || !row) return texel;
  const std::uint64_t bytes = texture.element_bytes();
  const std::uint64_t address = texture.address + *row * texture.pitch + *column * bytes;
  read.places.at(read.count++) = address;
  const std::byte* const place = bytes_at(lane, ptx::Space::global, address, bytes, true);
  for (std::size_t i = 0; i < texture.components; ++i) {
    texel.at(i) = component_at(texture, place + i * bytes / texture.components);
  }
  return texel;
}

AccessUnit::Texel AccessUnit::read_texture(const Texture& texture, unsigned lane,
                                           TexelAddresses& read) {
  const bool gathers = memory_->gathered >= 0;
  const bool is_pair = texture.is_linear || gathers;
  std::array<Footprint, 2> at{};
  for (std::size_t i = 0; i < memory_->coordinates.size(); ++i) {
    const auto bits = warp_->slot<std::uint32_t>(memory_->coordinates[i])[lane];
    if (!memory_->has_float_coordinates) {
      at.at(i).first = static_cast<std::int32_t>(bits);
      continue;
    }
    const auto extent = static_cast<float>(texture.extents.at(i));
    const auto coordinate = std::bit_cast<float>(bits);
    at.at(i) = footprint(texture.is_normalized ? coordinate * extent : coordinate, is_pair);
  }
  const auto x = at[0];
  const auto y = at[1];
  const auto texel = [&](int right, int down) {
    return texel_at(texture, lane, x.first + right, y.first + down, read);
  };
  if (gathers) {
    const std::size_t component = static_cast<std::uint8_t>(memory_->gathered);
    return {texel(0, 1).at(component), texel(1, 1).at(component), texel(1, 0).at(component),
            texel(0, 0).at(component)};
  }
  if (!texture.is_linear || !memory_->has_float_coordinates) return texel(0, 0);
  const Texel top_left = texel(0, 0);
  const Texel top_right = texel(1, 0);
  const Texel bottom_left = texel(0, 1);
  const Texel bottom_right = texel(1, 1);
  Texel result{};
  const auto number = [](std::uint32_t bits) { return std::bit_cast<float>(bits); };
  for (std::size_t i = 0; i < texture.components; ++i) {
    const float top = mixed(number(top_left.at(i)), number(top_right.at(i)), x.share);
    const float bottom = mixed(number(bottom_left.at(i)), number(bottom_right.at(i)), x.share);
    result.at(i) = std::bit_cast<std::uint32_t>(mixed(top, bottom, y.share));
  }
  return result;
}

void AccessUnit::read_textures(std::uint32_t mask) {
  const Addresses handles = addresses_of(memory_->address);
  TexelAddresses read;
  WarpAccess first = {handles, 0, 1};
  const Texture* found = nullptr;
  std::uint64_t handle = 0;
  for_each_lane(mask, [&](unsigned lane) {
    if (found == nullptr || handles[lane] != handle) {
      handle = handles[lane];
      found = &object_at<Texture>(lane, handle, "texture");
    }
    const Texture& texture = *found;
    if (memory_->queried >= 0) {
      warp_->slot<std::uint32_t>(memory_->values[0])[lane] = static_cast<std::uint32_t>(
          texture.extents.at(static_cast<std::size_t>(memory_->queried)));
      return;
    }
    if (texture.rank != memory_->dimensions) {
      fail(lane, "it reads {} dimensions of a texture that has {}", memory_->dimensions,
           texture.rank);
    }
    if (texture.rank == 1 && memory_->has_float_coordinates) {
      fail(lane, "a texture of one dimension is read by tex1Dfetch, not by tex1D");
    }
    read.element_bytes = texture.element_bytes();
    Texel result{};
    // Without rows nothing is addressed beyond the end.
    const bool is_plain = texture.rank == 1;
    const auto index = warp_->slot<std::int32_t>(memory_->coordinates[0])[lane];
    const bool is_outside =
        is_plain && (index < 0 || static_cast<std::uint64_t>(index) >= texture.extents[0]);
    const std::size_t before = read.count;
    if (!is_outside) result = read_texture(texture, lane, read);
    if (read.count > before) {
      first.address[lane] = read.places.at(before);
      first.active |= bit_of(lane);
      first.width = static_cast<std::uint32_t>(texture.element_bytes());
    }
    read.quads.at(lane / lanes_of_quad) = read.count;
    for (std::size_t i = 0; i < memory_->values.size(); ++i) {
      warp_->slot<std::uint32_t>(memory_->values[i])[lane] = result.at(i);
    }
  });
  if (!launch_.is_kernel() || memory_->queried >= 0) return;
  const RequestCost cost = count_texels(mask, read);
  if (launch_.notes_shapes && first.active != 0) {
    note_shape(first, spread_of(first.address.data(), first.active), cost);
  }
}

/// A request for the different texels of each four lanes, through L1 as loads go: on an H200 the
/// counters of texture_blur's reads are these.
RequestCost AccessUnit::count_texels(std::uint32_t mask, TexelAddresses& read) {
  constexpr std::uint64_t sectors_of_line = 4;
  GlobalCount count;
  count.lanes = static_cast<std::uint64_t>(std::popcount(mask));
  std::size_t begin = 0;
  for (unsigned lane = 0; lane < warp_size; lane += lanes_of_quad) {
    if ((mask >> lane & 0xfU) == 0) continue;
    const std::size_t end = read.quads.at(lane / lanes_of_quad);
    std::span places = std::span(read.places).subspan(begin, end - begin);
    begin = end;
    const auto different = [&](std::uint64_t unit) {
      for (std::uint64_t& place : places) place /= unit;
      std::ranges::sort(places);
      const auto last = std::unique(places.begin(), places.end());
      places = places.first(static_cast<std::size_t>(last - places.begin()));
      return std::uint64_t{places.size()};
    };
    ++count.requests;
    count.bytes_wanted += different(1) * read.element_bytes;
    count.sectors += different(sector_bytes);
    if (launch_.on_request) {
      launch_.on_request({block_index_, warp_->index, AccessKind::load, op_->detail, places});
    }
    count.lines += different(sectors_of_line);
  }
  count.transactions = count.sectors;
  count_.sites[op_->detail].global += count;
  return {count.sectors, ideal_sectors(count.bytes_wanted, count.requests, count.sectors)};
}

}  // namespace sweep
