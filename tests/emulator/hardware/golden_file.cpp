#include "tests/emulator/hardware/golden_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace sweep::testing {

void write_golden_file(const std::string& path, const GoldenFile& file) {
  std::ofstream out(path);
  out << "# " << file.device << ", " << file.compiler << '\n';
  out << "configuration," << fmt::format("{}", fmt::join(count_names, ",")) << ",hashes\n";
  for (const auto& [text, row] : file.rows) {
    out << text << ',' << fmt::format("{}", fmt::join(row.counts, ",")) << ',' << row.hashes
        << '\n';
  }
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

GoldenFile read_golden_file(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  GoldenFile file;
  std::string line;
  std::getline(in, line);
  const std::size_t comma = line.find(", ");
  if (!line.starts_with("# ") || comma == std::string::npos) {
    throw std::runtime_error(path + " does not begin with the device and the compiler");
  }
  file.device = line.substr(2, comma - 2);
  file.compiler = line.substr(comma + 2);
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string text;
    std::getline(fields, text, ',');
    GoldenRow row;
    for (std::uint64_t& count : row.counts) {
      std::string field;
      if (!std::getline(fields, field, ',')) throw std::runtime_error(path + ": " + line);
      count = std::stoull(field);
    }
    std::getline(fields, row.hashes);
    file.rows.emplace_back(std::move(text), std::move(row));
  }
  return file;
}

}  // namespace sweep::testing
