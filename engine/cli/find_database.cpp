#include "engine/cli/find_database.h"

#include <fmt/format.h>

#include <charconv>

#include "engine/cli/command.h"
#include "engine/cli/file_is_there.h"
#include "engine/cli/number_option.h"

namespace sweep {

namespace fs = std::filesystem;

fs::path find_database(const std::string& name) {
  const fs::path path = name;
  if (file_is_there(path) || path.has_parent_path() || path.extension() == ".db") return path;
  const fs::path result = fs::path("results") / (name + ".db");
  return file_is_there(result) ? result : path;
}

RunOperand read_run_operand(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || file_is_there(text)) return {find_database(text), {}};
  const std::string file = text.substr(0, colon);
  const std::string number = text.substr(colon + 1);
  std::int64_t run = 0;
  const char* const end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, run);
  if (number.empty() || error != std::errc() || stop != end || run < 1) {
    const fs::path database = find_database(file);
    if (!file_is_there(database)) return {text, {}};
    throw UsageError(
        fmt::format("{}: after the colon stands a run's number; 'sweep list runs {}' "
                    "shows the runs",
                    text, database.string()));
  }
  return {find_database(file), run};
}

RunOperand read_run_operand(const std::string& text, std::optional<std::int64_t> run) {
  RunOperand operand = read_run_operand(text);
  if (operand.run && run) {
    throw UsageError(fmt::format("{} names a run already; leave out its :{} or --run {}", text,
                                 *operand.run, *run));
  }
  if (run) operand.run = run;
  return operand;
}

std::optional<std::int64_t> given_run(const boost::program_options::variables_map& values) {
  constexpr std::uint64_t largest = 1'000'000'000;
  if (values.count("run") == 0) return std::nullopt;
  return static_cast<std::int64_t>(
      read_whole_number("run", values["run"].as<std::string>(), largest));
}

}  // namespace sweep
