#pragma once

#include "engine/spec/keys.h"

// The keys of arguments that are tensor maps and textures.

namespace sweep {

/// What a tensor map gives for elements outside of the tensor.
inline constexpr std::array<std::string_view, 2> fill_names = {"zero", "nan"};

/// Of an argument that is a tensor map; in lists the elements that lie side by side come first.
inline constexpr Key tensor_map_keys[] = {
    {"tensor", ValueForm::plain, "The buffer that the kernel takes as a CUtensorMap.", true},
    {"shape", ValueForm::dimensions,
     "The tensor's extents in elements, the fastest first: [WIDTH, HEIGHT]; the whole buffer in "
     "one dimension unless given."},
    {"strides", ValueForm::dimensions,
     "Elements from one row, plane, ... to the next, for all dimensions but the first; dense "
     "unless given."},
    {"box", ValueForm::dimensions, "The extents of what a copy moves, in elements: [64, 8].", true},
    {"element_strides", ValueForm::dimensions,
     "Every how many elements of the box are copied, for each dimension; 1 unless given."},
    {"swizzle", ValueForm::plain,
     "The bytes within which 16-byte pieces change places in shared memory: 0, 32, 64 or 128."},
    {"interleave", ValueForm::plain, "The bytes of an interleaved layout's slices: 0, 16 or 32."},
    {"l2_promotion", ValueForm::plain, "The bytes that L2 fetches at least: 0, 64, 128 or 256."},
    {"fill", ValueForm::fill, "What elements outside of the tensor are read as: zero or nan."},
    {"type", ValueForm::element_type, "The type of the elements; the buffer's unless given."},
};

inline constexpr std::array<std::string_view, 4> address_mode_names = {"wrap", "clamp", "mirror",
                                                                       "border"};
inline constexpr std::array<std::string_view, 2> filter_names = {"point", "linear"};
inline constexpr std::array<std::string_view, 2> read_mode_names = {"element", "normalized_float"};

/// Of an argument that is a texture.
inline constexpr Key texture_keys[] = {
    {"texture", ValueForm::plain, "The buffer that the kernel takes as a cudaTextureObject_t.",
     true},
    {"shape", ValueForm::extent,
     "Its extents in elements: [WIDTH, HEIGHT], or WIDTH for tex1Dfetch; the whole buffer in one "
     "dimension unless given."},
    {"pitch", ValueForm::plain, "Elements from one row to the next; WIDTH unless given."},
    {"address", ValueForm::address_mode,
     "What a read outside of it gets: clamp, border (zero), and with normalized coordinates wrap "
     "or mirror; clamp unless given."},
    {"filter", ValueForm::filter, "point, or linear to interpolate; point unless given."},
    {"normalized", ValueForm::boolean, "Whether coordinates run from 0 to 1; false unless given."},
    {"read", ValueForm::read_mode,
     "element, or normalized_float for integers as shares of their range; element unless given."},
    {"type", ValueForm::element_type, "The type of the elements; the buffer's unless given."},
};

}  // namespace sweep
