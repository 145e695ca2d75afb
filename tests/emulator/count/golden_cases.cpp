#include "tests/emulator/count/golden_cases.h"

#include <fstream>
#include <ostream>
#include <sstream>
#include <stdexcept>

namespace sweep::testing {
namespace {

/// Tokens of one address, or first:step*count.
std::vector<std::int64_t> read_addresses(const std::string& text) {
  std::vector<std::int64_t> addresses;
  std::istringstream tokens(text);
  for (std::string token; tokens >> token;) {
    std::istringstream fields(token);
    std::int64_t first = 0;
    std::int64_t step = 0;
    std::int64_t count = 1;
    char sign = 0;
    fields >> first;
    if (fields >> sign) fields >> step >> sign >> count;
    for (std::int64_t i = 0; i < count; ++i) addresses.push_back(first + i * step);
  }
  return addresses;
}

AccessKind kind_of(const std::string& op) {
  if (op == "ld") return AccessKind::load;
  if (op == "st") return AccessKind::store;
  if (op == "red_one") return AccessKind::increment;
  if (op == "atom_cas") return AccessKind::compare_and_swap;
  return AccessKind::atomic;
}

GoldenCase read_case(const std::string& line) {
  std::istringstream fields(line);
  std::string width;
  std::string mask;
  std::string addresses;
  std::string first;
  std::string second;
  GoldenCase row;
  row.text = line;
  std::getline(fields, row.op, ',');
  std::getline(fields, width, ',');
  std::getline(fields, mask, ',');
  std::getline(fields, addresses, ',');
  std::getline(fields, first, ',');
  std::getline(fields, second, ',');
  row.kind = kind_of(row.op);
  row.access.width = static_cast<std::uint32_t>(std::stoul(width));
  row.access.active = static_cast<std::uint32_t>(std::stoul(mask, nullptr, 16));
  row.first = std::stoull(first);
  row.second = std::stoull(second);
  const std::vector<std::int64_t> of_active = read_addresses(addresses);
  auto next = of_active.begin();
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((row.access.active >> lane & 1) != 0)
      row.access.address[lane] = static_cast<std::uint64_t>(*next++);
  if (next != of_active.end()) throw std::runtime_error("more addresses than lanes: " + line);
  return row;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const GoldenCase& row) {
  return out << row.text;
}

std::vector<GoldenCase> read_golden_cases(const std::string& name) {
  const std::string path = SWEEP_SOURCE_DIR "/tests/emulator/count/" + name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<GoldenCase> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) rows.push_back(read_case(line));
  return rows;
}

}  // namespace sweep::testing
