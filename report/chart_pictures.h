#pragma once

#include <string>
#include <vector>

namespace sweep {

/// The pictures of a report's charts, as a Markdown document links them.
struct ChartPictures {
  /// For each of `charts_of` its file's name, relative to the document; empty where there is none.
  std::vector<std::string> files = {};
  std::string note = {};  ///< a sentence on why some are missing; may be empty
};

}  // namespace sweep
