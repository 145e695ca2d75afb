#include "engine/spec/argument_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/spec/map_reader.h"
#include "engine/spec/object_keys.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

constexpr const char* tensor_help = "{tensor: in, shape: [W, H], box: [64, 8], swizzle: 128}";
constexpr const char* texture_help = "{texture: in, shape: [W, H], address: clamp, filter: point}";

/// Whether a map has one of these keys that is none of the others.
bool has_key_of(const YamlNode& node, KeyTable keys, KeyTable but = {}) {
  const auto is_in = [](KeyTable table, const std::string& name) {
    return std::ranges::find(table, name, &Key::name) != table.end();
  };
  return std::ranges::any_of(node.entries, [&](const YamlEntry& entry) {
    return is_in(keys, entry.key.text) && !is_in(but, entry.key.text);
  });
}

/// Reads the keys of an object, whose messages begin with "the tensor map of 'in'".
class ObjectReader {
 public:
  ObjectReader(const MapReader& reader, std::string what, const TakeInteger& take,
               Diagnostics& diagnostics)
      : reader_(reader), what_(std::move(what)), take_(take), diagnostics_(diagnostics) {}

  /// One number, or a list of up to `most`, each of at least 1.
  void extents(std::string_view key, std::size_t most, std::vector<Expression>& result) const {
    const YamlNode* node = reader_.find(key);
    if (node == nullptr) return;
    if (node->is_map() ||
        (node->is_sequence() && (node->items.empty() || node->items.size() > most))) {
      diagnostics_.error(node->where, fmt::format("'{}' takes one to {} numbers", key, most));
      return;
    }
    result = read_expressions(node, key, diagnostics_);
    for (Expression& each : result) take_(each, name_of(key), 1, each);
  }

  void integer(std::string_view key, Expression& result) const {
    result = Expression::constant(std::int64_t{0});
    if (reader_.find(key) != nullptr) take_(reader_.expression(key), name_of(key), 0, result);
  }

  /// Which of a few words stands under the key; `otherwise` where there is none.
  std::size_t word(std::string_view key, std::span<const std::string_view> words,
                   std::size_t otherwise) const {
    return reader_
        .choice(key, words, fmt::format("a value of '{}'", key), fmt::format("'{}' may be", key))
        .value_or(otherwise);
  }

  bool boolean(std::string_view key) const { return reader_.truth(key); }

  /// As many numbers as the shape has dimensions, less `fewer`; one dimension without a shape.
  void match(std::string_view key, const std::vector<Expression>& list,
             const std::vector<Expression>& shape, std::size_t fewer) const {
    const std::size_t wanted = std::max<std::size_t>(shape.size(), 1) - fewer;
    const YamlNode* node = reader_.find(key);
    if (node == nullptr || list.empty() || list.size() == wanted) return;
    diagnostics_.error(
        node->where,
        fmt::format("'{}' has {}, but the shape has {}{}", key, count_of(list.size(), "number"),
                    count_of(wanted + fewer, "dimension"),
                    fewer == 0 ? "" : ", the first of which has no stride"),
        "a list stands in the shape's order: elements that lie side by side first");
  }

 private:
  std::string name_of(std::string_view key) const { return fmt::format("{} of {}", key, what_); }

  const MapReader& reader_;
  std::string what_;
  const TakeInteger& take_;
  Diagnostics& diagnostics_;
};

TensorMapArgument read_tensor_map(const MapReader& reader, const ObjectReader& keys,
                                  std::string buffer) {
  constexpr std::size_t most_dimensions = 5;
  TensorMapArgument map = {std::move(buffer)};
  map.type = reader.text("type");
  keys.extents("shape", most_dimensions, map.shape);
  keys.extents("strides", most_dimensions - 1, map.strides);
  reader.require("box", tensor_help);
  keys.extents("box", most_dimensions, map.box);
  keys.extents("element_strides", most_dimensions, map.element_strides);
  keys.match("box", map.box, map.shape, 0);
  keys.match("element_strides", map.element_strides, map.shape, 0);
  keys.match("strides", map.strides, map.shape, 1);
  keys.integer("swizzle", map.swizzle);
  keys.integer("interleave", map.interleave);
  keys.integer("l2_promotion", map.l2_promotion);
  map.fills_nan = keys.word("fill", fill_names, 0) == 1;
  return map;
}

TextureArgument read_texture(const MapReader& reader, const ObjectReader& keys,
                             std::string buffer) {
  TextureArgument texture = {std::move(buffer)};
  texture.type = reader.text("type");
  keys.extents("shape", 2, texture.shape);
  keys.integer("pitch", texture.pitch);
  texture.address = static_cast<AddressMode>(
      keys.word("address", address_mode_names, static_cast<std::size_t>(AddressMode::clamp)));
  texture.is_linear = keys.word("filter", filter_names, 0) == 1;
  texture.is_normalized = keys.boolean("normalized");
  texture.reads_normalized_float = keys.word("read", read_mode_names, 0) == 1;
  return texture;
}

}  // namespace

bool is_argument_object(const YamlNode& node) {
  return has_key_of(node, tensor_map_keys) || has_key_of(node, texture_keys);
}

std::optional<ArgumentObject> read_argument_object(const YamlNode& node,
                                                   const DeclaredNames& declared,
                                                   const TakeInteger& take,
                                                   Diagnostics& diagnostics) {
  const auto is_named = [&](KeyTable keys) { return has_key_of(node, keys.first(1)); };
  const bool is_either = has_key_of(node, tensor_map_keys, texture_keys) ||
                         !has_key_of(node, texture_keys, tensor_map_keys);
  const bool is_tensor = is_named(tensor_map_keys) || (is_either && !is_named(texture_keys));
  const std::string_view key = is_tensor ? "tensor" : "texture";
  const MapReader reader(node, is_tensor ? "a tensor map" : "a texture",
                         is_tensor ? KeyTable(tensor_map_keys) : KeyTable(texture_keys),
                         diagnostics);
  const YamlNode* named = reader.require(key, is_tensor ? tensor_help : texture_help);
  if (named == nullptr) return std::nullopt;
  std::string buffer = reader.text(key);
  if (!is_among(declared.buffers, buffer)) {
    return diagnostics.error(named->where, fmt::format("there is no buffer '{}'", buffer),
                             suggest(buffer, declared.buffers, "the buffers are"));
  }
  if (const YamlNode* type = reader.find("type"); type != nullptr && !declared.types.empty()) {
    const std::string name = reader.text("type");
    if (!ElementType::find(name) && !is_among(declared.types, name)) {
      diagnostics.error(type->where, fmt::format("'{}' is not an element type", name),
                        suggest(name, declared.types, "the types are"));
    }
  }
  const ObjectReader keys(
      reader, fmt::format("the {} of '{}'", is_tensor ? "tensor map" : "texture", buffer), take,
      diagnostics);
  if (is_tensor) return read_tensor_map(reader, keys, std::move(buffer));
  return read_texture(reader, keys, std::move(buffer));
}

std::string object_name(std::size_t number) {
  return fmt::format("sweep_object{}", number);
}

std::string object_expression(const ArgumentObject& object, std::size_t number) {
  const std::string name = object_name(number);
  const bool is_tensor = std::holds_alternative<TensorMapArgument>(object);
  return is_tensor ? fmt::format("sweep_tensor_map{{{}}}", name) : name;
}

}  // namespace sweep
