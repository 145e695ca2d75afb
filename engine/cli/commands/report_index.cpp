#include "engine/cli/commands/report_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "engine/cli/commands/run_ending.h"
#include "engine/cli/options/output.h"
#include "engine/cli/options/sources.h"
#include "engine/spec/value_words.h"
#include "engine/store/store.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/index/run_index.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

/// A run that was found.
struct FoundRun {
  fs::path database;
  fs::path name;  ///< the database's, as seen from the folder in which all lies
  RunRecord record;

  std::string label() const { return fmt::format("{}:{}", name.string(), record.id); }
  /// "FOLDER/nightly/stride-3.html"
  std::string page(const char* folder, const char* mark = "") const {
    fs::path stem = name;
    stem.replace_extension();
    return fmt::format("{}/{}-{}{}.html", folder, stem.generic_string(), record.id, mark);
  }
};

/// The reason without the file's name, which stands before it already.
std::string reason_of(const fs::path& file, const std::exception& error) {
  const std::string text = error.what();
  const std::string begin = fmt::format("the file '{}' ", file.string());
  return text.starts_with(begin) ? text.substr(begin.size()) : text;
}

class IndexMaker {
 public:
  explicit IndexMaker(const IndexRequest& request) : request_(request) {}

  bool write() {
    find_databases();
    find_runs();
    if (runs_.empty()) fail_without_runs();
    if (output_.empty()) output_ = root_;
    make_output_folder(output_);
    read_runs();
    if (index_.series.empty()) fail_without_runs();
    std::vector<fs::path> files;
    const auto write_file = [&](const char* name, const std::string& text) {
      files.push_back(output_ / name);
      write_output_file(files.back(), text);
    };
    if (request_.writes_markdown) write_file("index.md", write_index_markdown(index_));
    if (request_.writes_page) write_file("index.html", write_index_html(index_));
    tell_skipped();
    const bool is_worse = !index_.worse().empty();
    if (!request_.is_quiet) std::cerr << describe_files(files);
    if (!request_.is_quiet || is_worse) std::cerr << printable(describe_verdict(index_)) << '\n';
    return is_worse;
  }

 private:
  void skip(const fs::path& file, std::string why) {
    index_.unread.push_back({file.string(), std::move(why)});
  }

  void tell_skipped() const {
    constexpr std::size_t most = 10;
    const std::size_t all = index_.unread.size();
    for (const auto& [file, why] : std::span(index_.unread).first(std::min(all, most))) {
      std::cerr << printable(fmt::format("skipped: {}: {}", file, why)) << '\n';
    }
    if (all > most) std::cerr << fmt::format("and {} more\n", format_thousands(all - most));
  }

  [[noreturn]] void fail_without_runs() const {
    tell_skipped();
    if (index_.unread.empty()) {
      throw CommandError(exit_no_input,
                         "{}: there is no results database (.db) in this folder or below it; "
                         "'sweep run SWEEP -o {}' writes one",
                         request_.operands.front(), shell_quoted({request_.operands.front()}));
    }
    throw CommandError(exit_bad_input, "there is no run to report on");
  }

