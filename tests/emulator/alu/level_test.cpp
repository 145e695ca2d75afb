#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/emulator/alu/warp.h"

/// Every operation that exists, found by trying modifiers: the levels agree bit for bit, and lanes
/// outside the mask keep their registers.
namespace sweep::testing::level_test {
namespace {

const std::vector<std::string> types = {"b16",   "b32",  "b64",    "u16", "u32", "u64",
                                        "s16",   "s32",  "s64",    "f16", "f32", "f64",
                                        "f16x2", "bf16", "bf16x2", "pred"};

/// Words in front of one type, for all mnemonics alike.
const std::vector<std::string> prefixes = {"",
                                           "lo.",
                                           "hi.",
                                           "wide.",
                                           "cc.",
                                           "lo.cc.",
                                           "hi.cc.",
                                           "sat.",
                                           "hi.sat.",
                                           "relu.",
                                           "ftz.",
                                           "ftz.sat.",
                                           "rn.",
                                           "rz.",
                                           "rm.",
                                           "rp.",
                                           "rn.ftz.",
                                           "rz.ftz.",
                                           "rm.ftz.sat.",
                                           "rn.sat.",
                                           "rn.relu.",
                                           "rn.ftz.relu.",
                                           "approx.",
                                           "approx.ftz.",
                                           "full.",
                                           "full.ftz.",
                                           "NaN.",
                                           "xorsign.abs.",
                                           "ftz.NaN.xorsign.abs.",
                                           "shiftamt.",
                                           "clamp.",
                                           "wrap.",
                                           "l.clamp.",
                                           "l.wrap.",
                                           "r.clamp.",
                                           "r.wrap.",
                                           "finite.",
                                           "infinite.",
                                           "number.",
                                           "notanumber.",
                                           "normal.",
                                           "subnormal."};

const std::vector<std::string> mnemonics = {
    "abs",   "add",      "addc", "and", "bfe",  "bfi",   "bfind", "bmsk",  "brev",   "clz",
    "cnot",  "copysign", "cos",  "div", "ex2",  "fma",   "fns",   "lg2",   "lop3",   "mad",
    "mad24", "madc",     "max",  "min", "mov",  "mul",   "mul24", "neg",   "not",    "or",
    "pack",  "popc",     "prmt", "rcp", "rem",  "rsqrt", "sad",   "selp",  "shf",    "shl",
    "shr",   "sin",      "sqrt", "sub", "subc", "szext", "tanh",  "testp", "unpack", "xor"};

struct Found {
  std::string instruction;
  AluOperation baseline;
};

void keep_if_found(std::vector<Found>& found, const std::string& instruction) {
  const AluOperation operation = find(Simd::baseline, instruction);
  if (operation.function != nullptr) found.push_back({instruction, operation});
}

void add_conversions(std::vector<Found>& found) {
  const std::vector<std::string> narrow = {"u8", "s8", "tf32"};
  std::vector<std::string> all = types;
  all.insert(all.end(), narrow.begin(), narrow.end());
  const std::vector<std::string> words = {
      "",     "rn.",  "rz.",  "rm.",     "rp.",     "rna.",     "rni.",     "rzi.",         "rmi.",
      "rpi.", "sat.", "ftz.", "rn.sat.", "rn.ftz.", "rn.relu.", "rzi.ftz.", "rn.satfinite."};
  for (const std::string& word : words)
    for (const std::string& to : all)
      for (const std::string& from : all)
        for (const std::string width : {"", ".d16", ".d32", ".d64"})
          keep_if_found(found, "cvt." + word + to + "." + from + width);
}

void add_comparisons(std::vector<Found>& found) {
  for (const std::string compare : {"eq", "ne", "lt", "ge", "hi", "equ", "ltu", "num", "nan"})
    for (const std::string ftz : {"", ".ftz"})
      for (const std::string& type : types)
        keep_if_found(found, "setp." + compare + ftz + "." + type);
}

const std::vector<Found>& operations() {
  static const std::vector<Found> all = [] {
    std::vector<Found> found;
    for (const std::string& mnemonic : mnemonics)
      for (const std::string& prefix : prefixes)
        for (const std::string& type : types) keep_if_found(found, mnemonic + "." + prefix + type);
    for (const std::string& type : types)
      for (const std::string second : {"s32", "f32", "u32"})
        for (const std::string word : {"slct.", "slct.ftz.", "dp4a.", "dp2a.lo.", "dp2a.hi."})
          keep_if_found(found, word + type + "." + second);
    for (const std::string mode : {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"})
      keep_if_found(found, "prmt.b32." + mode);
    add_conversions(found);
    add_comparisons(found);
    return found;
  }();
  return all;
}

BOOST_AUTO_TEST_CASE(there_are_operations_to_try) {
  BOOST_TEST(operations().size() > 2000U);
}

BOOST_AUTO_TEST_CASE(levels_agree_and_masks_hold) {
  std::mt19937_64 random(3);
  for (const Found& operation : operations()) {
    const Registers before = interesting_registers(random);
    const auto mask = static_cast<std::uint32_t>(random());
    const Registers full = run(operation.baseline, before);
    Registers masked = before;
    // Read back from the block, where a destination has only the bits of its width.
    const Registers untouched = run(operation.baseline, before, 0);
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      const bool active = (mask >> lane & 1) != 0;
      masked.d[lane] = active ? full.d[lane] : untouched.d[lane];
      masked.d2[lane] = active ? full.d2[lane] : untouched.d2[lane];
    }
    for (const Simd level : levels()) {
      const AluOperation other = find(level, operation.instruction);
      BOOST_TEST_REQUIRE((other.function != nullptr), operation.instruction);
      BOOST_TEST_REQUIRE((other.d_bits == operation.baseline.d_bits), operation.instruction);
      BOOST_TEST_REQUIRE((run(other, before) == full),
                         operation.instruction << " on " << to_string(level));
      BOOST_TEST_REQUIRE((run(other, before, mask) == masked),
                         operation.instruction << " on " << to_string(level) << ", masked");
    }
  }
}

/// A result of 16 bits or fewer leaves nothing above them in its slot.
BOOST_AUTO_TEST_CASE(short_results_are_zero_extended) {
  std::mt19937_64 random(4);
  for (const Found& operation : operations()) {
    if (operation.baseline.d_bits > 16) continue;
    const Registers after = run(operation.baseline, interesting_registers(random));
    for (const std::uint64_t value : after.d)
      BOOST_TEST_REQUIRE((value >> operation.baseline.d_bits) == 0U, operation.instruction);
  }
}

}  // namespace
}  // namespace sweep::testing::level_test
