#pragma once

#include <string>

#include "engine/emulator/lower/kernel.h"

namespace sweep::testing {

/// A module with the kernel `k` and some registers.
inline std::string module_with(const std::string& body, const std::string& scope = "") {
  return ".version 9.0\n.target sm_90\n.address_size 64\n" + scope +
         "\n.visible .entry k(.param .u64 k_out, .param .u32 k_n) {\n"
         ".reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .f32 %f<8>;"
         ".reg .b128 %q<4>;\n" +
         body + "\nret;\n}\n";
}

inline Kernel lowered(const std::string& body, const std::string& scope = "") {
  const ptx::Module module(module_with(body, scope));
  return lower(module, "k", Simd::baseline);
}

/// Why it is refused; empty when it is not.
inline std::string refusal(const std::string& body, const std::string& scope = "") {
  try {
    lowered(body, scope);
  } catch (const UnsupportedError& error) {
    return error.what();
  }
  return {};
}

}  // namespace sweep::testing
