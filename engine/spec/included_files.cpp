#include "engine/spec/included_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "engine/spec/code_shape.h"
#include "engine/spec/include_sites.h"
#include "engine/spec/spec_limits.h"
#include "engine/text/read_bounded.h"
#include "engine/text/read_source.h"
#include "engine/text/text_check.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t deepest = 200;  // as compilers have it

Location place_of(const SourcePtr& source, std::size_t offset, std::size_t length) {
  const std::string_view before = std::string_view(source->text).substr(0, offset);
  const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
  const std::size_t line_break = before.rfind('\n');
  const std::size_t begin = line_break == std::string_view::npos ? 0 : line_break + 1;
  return {source, line, offset - begin + 1, std::max<std::size_t>(length, 1)};
}

class IncludeReader {
 public:
  IncludeReader(const fs::path& pattern, const std::vector<fs::path>& folders,
                Diagnostics& diagnostics)
      : diagnostics_(diagnostics) {
    const fs::path own = pattern.parent_path();
    allowed_.push_back(own.empty() ? fs::path(".") : own);
    for (const fs::path& folder : folders) allowed_.push_back(folder);
    searched_ = {own};
    searched_.insert(searched_.end(), folders.begin(), folders.end());
  }

  void read(const SourcePtr& source, std::size_t begin, const fs::path& folder, std::size_t depth,
            std::vector<IncludeName>& names) {
    if (depth > deepest) {
      diagnostics_.error({source}, fmt::format("files include files {} deep", deepest));
      return;
    }
    for (const IncludeSite& site :
         find_include_sites(std::string_view(source->text).substr(begin))) {
      const std::size_t place = site.length > 0 ? site.begin : site.offset;
      const Location where = place_of(source, begin + place, site.length);
      const std::optional<fs::path> file = find(site, folder, where);
      if (!file) continue;
      const std::string target = add(*file, site.name, where, depth);
      if (target.empty()) continue;
      names.push_back(
          {site.begin, site.length, site.name, site.kind == IncludeSite::Kind::angled, target});
    }
  }

  IncludedFiles result;

 private:
  bool is_allowed(const fs::path& file) const {
    return std::ranges::any_of(allowed_,
                               [&](const fs::path& folder) { return lies_in(file, folder); });
  }

  /// The file that the site names, if there is one that may be read.
  std::optional<fs::path> find(const IncludeSite& site, const fs::path& folder,
                               const Location& where) {
    if (site.kind == IncludeSite::Kind::unnamed) {
      diagnostics_.error(where, "the name of an included file must be written here",
                         "write it in quotes or angle brackets, not as a macro");
      return std::nullopt;
    }
    if (site.kind == IncludeSite::Kind::other) {
      diagnostics_.error(where, "a pattern can read other files by #include alone");
      return std::nullopt;
    }
    std::vector<fs::path> candidates;
    if (site.kind == IncludeSite::Kind::quoted) candidates.push_back(folder / site.name);
    for (const fs::path& other : searched_) candidates.push_back(other / site.name);
    bool is_outside = leads_out(site.name);
    for (const fs::path& candidate : candidates) {
      std::error_code error;
      const auto status = fs::symlink_status(candidate, error);
      if (error || !fs::exists(status) || fs::is_directory(status)) continue;
      is_outside = !is_allowed(candidate);
      if (!is_outside) return candidate;
      break;
    }
    if (is_outside) {
      diagnostics_.error(where, fmt::format("{} is outside of the pattern's folder", site.name),
                         "--include DIR lets patterns include the files of a folder");
    }
    return std::nullopt;
  }

  /// The name under which the file is known from now on; empty when it cannot be read.
  std::string add(const fs::path& file, const std::string& written, const Location& where,
                  std::size_t depth) {
    std::error_code error;
    const std::string identity = fs::canonical(file, error).string();
    if (const auto known = names_.find(identity); known != names_.end()) return known->second;
    SourcePtr source;
    try {
      require_regular_file(file);
      source = read_source(file.lexically_normal());
    } catch (const FileError& failure) {
      diagnostics_.error(where, failure.what());
      return {};
    }
    if (!is_text(source)) return {};
    bytes_ += source->text.size();
    if (bytes_ > spec_limits::included_bytes) {
      diagnostics_.error(where, fmt::format("the included files are larger than {} together",
                                            format_bytes(spec_limits::included_bytes)));
      return {};
    }
    const std::string name = name_for(source->name);
    names_[identity] = name;
    const std::size_t index = result.files.size();
    result.files.push_back({name, written, source->text, {}});
    std::vector<IncludeName> inner;
    read(source, 0, file.parent_path(), depth + 1, inner);
    result.files[index].names = std::move(inner);
    return name;
  }

  /// Whether the compiler can be given the file; if not, says why.
  bool is_text(const SourcePtr& source) {
    if (source->text.starts_with("\xEF\xBB\xBF")) {
      diagnostics_.error({source, 1, 1, 1},
                         "a byte order mark stands here, which the compiler does not take",
                         "save the file as UTF-8 text without one");
      return false;
    }
    return check_text(source, 0, source->text.size(), TextKind::code, diagnostics_) &&
           check_code_shape(source, 0, diagnostics_);
  }

  /// The file's path, in words that an #include can say and that no header of the toolkit has.
  std::string name_for(const std::string& path) const {
    std::string name = path;
    std::ranges::replace_if(
        name, [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' '; },
        '_');
    if (name.find('/') == std::string::npos) name = "./" + name;
    const auto is_taken = [&](const std::string& other) {
      return std::ranges::any_of(names_, [&](const auto& known) { return known.second == other; });
    };
    while (is_taken(name)) name += '_';
    return name;
  }

  Diagnostics& diagnostics_;
  std::vector<fs::path> allowed_;
  std::vector<fs::path> searched_;
  std::map<std::string, std::string> names_;  ///< by the path without links
  std::size_t bytes_ = 0;
};

}  // namespace

bool leads_out(std::string_view name) {
  const fs::path path(name);
  return path.is_absolute() ||
         std::ranges::any_of(path, [](const fs::path& part) { return part == ".."; });
}

bool lies_in(const fs::path& file, const fs::path& folder) {
  std::error_code error;
  const fs::path inner = fs::canonical(file, error);
  if (error) return false;
  const fs::path outer = fs::canonical(folder, error);
  if (error) return false;
  const auto [rest, end] = std::ranges::mismatch(outer, inner);
  return rest == outer.end();
}

IncludedFiles read_included_files(const SourcePtr& source, std::size_t body_begin,
                                  const fs::path& pattern, const std::vector<fs::path>& folders,
                                  Diagnostics& diagnostics) {
  IncludeReader reader(pattern, folders, diagnostics);
  reader.read(source, body_begin, pattern.parent_path(), 0, reader.result.in_body);
  return std::move(reader.result);
}

std::string joined_text(const IncludedFiles& included) {
  std::string text;
  for (const IncludedFile& file : included.files) {
    text += "\n// " + file.written + "\n" + file.text;
  }
  return text;
}

}  // namespace sweep
