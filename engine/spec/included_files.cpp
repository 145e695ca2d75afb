#include "engine/spec/included_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "engine/spec/cuda_scanner.h"
#include "engine/spec/spec_limits.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/read_source.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t deepest = 200;  // as compilers have it

/// What including a file makes the compiler read at least: of the #include lines under conditions
/// nothing is known.
struct ReadingCost {
  std::size_t files = 0;
  std::size_t bytes = 0;

  ReadingCost& operator+=(const ReadingCost& other) {
    files += other.files;
    bytes += other.bytes;
    return *this;
  }
  bool is_too_much() const {
    return files > spec_limits::inclusions || bytes > spec_limits::included_bytes;
  }
};

class IncludeReader {
 public:
  IncludeReader(const fs::path& pattern, const std::vector<fs::path>& folders,
                Diagnostics& diagnostics)
      : diagnostics_(diagnostics), folders_(folders) {
    folders_.insert(folders_.begin(), pattern.parent_path());
  }

  IncludedFiles read(const SourcePtr& source, std::size_t begin, const fs::path& folder) {
    Reading body = read_names(source, begin, folder, 0);
    result_.in_body = std::move(body.names);
    check_cost(body);
    return std::move(result_);
  }

 private:
  /// A file that is certainly read, and the place that makes it so.
  struct SureInclude {
    std::size_t file = 0;  ///< its index
    Location where;
  };

  struct Reading {
    std::vector<IncludeName> names;
    std::vector<SureInclude> includes;
    bool is_once = false;
    std::optional<ReadingCost> cost;  ///< once it is known
    bool is_open = false;             ///< its cost is being worked out
  };

  Reading read_names(const SourcePtr& source, std::size_t begin, const fs::path& folder,
                     std::size_t depth) {
    const std::string_view text = std::string_view(source->text).substr(begin);
    Reading reading;
    std::set<std::size_t> sure;  // the places of the #include lines under no condition
    int conditions = 0;
    for (const Directive& directive : find_directives(text)) {
      conditions += directive.name.starts_with("if") ? 1 : directive.name == "endif" ? -1 : 0;
      if (conditions > 0) continue;
      if (directive.name == "include") sure.insert(directive.offset);
      reading.is_once |= directive.name == "pragma" && directive.text.find("once") != text.npos;
    }
    for (const IncludeSite& site : find_include_sites(text)) {
      const std::size_t place = site.length > 0 ? site.begin : site.offset;
      const Location where =
          location_at(source, begin + place, std::max<std::size_t>(site.length, 1));
      const std::optional<fs::path> file = find(site, folder, where);
      const auto target = file ? add(*file, site.name, where, depth) : std::nullopt;
      if (!target) continue;
      reading.names.push_back({site.begin, site.length, site.name,
                               site.kind == IncludeSite::Kind::angled,
                               result_.files[*target].name});
      if (sure.contains(site.offset)) reading.includes.push_back({*target, where});
    }
    return reading;
  }

  /// Refuses files that include each other without an end, or so often that reading them would
  /// take the compiler minutes and gigabytes.
  void check_cost(const Reading& body) {
    for (const SureInclude& include : body.includes) {
      const std::optional<ReadingCost> cost = cost_of(include);
      if (!cost) return;
      certain_ += *cost;
      if (!certain_.is_too_much()) continue;
      diagnostics_.error(
          include.where,
          fmt::format("this makes the compiler read more than {} files or {}, since files include "
                      "others more than once",
                      format_thousands(spec_limits::inclusions),
                      format_bytes(spec_limits::included_bytes)),
          "let each begin with #pragma once");
      return;
    }
  }

  /// What each #include of the file costs; what its first one alone does is added to what is
  /// certain. Nothing after it said that a file includes itself.
  std::optional<ReadingCost> cost_of(const SureInclude& include) {
    Reading& reading = readings_[include.file];
    if (reading.cost) return reading.cost;
    if (reading.is_open && reading.is_once) return ReadingCost();
    path_.push_back(include);
    if (reading.is_open) {
      refuse_circle();
      return std::nullopt;
    }
    reading.is_open = true;
    ReadingCost sum = {1, result_.files[include.file].text.size()};
    for (const SureInclude& inner : reading.includes) {
      // Deeper no compiler goes.
      if (sum.is_too_much() || path_.size() > deepest) break;
      const std::optional<ReadingCost> cost = cost_of(inner);
      if (!cost) return std::nullopt;
      sum += *cost;
    }
    path_.pop_back();
    reading.is_open = false;
    if (reading.is_once) certain_ += std::exchange(sum, {});
    reading.cost = sum;
    return sum;
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
    for (const fs::path& other : folders_) candidates.push_back(other / site.name);
    bool is_outside = leads_out(site.name);
    for (const fs::path& candidate : candidates) {
      std::error_code error;
      const auto status = fs::symlink_status(candidate, error);
      if (error || !fs::exists(status) || fs::is_directory(status)) continue;
      is_outside = std::ranges::none_of(folders_, [&](const fs::path& allowed) {
        return lies_in(candidate, allowed.empty() ? "." : allowed);
      });
      if (!is_outside) return candidate;
      break;
    }
    if (is_outside) {
      diagnostics_.error(where, fmt::format("{} is outside of the pattern's folder", site.name),
                         "--include DIR lets patterns include the files of a folder");
    }
    return std::nullopt;
  }

  /// The file's index; nothing when it cannot be read.
  std::optional<std::size_t> add(const fs::path& file, const std::string& written,
                                 const Location& where, std::size_t depth) {
    std::error_code error;
    const std::string identity = fs::canonical(file, error).string();
    if (const auto known = known_.find(identity); known != known_.end()) return known->second;
    if (depth == deepest) {
      diagnostics_.error(where, fmt::format("files include files {} deep", deepest));
      return std::nullopt;
    }
    SourcePtr source;
    try {
      require_regular_file(file);
      source = read_source(file.lexically_normal());
    } catch (const FileError& failure) {
      diagnostics_.error(where, failure.what());
      return std::nullopt;
    }
    if (!is_text(source)) return std::nullopt;
    bytes_ += source->text.size();
    if (bytes_ > spec_limits::included_bytes) {
      diagnostics_.error(where, fmt::format("the included files are larger than {} together",
                                            format_bytes(spec_limits::included_bytes)));
      return std::nullopt;
    }
    const std::size_t index = result_.files.size();
    result_.files.push_back({name_for(source->name), written, source->text, {}});
    known_[identity] = index;
    readings_.emplace_back();
    Reading reading = read_names(source, 0, file.parent_path(), depth + 1);
    result_.files[index].names = std::move(reading.names);
    readings_[index] = std::move(reading);
    return index;
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
    std::string name = compiler_file_name(path);
    if (name.find('/') == std::string::npos) name = "./" + name;
    const auto& files = result_.files;
    while (std::ranges::find(files, name, &IncludedFile::name) != files.end()) name += '_';
    return name;
  }

  Diagnostics& diagnostics_;
  std::vector<fs::path> folders_;  ///< the pattern's and those given
  IncludedFiles result_;
  std::vector<Reading> readings_;             ///< of the files
  std::map<std::string, std::size_t> known_;  ///< the files' indices, by the path without links
  std::vector<SureInclude> path_;             ///< to the file whose cost is worked out
  ReadingCost certain_;                       ///< of the whole pattern, so far
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
