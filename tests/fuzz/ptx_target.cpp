#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "engine/backend/argument_objects.h"
#include "engine/emulator/lower/kernel.h"
#include "engine/emulator/machine/launch.h"
#include "tests/emulator/machine/test_device.h"
#include "tests/fuzz/targets.h"

namespace sweep::fuzz {
namespace {

/// What the largest device gives to a block, and what the emulator asks for at most.
constexpr std::uint64_t most_shared_bytes = 227 << 10;

constexpr std::uint64_t objects_begin = 2048;  ///< in the buffer that kernels get
constexpr std::uint64_t row_bytes = 64;

/// A tensor of numbers of 4 bytes in so many dimensions over the buffer.
TensorMap tensor_of(std::uint64_t address, std::uint8_t rank, std::uint8_t swizzle) {
  TensorMap map = {.address = address, .rank = rank, .type = TensorElement::uint32};
  map.swizzle = swizzle;
  map.strides = {4, row_bytes, row_bytes * 4, row_bytes * 8, row_bytes * 8};
  map.extents = {16, 4, 2, 1, 1};
  map.box = {8, 3, 2, 1, 1};
  for (std::size_t i = rank; i < map.extents.size(); ++i) map.extents.at(i) = map.box.at(i) = 1;
  return map;
}

Texture texture_of(std::uint64_t address, std::uint8_t rank, bool is_linear) {
  Texture texture = {.address = address, .pitch = row_bytes, .extents = {4, 4}, .rank = rank};
  texture.components = 4;
  texture.is_linear = is_linear;
  return texture;
}

/// Makes tensor maps and textures. Their bytes lie in the buffer, 128 for each, as kernels may have
/// copies of those that the launch passes.
std::vector<const Allocation*> place_objects(testing::TestDevice& device, Allocation& out) {
  std::vector<const Allocation*> made;
  const auto place = [&](const auto& object) {
    Allocation& one = device.memory().allocate("object", tensor_map_bytes, 1);
    std::memcpy(one.host, &object, sizeof object);
    std::memcpy(out.host + objects_begin + made.size() * tensor_map_bytes, &object, sizeof object);
    made.push_back(&one);
  };
  for (std::uint8_t rank = 1; rank <= 3; ++rank) {
    place(tensor_of(out.base, rank, rank == 2 ? 32 : 0));
  }
  place(texture_of(out.base, 1, false));
  place(texture_of(out.base, 2, false));
  place(texture_of(out.base, 2, true));
  return made;
}

/// Executes so many blocks, a cluster that waits for the grid where there are several, with every
/// argument the address of one buffer.
void execute(const std::string& ptx, const std::string& entry, std::uint32_t blocks,
             std::uint32_t threads) {
  testing::TestDevice device(ptx);
  Allocation& out = device.words("out", std::vector<std::uint32_t>(1024));
  testing::Setting setting;
  setting.instruction_limit = 2000;
  setting.grid = {blocks, 1, 1};
  setting.block = {threads, 1, 1};
  setting.cluster = setting.grid;
  setting.is_cooperative = blocks > 1;
  const std::vector<std::uint64_t> arguments(16, out.base);
  Launch launch = device.launch(entry, setting, arguments);
  if (launch.shared_bytes() > most_shared_bytes) return;
  launch.objects = place_objects(device, out);
  launch.checks_kernel = true;
  launch.notes_shapes = true;
  launch.print = [](const std::string& /*text*/) {};
  GridOptions options;
  options.stall_limit = setting.instruction_limit;
  run_grid(launch, options);
}

template <class Work>
void allow_refusal(Work work) {
  try {
    work();
  } catch (const ptx::SyntaxError&) {
  } catch (const UnsupportedError&) {
  } catch (const KernelFault&) {
  } catch (const std::bad_alloc&) {
    // Memory that a kernel asks for and this machine does not have is refused by name.
  }
}

}  // namespace

void run_ptx(std::string_view bytes) {
  // Where there is no module, the bytes are a kernel's body.
  const bool is_module = bytes.find(".version") != std::string_view::npos;
  const std::string text = is_module ? std::string(bytes) : testing::kernel_text(bytes);
  allow_refusal([&] {
    const ptx::Module module(text);
    std::size_t left = 8;
    for (const std::string& entry : module.entries()) {
      if (left-- == 0) break;
      for (const std::uint32_t blocks : {1U, 2U}) {
        allow_refusal([&] { execute(text, entry, blocks, warp_size); });
      }
      // A warpgroup.
      if (text.find("wgmma") == std::string::npos) continue;
      allow_refusal([&] { execute(text, entry, 1, 4 * warp_size); });
    }
  });
}

}  // namespace sweep::fuzz
