#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/spec/pattern.h"
#include "engine/text/diagnostic.h"

namespace sweep {

/// What was found in configurations: each message once (two at one place that differ in their
/// figures alone are one), with how many configurations have it.
class Findings {
 public:
  /// A message without a source is about the configuration's pattern. The configuration must live
  /// as long as this.
  void add(Diagnostic message, const Configuration& configuration);

  /// The messages in the order in which they came up; the errors say in which of the `examined`
  /// configurations. `remark` ends those words.
  Diagnostics conclude(std::size_t examined, std::string_view remark = {}) const;

 private:
  struct Finding {
    Diagnostic message;
    const Configuration* first = nullptr;
    const Configuration* last = nullptr;
    std::size_t configurations = 0;
  };

  std::vector<Finding> findings_;
  std::unordered_map<std::string, std::size_t> known_;  ///< by the message without its figures
};

}  // namespace sweep
