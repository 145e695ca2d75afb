#include "engine/cuda/kernel_objects.h"

#include <fmt/format.h>

#include <algorithm>

namespace sweep {
namespace {

static_assert(sizeof(CUtensorMap) == tensor_map_bytes);
static_assert(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 == static_cast<int>(TensorElement::bfloat16));
static_assert(CU_TR_ADDRESS_MODE_BORDER == static_cast<int>(Texture::Address::border));

/// The place of a number among those that CUDA's enumerations stand for, in their order.
template <class Enumeration>
Enumeration enumerated(std::initializer_list<unsigned> values, unsigned value) {
  const auto* const found = std::ranges::find(values, value);
  return static_cast<Enumeration>(found - values.begin());
}

CUtensorMap encode(const TensorMap& map, CUdeviceptr address) {
  std::array<cuuint64_t, TensorMap::most_rank> extents{};
  std::array<cuuint64_t, TensorMap::most_rank> strides{};
  std::array<cuuint32_t, TensorMap::most_rank> box{};
  std::array<cuuint32_t, TensorMap::most_rank> steps{};
  for (unsigned i = 0; i < map.rank; ++i) {
    extents.at(i) = map.extents.at(i);
    if (i > 0) strides.at(i - 1) = map.strides.at(i);
    box.at(i) = map.box.at(i);
    steps.at(i) = map.element_strides.at(i);
  }
  try {
    // Drivers before 12.0 do not have it.
    const DriverFunction<decltype(::cuTensorMapEncodeTiled)> encode_tiled(Driver::get().library,
                                                                          "cuTensorMapEncodeTiled");
    return encode_tiled.value(
        static_cast<CUtensorMapDataType>(map.type), cuuint32_t{map.rank},
        reinterpret_cast<void*>(address), extents.data(), strides.data(), box.data(), steps.data(),
        enumerated<CUtensorMapInterleave>({0, 16, 32}, map.interleave),
        enumerated<CUtensorMapSwizzle>({0, 32, 64, 128}, map.swizzle),
        enumerated<CUtensorMapL2promotion>({0, 64, 128, 256}, map.l2_promotion),
        map.fills_nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                      : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  } catch (const LibraryError& error) {
    throw ExecutionFailure(fmt::format("the driver has no tensor maps: {}", error.what()));
  }
}

CUarray_format format_of(TextureComponent component) {
  constexpr std::array formats = {CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_UNSIGNED_INT16,
                                  CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT8,
                                  CU_AD_FORMAT_SIGNED_INT16,   CU_AD_FORMAT_SIGNED_INT32,
                                  CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT};
  return formats.at(static_cast<std::size_t>(component));
}

}  // namespace

KernelObjects::KernelObjects(const std::vector<ObjectPlan>& plans,
                             std::span<const CUdeviceptr> addresses, CUstream stream) {
  encoded_.reserve(plans.size());  // copies read from there
  for (const ObjectPlan& plan : plans) {
    const CUdeviceptr address = addresses[plan.buffer];
    const auto* const map = std::get_if<TensorMap>(&plan.object);
    values_.push_back(map != nullptr ? place(*map, address, stream)
                                     : make(std::get<Texture>(plan.object), address));
  }
}

CUdeviceptr KernelObjects::place(const TensorMap& map, CUdeviceptr address, CUstream stream) {
  const CUtensorMap& encoded = encoded_.emplace_back(encode(map, address));
  const DeviceMemory& memory = maps_.emplace_back(allocate_device_memory(sizeof encoded));
  Driver::get().copy_to_device(memory.get(), &encoded, sizeof encoded, stream);
  return memory.get();
}

CUtexObject KernelObjects::make(const Texture& texture, CUdeviceptr address) {
  CUDA_RESOURCE_DESC resource{};
  const CUarray_format format = format_of(texture.component);
  if (texture.rank == 1) {
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear = {address, format, texture.components,
                           texture.extents[0] * texture.element_bytes()};
  } else {
    resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    resource.res.pitch2D = {
        address, format, texture.components, texture.extents[0], texture.extents[1], texture.pitch};
  }
  CUDA_TEXTURE_DESC description{};
  std::ranges::fill(description.addressMode, static_cast<CUaddress_mode>(texture.mode));
  description.filterMode = texture.is_linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  if (texture.is_normalized) description.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  if (texture.is_integer() && !texture.reads_normalized_float) {
    description.flags |= CU_TRSF_READ_AS_INTEGER;
  }
  CUtexObject object = 0;
  Driver::get().texture_create(&object, &resource, &description, nullptr);
  textures_.emplace_back(object);
  return object;
}

}  // namespace sweep
