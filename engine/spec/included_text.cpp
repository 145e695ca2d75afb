#include "engine/spec/included_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/spec/code_shape.h"
#include "engine/spec/cuda_scanner.h"
#include "engine/spec/spec_limits.h"
#include "engine/text/read_bounded.h"
#include "engine/text/text_check.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

/// The name in quotes that an #include names; empty for others.
std::string_view quoted_name(const Directive& directive) {
  if (directive.name != "include") return {};
  std::string_view text = directive.text;
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  if (!text.starts_with('"')) return {};
  text.remove_prefix(1);
  const std::size_t end = text.find('"');
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

class Collector {
 public:
  void collect(const fs::path& path, const std::string& text) {
    for (const Directive& directive : find_directives(text)) {
      const std::string name(quoted_name(directive));
      if (name.empty() || name.size() > spec_limits::include_name_bytes) continue;
      const fs::path file = (path.parent_path() / name).lexically_normal();
      // What is not there is the compiler's own, or an error that it tells.
      if (std::ranges::find(seen_, file) != seen_.end() || !is_there(file)) continue;
      seen_.push_back(file);
      // The compiler opens it again, which a pipe does not bear.
      require_regular_file(file);
      const SourcePtr source = read_source(file);
      require_text(source);
      result_ += "\n// " + name + "\n" + source->text;
      if (result_.size() > spec_limits::included_bytes) refuse_size(path);
      collect(file, source->text);
    }
  }

  std::string take() { return std::move(result_); }

 private:
  static void require_text(const SourcePtr& source) {
    Diagnostics diagnostics;
    if (source->text.starts_with("\xEF\xBB\xBF")) {
      const Location where = {source, 1, 1, 1};
      throw InputError(where, "a byte order mark stands here, which the compiler does not take",
                       "save the file as UTF-8 text without one");
    }
    const bool is_good = check_text(source, 0, source->text.size(), TextKind::code, diagnostics) &&
                         check_code_shape(source, 0, diagnostics);
    if (!is_good) throw InputError(diagnostics);
  }

  [[noreturn]] static void refuse_size(const fs::path& path) {
    throw FileError(fmt::format("{}: the files that it includes have more than {}", path.string(),
                                format_bytes(spec_limits::included_bytes)),
                    false);
  }

  std::vector<fs::path> seen_;
  std::string result_;
};

}  // namespace

std::string included_text(const fs::path& path, const std::string& text) {
  Collector collector;
  collector.collect(path, text);
  return collector.take();
}

}  // namespace sweep
