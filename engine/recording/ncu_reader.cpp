#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "engine/recording/recording.h"
#include "engine/text/characters.h"
#include "engine/text/read_source.h"

// What Nsight Compute prints with --csv --page raw: a row of names, one of units, and a row for
// each launch that it profiled.

namespace sweep {
namespace {

/// A line of the table, and its number in the file.
struct NcuRow {
  std::size_t line = 0;
  std::vector<std::string> fields;
  bool is_whole = true;  ///< false where the file ends within a field
};

/// Reads the row that begins at the beginning of the text and takes it away.
NcuRow take_row(std::string_view& text, std::size_t line) {
  NcuRow row = {line, {}};
  for (bool more = true; more && row.is_whole;) {
    std::string& field = row.fields.emplace_back();
    more = false;
    bool is_quoted = false;
    for (; !text.empty(); text.remove_prefix(1)) {
      const char c = text.front();
      if (c == '"') {
        if (is_quoted && text.substr(1).starts_with('"')) {
          text.remove_prefix(1);
          field += c;
        } else {
          is_quoted = !is_quoted;
        }
      } else if (!is_quoted && (c == ',' || c == '\n')) {
        more = c == ',';
        text.remove_prefix(1);
        break;
      } else if (is_quoted || c != '\r') {
        field += c;
      }
    }
    row.is_whole = !is_quoted && !(more && text.empty());
  }
  return row;
}

/// The rows of the table. What the program printed, and Nsight Compute's own lines, have no quote
/// at their beginning.
std::vector<NcuRow> rows_of(std::string_view text) {
  std::vector<NcuRow> rows;
  std::size_t line = 1;
  while (!text.empty()) {
    const std::string_view before = text;
    if (text.starts_with('"')) {
      rows.push_back(take_row(text, line));
    } else {
      text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    }
    line += static_cast<std::size_t>(
        std::ranges::count(before.substr(0, before.size() - text.size()), '\n'));
  }
  return rows;
}

/// A number without what stands between thousands besides points and commas: spaces, also such as
/// do not break, and apostrophes.
std::string without_gaps(std::string text) {
  if (text.empty() || !is_digit(text.front())) return text;
  std::erase_if(
      text, [](char c) { return c == ' ' || c == '\'' || static_cast<unsigned char>(c) >= 0x80; });
  return text;
}

bool is_number(std::string_view text) {
  return !text.empty() && (is_digit(text.front()) || text.front() == '-') &&
         text.find_first_not_of("0123456789.,-+eE") == text.npos;
}

/// The decimal mark that a number shows: "1,234.5" and "1.5" a point, "1.234,5" a comma; 0 where
/// it may be either, as in "1,234".
char decimal_mark_of(std::string_view number) {
  const std::size_t last = number.find_last_of(".,");
  if (last == number.npos) return 0;
  const char mark = number[last];
  const char other = mark == '.' ? ',' : '.';
  if (number.find(other) != number.npos) return mark;
  if (number.find(mark) != last) return other;
  return number.size() - last - 1 == 3 && last > 0 && last <= 3 ? 0 : mark;
}

/// How many of the base unit a unit has: "Mbyte" 1e6 (byte), "us" 1e-6 (s); 1 of others.
double factor_of(std::string_view unit) {
  static const std::map<std::string_view, double> times = {{"ns", 1e-9}, {"nsecond", 1e-9},
                                                           {"us", 1e-6}, {"usecond", 1e-6},
                                                           {"ms", 1e-3}, {"msecond", 1e-3}};
  if (const auto found = times.find(unit); found != times.end()) return found->second;
  constexpr std::pair<char, double> prefixes[] = {
      {'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}, {'P', 1e15}};
  if (unit.size() < 2 || unit[1] < 'a' || unit[1] > 'z') return 1;
  const auto* found = std::ranges::find(prefixes, unit[0], &std::pair<char, double>::first);
  return found != std::end(prefixes) ? found->second : 1;
}

/// "void lib::scale<float, 256>(const T1 *)" is the kernel "scale".
std::string kernel_name(std::string_view signature) {
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  std::string text(signature);
  for (std::size_t at = text.find(unnamed); at != text.npos; at = text.find(unnamed)) {
    text.erase(at, unnamed.size());
  }
  text.erase(std::min(text.find_first_of("<("), text.size()));
  const std::size_t begin = text.find_last_of(" :");
  return begin == text.npos ? text : text.substr(begin + 1);
}

/// Of "(16, 8, 1)", or a number alone, the product.
std::optional<std::int64_t> product_of(std::string_view text) {
  std::int64_t product = 1;
  bool has_any = false;
  while (!text.empty()) {
    std::int64_t factor = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
    if (error == std::errc()) {
      constexpr std::int64_t most = std::int64_t{1} << 31;
      if (factor < 1 || factor > most || product > most * most / 2 / factor) return std::nullopt;
      product *= factor;
      has_any = true;
      text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    } else {
      text.remove_prefix(1);
    }
  }
  return has_any ? std::optional(product) : std::nullopt;
}

class NcuReader {
 public:
  explicit NcuReader(const std::string& file) : file_(file) {}

  Recording read(std::string_view text) {
    std::vector<NcuRow> rows = rows_of(text);
    const auto head = std::ranges::find_if(rows, [](const NcuRow& row) {
      return std::ranges::find(row.fields, "Kernel Name") != row.fields.end();
    });
    if (head == rows.end()) {
      refuse(
          "this is no table of Nsight Compute: no row names a column 'Kernel Name'; 'ncu --csv "
          "--page raw --log-file FILE.csv PROGRAM' writes one");
    }
    names_ = head->fields;
    if (column("Metric Name")) {
      refuse(
          "this is Nsight Compute's table of details, a row each; add --page raw, which gives a "
          "row for each launch");
    }
    rows.erase(rows.begin(), head + 1);
    if (!rows.empty() && rows.back().fields.size() < names_.size()) rows.back().is_whole = false;
    if (!rows.empty() && !rows.back().is_whole) {
      recording_.unfinished = true;
      rows.pop_back();
    }
    for (const NcuRow& row : rows) {
      if (row.fields.size() == names_.size()) continue;
      refuse(fmt::format("line {}: {} fields stand below {} names", row.line, row.fields.size(),
                         names_.size()));
    }
    // Its row has no launch.
    const std::size_t kernel = *column("Kernel Name");
    if (!rows.empty() && rows.front().fields[kernel].empty()) {
      units_ = rows.front().fields;
      rows.erase(rows.begin());
    }
    units_.resize(names_.size());
    for (NcuRow& row : rows) {
      for (std::size_t i = 0; i < names_.size(); ++i) {
        if (is_counter_name(names_[i])) row.fields[i] = without_gaps(std::move(row.fields[i]));
      }
    }
    find_decimal_mark(rows);
    for (const NcuRow& row : rows) recording_.entries.push_back(entry_of(row));
    recording_.origin.file = file_;
    recording_.origin.format = "counters of Nsight Compute";
    complete(recording_);
    return std::move(recording_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw FileError(file_ + ": " + why, false);
  }

  std::optional<std::size_t> column(std::string_view name) const {
    const auto found = std::ranges::find(names_, name);
    return found != names_.end() ? std::optional<std::size_t>(found - names_.begin())
                                 : std::nullopt;
  }

  /// Of the columns of that name, the first that is there; empty without any.
  std::string field(const NcuRow& row, std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      if (const auto place = column(name)) return row.fields[*place];
    }
    return {};
  }

  /// Nsight Compute writes numbers as the locale does.
  void find_decimal_mark(std::span<const NcuRow> rows) {
    for (const NcuRow& row : rows) {
      for (std::size_t i = 0; i < row.fields.size(); ++i) {
        if (!is_counter_name(names_[i]) || !is_number(row.fields[i])) continue;
        const char mark = decimal_mark_of(row.fields[i]);
        if (mark == 0) continue;
        if (decimal_mark_ != 0 && decimal_mark_ != mark) {
          refuse(
              fmt::format("line {}: '{}' has another decimal mark than the numbers before it; "
                          "with LC_ALL=C Nsight Compute writes points",
                          row.line, row.fields[i]));
        }
        decimal_mark_ = mark;
      }
    }
    if (decimal_mark_ == 0) decimal_mark_ = '.';
  }

  std::optional<double> number_of(std::string_view text) const {
    if (!is_number(text)) return std::nullopt;
    std::string plain;
    for (const char c : text) {
      if (c == decimal_mark_) plain += '.';
      if (c != '.' && c != ',') plain += c;
    }
    double number = 0;
    const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), number);
    if (error != std::errc() || end != plain.data() + plain.size()) return std::nullopt;
    return number;
  }

  RecordedEntry entry_of(const NcuRow& row) const {
    RecordedEntry entry;
    const std::string signature = field(row, {"Kernel Name"});
    entry.configuration.set("pattern", kernel_name(signature));
    entry.configuration.set("kernel", signature);
    const auto set_product = [&](const char* name, const std::string& text) {
      std::string digits = text;
      // A number alone may have marks of thousands.
      if (!digits.starts_with('(')) std::erase_if(digits, [](char c) { return !is_digit(c); });
      if (const auto product = product_of(digits)) entry.configuration.set(name, *product);
    };
    set_product("blocks", field(row, {"Grid Size", "launch__grid_size"}));
    set_product("threads", field(row, {"Block Size", "launch__block_size"}));
    const std::string id = field(row, {"ID"});
    entry.configuration.set("launch", id.empty() ? fmt::format("line {}", row.line) : id);
    entry.configuration.set("process", field(row, {"Process ID"}));
    CounterValues values;
    std::set<std::string> not_there;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!is_counter_name(names_[i])) continue;
      const auto number = number_of(row.fields[i]);
      if (row.fields[i] == "n/a") not_there.insert(names_[i]);
      if (!number) continue;
      const double value = *number * factor_of(units_[i]);
      if (values.emplace(names_[i], value).second) {
        entry.metrics.push_back({names_[i], Origin::hardware, value});
      }
    }
    std::vector<Metric> metrics;
    for (const MetricDefinition& metric : metric_definitions()) {
      if (metric.formula.parts.empty()) continue;
      for (const auto* sum : metric.formula.sums()) {
        for (const CounterNames& names : *sum) {
          const bool may_lack = names.back() == no_counter && not_there.contains(names.front());
          if (may_lack) values.emplace(names.front(), 0);
        }
      }
      const auto figure = evaluate(metric.formula, values);
      if (figure) metrics.push_back({metric.name, Origin::hardware, *figure});
    }
    entry.metrics.insert(entry.metrics.begin(), metrics.begin(), metrics.end());
    return entry;
  }

  const std::string& file_;
  std::vector<std::string> names_;
  std::vector<std::string> units_;
  char decimal_mark_ = 0;  ///< 0: not known yet
  Recording recording_;
};

}  // namespace

Recording read_ncu(std::string_view text, const std::string& file) {
  return NcuReader(file).read(text);
}

}  // namespace sweep
