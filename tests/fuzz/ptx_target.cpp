#include <new>
#include <string>
#include <vector>

#include "engine/emulator/lower/kernel.h"
#include "engine/emulator/machine/launch.h"
#include "tests/emulator/machine/test_device.h"
#include "tests/fuzz/targets.h"

namespace sweep::fuzz {
namespace {

/// What the largest device gives to a block, and what the emulator asks for at most.
constexpr std::uint64_t most_shared_bytes = 227 << 10;

/// Executes so many blocks, a cluster that waits for the grid where there are several, with every
/// argument the address of one buffer.
void execute(const std::string& ptx, const std::string& entry, std::uint32_t blocks) {
  testing::TestDevice device(ptx);
  Allocation& out = device.words("out", std::vector<std::uint32_t>(1024));
  testing::Setting setting;
  setting.instruction_limit = 2000;
  setting.grid = {blocks, 1, 1};
  setting.cluster = setting.grid;
  setting.is_cooperative = blocks > 1;
  const std::vector<std::uint64_t> arguments(16, out.base);
  Launch launch = device.launch(entry, setting, arguments);
  if (launch.shared_bytes() > most_shared_bytes) return;
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
        allow_refusal([&] { execute(text, entry, blocks); });
      }
    }
  });
}

}  // namespace sweep::fuzz
