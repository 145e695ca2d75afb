#include "engine/run/object_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace sweep {
namespace {

// int8_t and int16_t are copied like their unsigned ones; a tensor map has no types for them.
constexpr std::pair<std::string_view, TensorElement> tensor_elements[] = {
    {"int8_t", TensorElement::uint8},   {"uint8_t", TensorElement::uint8},
    {"int16_t", TensorElement::uint16}, {"uint16_t", TensorElement::uint16},
    {"int32_t", TensorElement::int32},  {"uint32_t", TensorElement::uint32},
    {"int64_t", TensorElement::int64},  {"uint64_t", TensorElement::uint64},
    {"half", TensorElement::float16},   {"float", TensorElement::float32},
    {"double", TensorElement::float64}, {"bfloat16", TensorElement::bfloat16}};

constexpr std::pair<std::string_view, TextureComponent> texture_components[] = {
    {"int8_t", TextureComponent::int8},   {"uint8_t", TextureComponent::uint8},
    {"int16_t", TextureComponent::int16}, {"uint16_t", TextureComponent::uint16},
    {"int32_t", TextureComponent::int32}, {"uint32_t", TextureComponent::uint32},
    {"half", TextureComponent::float16},  {"float", TextureComponent::float32}};

template <class Element, std::size_t count>
const auto* find_row(const std::pair<std::string_view, Element> (&table)[count],
                     std::string_view name) {
  return std::ranges::find(table, name, &std::pair<std::string_view, Element>::first);
}

/// What a launch takes one buffer as.
class ObjectPlanner {
 public:
  ObjectPlanner(const Buffer& buffer, const BufferPlan& plan, const Bindings& environment)
      : buffer_(buffer), plan_(plan), environment_(environment) {}

  TensorMap plan(const TensorMapArgument& argument) const {
    const ElementType type = element_type(argument.type);
    TensorMap map;
    const auto* const row = find_row(tensor_elements, type.name());
    if (row == std::end(tensor_elements)) {
      fail(argument, fmt::format("there is none of {} elements: 'type: {}' makes one of their "
                                 "components",
                                 type.name(), type.scalar().name()));
    }
    map.type = row->second;
    map.rank = static_cast<std::uint8_t>(std::max<std::size_t>(argument.shape.size(), 1));
    map.extents[0] = plan_.bytes / type.size();
    take(argument, "an extent of the shape", argument.shape, map.extents);
    map.strides[0] = type.size();
    for (unsigned i = 1; i < map.rank; ++i) {
      const std::int64_t stride =
          argument.strides.empty() ? 0 : argument.strides[i - 1].evaluate_integer(environment_);
      const std::uint64_t before = map.strides.at(i - 1);
      const bool is_dense = argument.strides.empty();
      if (__builtin_mul_overflow(is_dense ? before : type.size(),
                                 is_dense ? map.extents.at(i - 1) : positive(argument, stride),
                                 &map.strides.at(i))) {
        fail(argument, "a stride is larger than any memory");
      }
    }
    take(argument, "an extent of the box", argument.box, map.box);
    take(argument, "an element stride", argument.element_strides, map.element_strides);
    take(argument, "swizzle", argument.swizzle, map.swizzle);
    take(argument, "interleave", argument.interleave, map.interleave);
    take(argument, "l2_promotion", argument.l2_promotion, map.l2_promotion);
    map.fills_nan = argument.fills_nan;
    return checked(argument, map);
  }

  Texture plan(const TextureArgument& argument) const {
    const ElementType type = element_type(argument.type);
    const auto* const row = find_row(texture_components, type.scalar().name());
    if (row == std::end(texture_components)) {
      fail(argument, fmt::format("there is none of {} elements", type.name()));
    }
    Texture texture;
    texture.component = row->second;
    texture.components = static_cast<std::uint8_t>(type.components());
    texture.rank = static_cast<std::uint8_t>(std::max<std::size_t>(argument.shape.size(), 1));
    texture.extents[0] = plan_.bytes / type.size();
    take(argument, "an extent of the shape", argument.shape, texture.extents);
    take(argument, "pitch", argument.pitch, texture.pitch);
    texture.pitch = (texture.pitch == 0 ? texture.extents[0] : texture.pitch) * type.size();
    texture.mode = static_cast<Texture::Address>(argument.address);
    texture.is_linear = argument.is_linear;
    texture.is_normalized = argument.is_normalized;
    texture.reads_normalized_float = argument.reads_normalized_float;
    return checked(argument, texture);
  }

 private:
  static const char* what(const TensorMapArgument& /*argument*/) { return "tensor map"; }
  static const char* what(const TextureArgument& /*argument*/) { return "texture"; }

  template <class Argument>
  [[noreturn]] void fail(const Argument& argument, const std::string& reason) const {
    throw ExecutionFailure(
        fmt::format("bad launch: the {} of {}: {}", what(argument), buffer_.name, reason));
  }

  template <class Argument, class Object>
  Object checked(const Argument& argument, const Object& object) const {
    const std::string reason = why_not_valid(object, plan_.bytes);
    if (!reason.empty()) fail(argument, reason);
    return object;
  }

  ElementType element_type(const std::string& type) const {
    const std::string& name = type.empty() ? buffer_.type : type;
    const auto element = sweep::type_of(name, environment_).element;
    if (element) return *element;
    throw ExecutionFailure(fmt::format(
        "bad launch: {} is no element type: an argument made of the buffer {} needs a 'type'", name,
        buffer_.name));
  }

  template <class Argument>
  std::uint64_t positive(const Argument& argument, std::int64_t value) const {
    if (value < 1) fail(argument, fmt::format("a stride is {}: it is at least 1", value));
    return static_cast<std::uint64_t>(value);
  }

  /// What an expression comes to, where the number fits.
  template <class Argument, class Number>
  void take(const Argument& argument, const char* name, const Expression& expression,
            Number& result) const {
    const std::int64_t value = expression.evaluate_integer(environment_);
    if (!std::in_range<Number>(value)) fail(argument, fmt::format("{} is {}", name, value));
    result = static_cast<Number>(value);
  }

  template <class Argument, class Numbers>
  void take(const Argument& argument, const char* name, const std::vector<Expression>& list,
            Numbers& results) const {
    for (std::size_t i = 0; i < list.size(); ++i) {
      take(argument, name, list[i], results.at(i));
      if (results.at(i) == 0) fail(argument, fmt::format("{} is 0", name));
    }
  }

  const Buffer& buffer_;
  const BufferPlan& plan_;
  const Bindings& environment_;
};

}  // namespace

std::vector<ObjectPlan> plan_objects(const Pattern& pattern, const Step& step,
                                     const std::vector<BufferPlan>& buffers,
                                     const Bindings& environment) {
  std::vector<ObjectPlan> plans;
  for (const ArgumentObject& object : step.objects) {
    std::visit(
        [&](const auto& argument) {
          const auto found = std::ranges::find(pattern.buffers, argument.buffer, &Buffer::name);
          const auto index = static_cast<std::size_t>(found - pattern.buffers.begin());
          plans.push_back(
              {index, ObjectPlanner(*found, buffers[index], environment).plan(argument)});
        },
        object);
  }
  return plans;
}

}  // namespace sweep
