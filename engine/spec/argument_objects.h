#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/spec/keys.h"
#include "engine/text/expression.h"
#include "engine/text/yaml.h"

// What a kernel takes a buffer as, besides a pointer: tensor maps and textures.

namespace sweep {

/// Extents stand as CUDA's tensor maps have them: the dimension whose elements lie side by side
/// first.
struct TensorMapArgument {
  std::string buffer;
  std::string type = {};                 ///< of its elements; empty: the buffer's
  std::vector<Expression> shape = {};    ///< none: all of the buffer in one dimension
  std::vector<Expression> strides = {};  ///< elements, from the second dimension on; none: dense
  std::vector<Expression> box = {};
  std::vector<Expression> element_strides = {};  ///< none: 1 everywhere
  Expression swizzle = {};
  Expression interleave = {};
  Expression l2_promotion = {};
  bool fills_nan = false;
};

/// What a read outside of a texture gets, in the order of address_mode_names and of CUDA.
enum class AddressMode { wrap, clamp, mirror, border };

struct TextureArgument {
  std::string buffer;
  std::string type = {};               ///< of its elements; empty: the buffer's
  std::vector<Expression> shape = {};  ///< none: all of the buffer in one dimension
  Expression pitch = {};               ///< elements from row to row; 0: dense
  AddressMode address = AddressMode::clamp;
  bool is_linear = false;               ///< interpolates between elements
  bool is_normalized = false;           ///< coordinates are shares of the extents
  bool reads_normalized_float = false;  ///< integers are read as shares of their range
};

using ArgumentObject = std::variant<TensorMapArgument, TextureArgument>;

/// Keeps an expression that must be an integer of `least` at least; `what` names it in messages.
using TakeInteger = std::function<void(std::optional<Expression> expression, std::string what,
                                       std::int64_t least, Expression& result)>;

/// Whether an argument's map has one of their keys, by which it is one of them.
bool is_argument_object(const YamlNode& node);

/// What a pattern's header declares; of no types nothing is known.
struct DeclaredNames {
  std::vector<std::string> buffers;
  std::vector<std::string> types;
};

/// A map of tensor_map_keys or texture_keys.
std::optional<ArgumentObject> read_argument_object(const YamlNode& node,
                                                   const DeclaredNames& declared,
                                                   const TakeInteger& take,
                                                   Diagnostics& diagnostics);

/// What the function that packs a kernel's parameters calls the object with this number, and the
/// CUDA expression for what the kernel gets.
std::string object_name(std::size_t number);
std::string object_expression(const ArgumentObject& object, std::size_t number);

}  // namespace sweep
