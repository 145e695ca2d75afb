#include "engine/spec/included_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "engine/spec/cuda_scanner.h"
#include "engine/spec/keys.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/read_source.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t deepest = 200;  // as compilers have it

class IncludeReader {
 public:
  IncludeReader(const fs::path& pattern, const std::vector<fs::path>& folders,
                Diagnostics& diagnostics)
      : diagnostics_(diagnostics), folders_(folders) {
    folders_.insert(folders_.begin(), pattern.parent_path());
  }

  IncludedFiles read(const SourcePtr& source, std::size_t begin, const fs::path& folder) {
    Includes body;
    result_.in_body = read_names(source, begin, folder, 0, body);
    for (const SureInclude& include : body.sure) {
      if (!walk(include)) break;
    }
    return std::move(result_);
  }

 private:
  /// A file that is certainly read, and the place that makes it so.
  struct SureInclude {
    std::size_t file = 0;  ///< its index
    Location where;
  };

  /// What a file makes the compiler read at least: of the #include lines under conditions nothing
  /// is known.
  struct Includes {
    std::vector<SureInclude> sure;
    bool is_once = false;
    bool was_read = false;
    bool is_open = false;
  };

  std::vector<IncludeName> read_names(const SourcePtr& source, std::size_t begin,
                                      const fs::path& folder, std::size_t depth,
                                      Includes& includes) {
    const std::string_view text = std::string_view(source->text).substr(begin);
    std::set<std::size_t> lines;  // the places of the #include lines
    std::set<std::size_t> sure;   // of those under no condition
    int conditions = 0;
    for (const Directive& directive : find_directives(text)) {
      conditions += directive.name.starts_with("if") ? 1 : directive.name == "endif" ? -1 : 0;
      if (directive.name == "include") lines.insert(directive.offset);
      if (conditions > 0) continue;
      if (directive.name == "include") sure.insert(directive.offset);
      includes.is_once |= directive.name == "pragma" && directive.text.find("once") != text.npos;
    }
    std::vector<IncludeName> names;
    for (const IncludeSite& site : find_include_sites(text)) {
      const std::size_t place = site.length > 0 ? site.begin : site.offset;
      const Location where =
          location_at(source, begin + place, std::max<std::size_t>(site.length, 1));
      const std::optional<fs::path> file = find(site, folder, where, depth);
      if (!file && lines.contains(site.offset)) note_foreign(site, where, depth);
      const auto target = file ? add(*file, site.name, where, depth) : std::nullopt;
      if (!target) continue;
      names.push_back({site.begin, site.length, site.name, site.kind == IncludeSite::Kind::angled,
                       result_.files[*target].name});
      if (sure.contains(site.offset)) includes.sure.push_back({*target, where});
    }
    return names;
  }

  void note_foreign(const IncludeSite& site, const Location& where, std::size_t depth) {
    const ForeignInclude foreign{site.name, where, depth == 0};
    const auto known = std::ranges::find(result_.foreign, foreign);
    if (site.name.empty()) return;
    if (known == result_.foreign.end()) {
      result_.foreign.push_back(foreign);
    } else {
      known->is_in_body |= foreign.is_in_body;
    }
  }

  /// Reads as the compiler does; false, with a message, when files include each other without an
  /// end, or so often that reading them would take it minutes and gigabytes.
  bool walk(const SureInclude& include) {
    Includes& file = includes_[include.file];
    if (file.is_once && file.was_read) return true;
    path_.push_back(include);
    if (file.is_open) {
      refuse_circle();
      return false;
    }
    read_bytes_ += result_.files[include.file].text.size();
    if (++read_files_ > spec_limits::inclusions || read_bytes_ > spec_limits::included_bytes) {
      diagnostics_.error(
          path_.front().where,
          fmt::format("this makes the compiler read more than {} files or {}, since files include "
                      "others more than once",
                      format_thousands(spec_limits::inclusions),
                      format_bytes(spec_limits::included_bytes)),
          "let each begin with #pragma once");
      return false;
    }
    file.was_read = file.is_open = true;
    for (const SureInclude& inner : file.sure) {
      if (path_.size() > deepest) break;  // deeper no compiler goes
      if (!walk(inner)) return false;
    }
    path_.pop_back();
    file.is_open = false;
    return true;
  }

  /// The file at the end of the path is in it twice.
  void refuse_circle() {
    std::string chain;
    for (std::size_t i = 1; i < path_.size(); ++i) {
      chain += fmt::format("{}:{} includes {}, ", result_.files[path_[i - 1].file].name,
                           path_[i].where.line, result_.files[path_[i].file].name);
    }
    diagnostics_.error(path_.front().where,
                       result_.files[path_.back().file].name + " includes itself",
                       chain + "without an end: let it begin with #pragma once");
  }

