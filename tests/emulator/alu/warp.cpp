#include "tests/emulator/alu/warp.h"

#include <cstring>
#include <memory>
#include <stdexcept>

namespace sweep::testing {
namespace {

constexpr std::uint32_t slot_bytes = warp_size * 8;

struct alignas(64) Block {
  std::array<std::byte, 6 * slot_bytes> bytes{};
};

std::uint64_t truncated(std::uint64_t value, unsigned bits) {
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

void write(Block& block, std::uint32_t offset, unsigned bits, const Lanes& lanes) {
  if (bits == 0) return;
  if (bits == 1) {
    std::uint32_t mask = 0;
    for (unsigned lane = 0; lane < warp_size; ++lane)
      mask |= static_cast<std::uint32_t>(lanes[lane] & 1) << lane;
    std::memcpy(&block.bytes[offset], &mask, 4);
    return;
  }
  const std::uint32_t width = bits == 64 ? 8 : 4;
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    const std::uint64_t value = truncated(lanes[lane], bits);
    std::memcpy(&block.bytes[offset + lane * width], &value, width);
  }
}

void read(const Block& block, std::uint32_t offset, unsigned bits, Lanes& lanes) {
  if (bits == 0) return;
  const std::uint32_t width = bits == 64 ? 8 : 4;
  std::uint32_t mask = 0;
  std::memcpy(&mask, &block.bytes[offset], 4);
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    std::uint64_t value = 0;
    std::memcpy(&value, &block.bytes[offset + lane * width], width);
    lanes[lane] = bits == 1 ? mask >> lane & 1 : value;
  }
}

Registers same_in_all_lanes(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t e) {
  Registers registers;
  registers.a.fill(a);
  registers.b.fill(b);
  registers.c.fill(c);
  registers.e.fill(e);
  return registers;
}

}  // namespace

AluOperation find(Simd simd, std::string_view instruction) {
  std::vector<std::string_view> words;
  while (!instruction.empty()) {
    const auto dot = instruction.find('.');
    words.push_back(instruction.substr(0, dot));
    instruction = dot == std::string_view::npos ? "" : instruction.substr(dot + 1);
  }
  return find_alu_operation(simd, words.at(0), std::span(words).subspan(1));
}

Registers run(const AluOperation& operation, const Registers& before, std::uint32_t mask) {
  Block block;
  AluOperands at = {0, slot_bytes, 2 * slot_bytes, 3 * slot_bytes, 4 * slot_bytes, 5 * slot_bytes};
  if (operation.e_bits == 0) at.e = operation.variant;
  write(block, at.d, operation.d_bits, before.d);
  write(block, at.d2, operation.d2_bits, before.d2);
  write(block, at.a, operation.a_bits, before.a);
  write(block, at.b, operation.b_bits, before.b);
  write(block, at.c, operation.c_bits, before.c);
  write(block, at.e, operation.e_bits, before.e);
  run_alu(operation.function, at, block.bytes.data(), mask);
  Registers after = before;
  read(block, at.d, operation.d_bits, after.d);
  read(block, at.d2, operation.d2_bits, after.d2);
  return after;
}

std::uint64_t result_of(std::string_view instruction, std::uint64_t a, std::uint64_t b,
                        std::uint64_t c, std::uint64_t e) {
  return results_of(instruction, a, b, c, e).d;
}

TwoResults results_of(std::string_view instruction, std::uint64_t a, std::uint64_t b,
                      std::uint64_t c, std::uint64_t e) {
  const AluOperation operation = find(best_simd(), instruction);
  if (operation.function == nullptr)
    throw std::runtime_error("no operation " + std::string(instruction));
  const Registers before = same_in_all_lanes(a, b, c, e);
  const Registers after = run(operation, before);
  return {after.d[5], after.d2[5]};
}

std::vector<Simd> levels() {
  std::vector<Simd> found = {Simd::baseline};
  if (best_simd() != Simd::baseline) found.push_back(Simd::avx2);
  if (best_simd() == Simd::avx512) found.push_back(Simd::avx512);
  return found;
}

std::uint64_t interesting(std::mt19937_64& random) {
  static constexpr std::uint64_t special[] = {
      0,
      1,
      2,
      0x7f,
      0x80,
      0xff,
      0x7fff,
      0x8000,
      0xffff,
      0x10000,
      0x7fffffff,
      0x80000000,
      0xffffffff,
      0x100000000,
      0x7fffffffffffffff,
      0x8000000000000000,
      0xffffffffffffffff,
      0x3c00,  // f16: 1, infinity, NaN, subnormal, largest
      0x7c00,
      0xfe01,
      0x83ff,
      0x7bff,
      0x3f80,  // bf16: 1, infinity
      0xff80,
      0x3f800000,  // f32: 1, infinities, NaN, subnormal, smallest, largest, 2^31, half
      0x7f800000,
      0xff800000,
      0x7fc00001,
      0xff800001,
      0x807fffff,
      0x00800000,
      0x7f7fffff,
      0x4f000000,
      0xbf000000,
      0x3ff0000000000000,  // f64: 1, infinity, NaN, subnormal, 2^63, -0.5
      0xfff0000000000000,
      0x7ff8000000000001,
      0x800fffffffffffff,
      0x43e0000000000000,
      0xbfe0000000000000,
  };
  const std::uint64_t value = random();
  const std::uint64_t kind = random() % 8;
  if (kind < 3) return special[value % std::size(special)];
  if (kind == 3) return value >> (random() % 64);
  if (kind == 4) return 0 - (value >> (random() % 64));
  return value;
}

Registers interesting_registers(std::mt19937_64& random) {
  Registers registers;
  for (Lanes* lanes :
       {&registers.d, &registers.d2, &registers.a, &registers.b, &registers.c, &registers.e}) {
    const bool small = random() % 8 == 0;
    for (std::uint64_t& value : *lanes) value = small ? random() % 70 : interesting(random);
  }
  return registers;
}

}  // namespace sweep::testing
