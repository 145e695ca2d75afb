#include "tests/emulator/hardware/configuration_list.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <future>
#include <iterator>
#include <map>
#include <span>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "engine/jit/compiler.h"
#include "engine/run/workload.h"
#include "engine/spec/pattern.h"

namespace sweep::testing {
namespace {

Value value_of(const std::string& text) {
  if (const auto type = ElementType::find(text)) return *type;
  if (text == "true" || text == "false") return text == "true";
  return std::int64_t{std::stoll(text)};
}

class ConfigurationReader {
 public:
  explicit ConfigurationReader(const std::string& folder) : library_({folder + "/patterns"}) {}

  /// "load T=float STRIDE=2"
  Configuration read(const std::string& line) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    const PatternPtr pattern = load(name);
    Bindings given;
    for (std::string word; words >> word;) {
      const std::size_t sign = word.find('=');
      const std::string parameter = word.substr(0, sign);
      if (sign == std::string::npos || pattern->find_parameter(parameter) == nullptr) {
        throw std::runtime_error(line + ": there is no parameter " + parameter);
      }
      given.set(parameter, value_of(word.substr(sign + 1)));
    }
    return resolve(pattern, given);
  }

 private:
  PatternPtr load(const std::string& name) {
    PatternPtr& pattern = patterns_[name];
    if (pattern == nullptr) {
      Diagnostics diagnostics;
      pattern = library_.load(name, {}, diagnostics);
      if (pattern == nullptr) throw std::runtime_error(render(diagnostics));
    }
    return pattern;
  }

  PatternLibrary library_;
  std::map<std::string, PatternPtr> patterns_;
};

/// Compiles pattern after pattern, several at once.
std::vector<CompileOutcome> compile_patterns(const Compiler& compiler,
                                             const std::vector<Configuration>& configurations) {
  using Batch = std::span<const Configuration>;
  std::vector<Batch> batches;
  for (std::size_t begin = 0, end = 0; begin < configurations.size(); begin = end) {
    while (end < configurations.size() &&
           configurations[end].pattern == configurations[begin].pattern) {
      ++end;
    }
    batches.push_back(Batch(configurations).subspan(begin, end - begin));
  }
  std::vector<std::vector<CompileOutcome>> outcomes(batches.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < batches.size(); i = next++) {
      outcomes[i] = compiler.compile(batches[i]);
    }
  };
  std::vector<std::future<void>> others;
  for (unsigned i = 1; i < std::min(std::thread::hardware_concurrency(), 8U); ++i) {
    others.push_back(std::async(std::launch::async, work));
  }
  work();
  for (std::future<void>& other : others) other.get();
  std::vector<CompileOutcome> all;
  for (std::vector<CompileOutcome>& some : outcomes)
    std::ranges::move(some, std::back_inserter(all));
  return all;
}

}  // namespace

std::vector<ComparedConfiguration> compile_configurations(const std::string& folder,
                                                          std::shared_ptr<Nvrtc> nvrtc,
                                                          bool with_machine_code) {
  // For a capability that the compiler does not know it writes PTX for the one below.
  const int capability = with_machine_code ? 90 : 91;
  std::ifstream file(folder + "/configurations.txt");
  if (!file) throw std::runtime_error("cannot read " + folder + "/configurations.txt");
  ConfigurationReader reader(folder);
  std::vector<std::string> lines;
  std::vector<Configuration> configurations;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    configurations.push_back(reader.read(line));
    lines.push_back(line);
  }
  const std::vector<CompileOutcome> outcomes =
      compile_patterns(Compiler(std::move(nvrtc), capability), configurations);
  std::vector<ComparedConfiguration> result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const auto* failure = std::get_if<CompileFailure>(&outcomes[i])) {
      throw std::runtime_error(lines[i] + ":\n" + render(failure->errors));
    }
    const auto& compiled = std::get<CompiledConfiguration>(outcomes[i]);
    ComparedConfiguration compared{lines[i], make_workload(configurations[i], compiled)};
    result.push_back(std::move(compared));
  }
  return result;
}

}  // namespace sweep::testing
