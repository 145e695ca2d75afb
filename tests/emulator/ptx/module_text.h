#pragma once

#include <string>
#include <string_view>

namespace sweep::testing {

/// A module that declares `declarations`. They start in line 4.
inline std::string module_with(std::string_view declarations) {
  std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n";
  return text.append(declarations);
}

/// A module with an entry `k` of this body, which starts in line 8. It declares the registers
/// %r0 to %r9, %rd0 to %rd9, %f0 to %f9 and the predicates p and q.
inline std::string module_with_body(std::string_view body) {
  std::string text = module_with(
      ".global .align 4 .b32 numbers[4]; .func callee (.param .b32 x) { ret; }\n"
      ".visible .entry k (.param .u64 data, .param .u32 n) {\n"
      ".reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .f32 %f<10>;\n"
      ".reg .pred p, q;\n");
  return text.append(body).append("\n}\n");
}

}  // namespace sweep::testing