  /// The databases in a folder and below it; links to folders are not followed.
  void find_in(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> found;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      found.push_back(entry->path());
    }
    if (error) skip(folder, error.message());
    std::ranges::sort(found);
    for (const fs::path& path : found) {
      std::error_code ignored;
      if (fs::is_directory(fs::symlink_status(path, ignored))) {
        find_in(path);
      } else if (path.extension() == ".db" && !fs::is_directory(path, ignored)) {
        databases_.push_back({path, {}});
      }
    }
  }

  void find_databases() {
    output_ = request_.output;
    std::optional<fs::path> root;
    for (const std::string& operand : request_.operands) {
      fs::path folder = operand;
      if (is_results_folder(operand)) {
        find_in(folder);
      } else {
        check_operand("report", Operand::database, operand);
        databases_.push_back(read_run_operand(operand));
        folder = databases_.back().database.parent_path();
      }
      folder = (folder.empty() ? fs::path(".") : folder).lexically_normal();
      if (!folder.has_filename()) folder = folder.parent_path();
      if (root && *root != folder && output_.empty()) {
        throw UsageError("the databases lie in several folders; name one for the index with -o");
      }
      root = root ? common_folder(*root, folder) : folder;
    }
    root_ = root.value_or(".");
    index_.folder = (root_ == "." ? fs::current_path() : root_).string();
  }

  static fs::path common_folder(const fs::path& a, const fs::path& b) {
    if (a == b) return a;
    const fs::path one = fs::absolute(a).lexically_normal();
    const fs::path other = fs::absolute(b).lexically_normal();
    fs::path common;
    const auto [end, ignored] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
    for (auto part = one.begin(); part != end; ++part) common /= *part;
    return common;
  }

  fs::path name_of(const fs::path& database) const {
    const fs::path name = fs::absolute(database).lexically_normal().lexically_relative(
        fs::absolute(root_).lexically_normal());
    return name.empty() || *name.begin() == ".." ? database.filename() : name;
  }

  void find_runs() {
    // A copy of a run is no other one; which went further is told by its state.
    std::map<std::string, std::size_t> known;
    for (const auto& [database, number] : databases_) {
      try {
        const Store store(database, Store::Mode::read_only);
        std::vector<RunRecord> records = store.runs();
        std::set<std::int64_t> parts;
        for (const RunRecord& record : records) {
          for (const MergedPart& part : record.parts) parts.insert(part.run);
        }
        if (records.empty()) skip(name_of(database), "holds no runs");
        bool is_there = !number;
        for (RunRecord& record : records) {
          if (number ? record.id != *number : parts.contains(record.id)) continue;
          is_there = true;
          FoundRun found = {database, name_of(database), std::move(record)};
          const std::string uid = found.record.uid;
          const auto [copy, is_new] = known.try_emplace(uid, runs_.size());
          if (is_new || uid.empty()) {
            runs_.push_back(std::move(found));
          } else if (runs_[copy->second].record.state != RunState::finished) {
            runs_[copy->second] = std::move(found);
          }
        }
        if (!is_there) skip(name_of(database), fmt::format("has no run {}", *number));
      } catch (const StoreError& error) {
        skip(name_of(database), reason_of(database, error));
      }
    }
    std::ranges::sort(runs_, {}, [](const FoundRun& run) {
      const Provenance& provenance = run.record.provenance;
      return std::tuple(provenance.sweep_name, provenance.device.name, provenance.device.backend,
                        run.record.tuning.has_value(), run.record.started, run.name, run.record.id);
    });
  }

  /// Whether both are of one sweep on one device.
  static bool are_alike(const FoundRun& a, const FoundRun& b) {
    const Provenance& of_a = a.record.provenance;
    const Provenance& of_b = b.record.provenance;
    return of_a.sweep_name == of_b.sweep_name && of_a.device.name == of_b.device.name &&
           of_a.device.backend == of_b.device.backend &&
           a.record.tuning.has_value() == b.record.tuning.has_value();
  }

  void read_runs() {
    StepProgress progress("reading the runs", runs_.size(), request_.is_quiet);
    std::optional<Store> store;
    for (std::size_t i = 0; i < runs_.size();) {
      const FoundRun first = runs_[i];
      const Provenance& provenance = first.record.provenance;
      IndexedSeries series = {provenance.sweep_name, {}, provenance.device.name};
      RunHistory history;
      std::vector<const FoundRun*> read;
      for (; i < runs_.size() && are_alike(first, runs_[i]); ++i) {
        // Pages of many runs would take up much space with scripts for each.
        const bool is_newest = i + 1 == runs_.size() || !are_alike(first, runs_[i + 1]);
        const PageCharts charts = is_newest ? PageCharts::live : PageCharts::pictures;
        if (read_run(runs_[i], charts, store, history, series)) read.push_back(&runs_[i]);
        progress.step();
      }
      if (series.runs.empty()) continue;
      series.steps = history.steps();
      series.regression = history.regression([&](const RunComparison& comparison) {
        series.regression_comparison =
            write_comparison(read.back()->page("compare", "-now"), comparison);
      });
      index_.series.push_back(std::move(series));
    }
  }

  /// False where the run cannot be read.
  bool read_run(const FoundRun& run, PageCharts charts, std::optional<Store>& store,
                RunHistory& history, IndexedSeries& series) {
    RunResults results;
    try {
      if (!store || store->path() != run.database)
        store.emplace(run.database, Store::Mode::read_only);
      forget_value_words();
      results = load_results(*store, run.record);
    } catch (const StoreError& error) {
      skip(run.label(), reason_of(run.database, error));
      return false;
    } catch (const InputError& error) {
      skip(run.label(), error.what());
      return false;
    }
    const RunAnalysis analysis(results);
    IndexedRun indexed = indexed_run(analysis);
    if (request_.writes_page)
      indexed.page = write_page(run.page("runs"), write_html(analysis, charts));
    series.summary = results.summary;
    history.add({run.label(), std::move(results)}, [&](const RunComparison& comparison) {
      indexed.comparison = write_comparison(run.page("compare"), comparison);
    });
    series.runs.push_back(std::move(indexed));
    return true;
  }

  std::string write_comparison(const std::string& name, const RunComparison& comparison) {
    return request_.writes_page ? write_page(name, write_comparison_html(comparison)) : "";
  }

  /// Returns the file's name as seen from the index.
  std::string write_page(const std::string& name, const std::string& text) {
    const fs::path file = output_ / name;
    if (folders_.insert(file.parent_path()).second) make_output_folder(file.parent_path());
    write_output_file(file, text);
    return name;
  }

  const IndexRequest& request_;
  std::vector<RunOperand> databases_;
  fs::path root_;
  fs::path output_;
  std::set<fs::path> folders_;  ///< that were made
  std::vector<FoundRun> runs_;
  RunIndex index_;
};

}  // namespace

bool is_results_folder(const std::string& operand) {
  std::error_code error;
  return fs::is_directory(operand, error) && !file_is_there(find_database(operand));
}

bool write_index(const IndexRequest& request) {
  return IndexMaker(request).write();
}

}  // namespace sweep
