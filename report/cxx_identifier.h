#pragma once

#include <set>
#include <string>
#include <string_view>

namespace sweep {

/// The text as a C++ identifier that is no keyword, no CUDA type and not reserved: every other
/// character, and every run of '_', becomes one '_'; "NVIDIA H200" -> "NVIDIA_H200".
std::string cxx_identifier(std::string_view text);

/// Names that must differ within one scope.
class ScopeNames {
 public:
  /// The name itself where it is not taken, else with "_2", "_3" and so on after it; taken then.
  std::string take(const std::string& name);

 private:
  std::set<std::string> taken_;
};

}  // namespace sweep