  /// The file that the site names, if there is one that may be read.
  std::optional<fs::path> find(const IncludeSite& site, const fs::path& folder,
                               const Location& where, std::size_t depth) {
    if (site.kind == IncludeSite::Kind::unnamed) {
      return diagnostics_.error(where, "the name of an included file must be written here",
                                "write it in quotes or angle brackets, not as a macro");
    }
    if (site.kind == IncludeSite::Kind::other) {
      return diagnostics_.error(where, "a pattern can read other files by #include alone");
    }
    std::vector<fs::path> candidates;
    if (site.kind == IncludeSite::Kind::quoted) candidates.push_back(folder / site.name);
    for (const fs::path& other : folders_) candidates.push_back(other / site.name);
    // Of what others include, only a file that is there can be one that must not be read.
    const std::string_view name = depth == 0 ? std::string_view(site.name) : std::string_view();
    const FoundFile found = find_within(name, candidates, folders_);
    if (!found.path.empty()) return found.path;
    if (!found.is_outside) return std::nullopt;
    return diagnostics_.error(where,
                              fmt::format("{} is outside of the pattern's folder", site.name),
                              "--include DIR lets patterns include the files of a folder");
  }

  /// The file with blanks for a byte order mark, and question marks for what is not UTF-8: others
  /// write their names in comments.
  static SourcePtr read_foreign(const fs::path& file) {
    const SourcePtr source = read_source(file);
    std::string text = source->text;
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    if (text.starts_with(mark)) text.replace(0, mark.size(), mark.size(), ' ');
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t length = character_length(std::string_view(text).substr(at));
      if (length == 0) text[at] = '?';
      at += std::max<std::size_t>(length, 1);
    }
    return std::make_shared<Source>(Source{source->name, std::move(text)});
  }

  /// The file's index; nothing when it cannot be read.
  std::optional<std::size_t> add(const fs::path& file, const std::string& written,
                                 const Location& where, std::size_t depth) {
    std::error_code error;
    const std::string identity = fs::canonical(file, error).string();
    if (const auto known = known_.find(identity); known != known_.end()) return known->second;
    if (depth == deepest) {
      return diagnostics_.error(where, fmt::format("files include files {} deep", deepest));
    }
    SourcePtr source;
    try {
      require_regular_file(file);
      source = read_foreign(file.lexically_normal());
    } catch (const FileError& failure) {
      return diagnostics_.error(where, failure.what());
    }
    if (!check_text(source, 0, source->text.size(), TextKind::code, diagnostics_) ||
        !check_code_shape(source, 0, diagnostics_)) {
      return std::nullopt;
    }
    bytes_ += source->text.size();
    if (bytes_ > spec_limits::included_bytes) {
      return diagnostics_.error(where, fmt::format("the included files are larger than {} together",
                                                   format_bytes(spec_limits::included_bytes)));
    }
    const std::size_t index = result_.files.size();
    result_.files.push_back({name_for(source->name), written, source->text, {}});
    known_[identity] = index;
    includes_.emplace_back();
    Includes includes;
    std::vector<IncludeName> names = read_names(source, 0, file.parent_path(), depth + 1, includes);
    result_.files[index].names = std::move(names);
    includes_[index] = std::move(includes);
    return index;
  }

  /// The file's path, in words that an #include can say and that no header of the toolkit has.
  std::string name_for(const std::string& path) const {
    std::string name = compiler_file_name(path);
    if (name.find('/') == std::string::npos) name = "./" + name;
    const auto& files = result_.files;
    while (std::ranges::find(files, name, &IncludedFile::name) != files.end()) name += '_';
    return name;
  }

  Diagnostics& diagnostics_;
  std::vector<fs::path> folders_;  ///< the pattern's and those given
  IncludedFiles result_;
  std::vector<Includes> includes_;            ///< of the files
  std::map<std::string, std::size_t> known_;  ///< the files' indices, by the path without links
  std::vector<SureInclude> path_;             ///< to the file that the compiler reads
  std::size_t read_files_ = 0;                ///< by the compiler, each as often as it is read
  std::size_t read_bytes_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

std::string compiler_file_name(std::string name) {
  for (char& c : name) {
    if (c == '"' || c == '\\' || is_control({&c, 1})) c = '_';
  }
  return name;
}

bool is_same_file(const std::string& name, const std::string& other) {
  const auto plain = [](const std::string& text) { return fs::absolute(text).lexically_normal(); };
  return !other.empty() && plain(name) == plain(other);
}

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

FoundFile find_within(std::string_view name, const std::vector<fs::path>& candidates,
                      const std::vector<fs::path>& allowed) {
  for (const fs::path& candidate : candidates) {
    std::error_code error;
    const auto status = fs::symlink_status(candidate, error);
    if (error || !fs::exists(status) || fs::is_directory(status)) continue;
    const bool is_inside = std::ranges::any_of(allowed, [&](const fs::path& folder) {
      return lies_in(candidate, folder.empty() ? "." : folder);
    });
    return is_inside ? FoundFile{candidate, false} : FoundFile{{}, true};
  }
  return {{}, leads_out(name)};
}

IncludedFiles read_included_files(const SourcePtr& source, std::size_t body_begin,
                                  const fs::path& pattern, const std::vector<fs::path>& folders,
                                  Diagnostics& diagnostics) {
  return IncludeReader(pattern, folders, diagnostics)
      .read(source, body_begin, pattern.parent_path());
}

std::string joined_text(const IncludedFiles& included) {
  std::string text;
  for (const IncludedFile& file : included.files) {
    text += "\n// " + file.written + "\n" + file.text;
  }
  return text;
}

}  // namespace sweep
