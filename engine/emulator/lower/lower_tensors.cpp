// cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, tex, tld4.

#include <algorithm>

#include "engine/emulator/lower/lowering.h"

namespace sweep {
namespace {

using ptx::Operand;
using ptx::Space;

/// The coordinates of `[object, {x, y}]`: in the slots of their registers.
SlotList coordinates_of(Lowering& lowering, const Operand& object) {
  SlotList slots;
  if (object.elements.size() != 1) lowering.refuse("its operands are not known");
  for (const Operand& coordinate : object.elements.front().elements) {
    slots.push_back(lowering.source(coordinate, 32));
  }
  return slots;
}

/// "2d" -> 2
unsigned dimensions_of(Lowering& lowering) {
  for (const std::string_view modifier : lowering.instruction().modifiers) {
    const bool is_count = modifier.size() == 2 && modifier[1] == 'd';
    if (is_count && modifier[0] >= '1' && modifier[0] <= '5') {
      return static_cast<unsigned>(modifier[0] - '0');
    }
  }
  lowering.refuse();
}

}  // namespace

/// The modifiers are those of other bulk copies, with the dimensions and how the box is laid out.
void lower_tensor_copy(Lowering& lowering, bool is_reduction) {
  MemoryOp memory;
  memory.is_reduction = is_reduction;
  memory.dimensions = static_cast<std::uint8_t>(dimensions_of(lowering));
  std::vector<Space> spaces;
  for (const std::string_view modifier : lowering.instruction().modifiers) {
    if (modifier.starts_with("im2col")) lowering.refuse("of tensor copies it executes tiles alone");
    if (modifier == "cta_group::2") lowering.refuse("it is for pairs of blocks");
    if (modifier == "shared::cluster") memory.is_of_cluster = true;
    if (modifier == "tile::gather4" || modifier == "tile::scatter4") memory.picks_rows = true;
    const std::string_view base = modifier.substr(0, modifier.find("::"));
    if (base == "shared" || base == "global") spaces.push_back(*ptx::find_space(base));
  }
  if (spaces.size() != 2 || spaces[0] == spaces[1]) lowering.refuse();
  memory.to_space = spaces[0];
  memory.space = spaces[1];
  const bool is_load = memory.to_space == Space::shared;
  if (is_reduction) {
    if (is_load) lowering.refuse();
    memory.operation = lowering.modifier<AtomicOperation>(atomic_operations);
  }
  const Operand& tensor = lowering.operand(is_load ? 1 : 0);
  (is_load ? memory.to_address : memory.address) = lowering.address(is_load ? 0 : 1);
  (is_load ? memory.address : memory.to_address) = lowering.address(tensor);
  memory.coordinates = coordinates_of(lowering, tensor);
  constexpr std::size_t picked = 5;  // a column and four rows
  if (memory.coordinates.size() != (memory.picks_rows ? picked : memory.dimensions)) {
    lowering.refuse("its coordinates do not fit");
  }
  if (is_load) memory.barrier = lowering.address(2);
  if (lowering.has_modifier("multicast::cluster")) {
    if (!is_load) lowering.refuse();
    memory.multicast = lowering.source(3, 16);
  }
  lowering.kernel().is_linked |= is_reduction;
  lowering.emit_memory(OpKind::tensor_copy, std::move(memory));
}

/// txq.width.b32 d, [texture];
void lower_texture_query(Lowering& lowering) {
  constexpr std::pair<std::string_view, std::int8_t> extents[] = {{"width", 0}, {"height", 1}};
  MemoryOp memory;
  memory.queried = lowering.modifier<std::int8_t>(extents);
  if (lowering.has_modifier("level")) lowering.refuse("a texture has one level");
  memory.values.push_back(lowering.destination(0, 32));
  memory.address = lowering.address(1);
  lowering.emit_memory(OpKind::texture, std::move(memory));
}

/// tex{.level}.2d.v4.f32.f32 {r, g, b, a}, [texture, {x, y}]{, level}; of several levels there are
/// none.
void lower_texture(Lowering& lowering) {
  if (lowering.instruction().mnemonic == "txq") return lower_texture_query(lowering);
  MemoryOp memory;
  const bool gathers = lowering.instruction().mnemonic == "tld4";
  for (const std::string_view modifier : lowering.instruction().modifiers) {
    if (gathers && modifier.size() == 1) {
      memory.gathered = static_cast<std::int8_t>(std::string_view("rgba").find(modifier));
    }
    if (modifier.starts_with("f16") || modifier == "v2") {
      lowering.refuse("its result has components of 32 bits");
    }
    const bool is_component = gathers && modifier.size() == 1;
    if ((modifier.starts_with("a") && !is_component) || modifier == "cube" ||
        modifier.ends_with("ms")) {
      lowering.refuse("of textures it executes those of one and two dimensions");
    }
  }
  memory.dimensions = static_cast<std::uint8_t>(dimensions_of(lowering));
  if (memory.dimensions > 2) {
    lowering.refuse("of textures it executes those of one and two dimensions");
  }
  memory.has_float_coordinates = lowering.last_type() == ptx::Type::f32;
  for (const Operand& element : lowering.operand(0).elements) {
    memory.values.push_back(lowering.destination(element, 32));
  }
  const Operand& texture = lowering.operand(1);
  memory.address = lowering.address(texture);
  memory.coordinates = coordinates_of(lowering, texture);
  if (memory.values.size() != 4 || memory.coordinates.size() != memory.dimensions) {
    lowering.refuse("its operands are not known");
  }
  lowering.emit_memory(OpKind::texture, std::move(memory));
}

}  // namespace sweep
