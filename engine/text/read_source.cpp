#include "engine/text/read_source.h"

#include "engine/text/read_bounded.h"
#include "engine/text/text_limits.h"

namespace sweep {

SourcePtr read_source(const std::filesystem::path& path) {
  return std::make_shared<Source>(
      Source{path.string(), read_bounded(path, text_limits::file_bytes, "a pattern or sweep")});
}

}  // namespace sweep
