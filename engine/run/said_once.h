#pragma once

#include <set>
#include <string>
#include <vector>

namespace sweep {

/// Remembers sentences, so that a person reads each once.
class SaidOnce {
 public:
  /// Takes away what was said before.
  void keep_new(std::vector<std::string>& sentences) {
    std::erase_if(sentences,
                  [&](const std::string& sentence) { return !said_.insert(sentence).second; });
  }

 private:
  std::set<std::string> said_;
};

}  // namespace sweep
