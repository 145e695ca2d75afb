#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/jit/compiler.h"
#include "engine/jit/program_cache.h"
#include "engine/jit/translation_unit.h"
#include "engine/run/workload.h"
#include "engine/space/enumerate.h"
#include "engine/spec/pattern.h"
#include "engine/spec/sweep.h"
#include "tests/fuzz/targets.h"

namespace sweep::fuzz {
namespace {

/// The name behind the text's last `__global__ void`, so that the file's name fits its kernel.
std::string kernel_name(std::string_view text) {
  constexpr std::string_view before = "__global__ void ";
  const std::size_t found = text.rfind(before);
  if (found == std::string_view::npos) return "kernel";
  const std::string_view rest = text.substr(found + before.size());
  const auto end = std::ranges::find_if(rest, [](char c) {
    return c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z');
  });
  const std::string name(rest.begin(), end);
  return name.empty() || name.size() > 100 ? "kernel" : name;
}

/// A sweep of the pattern alone, as far as a small space goes.
Space space_of(const PatternPtr& pattern) {
  const auto text = std::make_shared<Source>(Source{"sweep", "pattern: " + pattern->name + "\n"});
  const PatternLookup lookup = [&](const std::string& /*name*/, const Location& /*where*/,
                                   Diagnostics& /*diagnostics*/) { return pattern; };
  const Sweep sweep = parse_sweep(text, "sweep.yaml", lookup, {});
  SpaceLimits limits;
  limits.configurations = 100;
  limits.tries = 10'000;
  return enumerate(sweep, limits);
}

void work_out_sizes(const Configuration& configuration) {
  CompiledConfiguration compiled;
  compiled.program = std::make_shared<const Program>();
  compiled.entries.init.resize(configuration.pattern->buffers.size());
  compiled.entries.check.resize(configuration.pattern->verify.size());
  for (const Buffer& buffer : configuration.pattern->buffers) {
    const bool is_known = configuration.pattern->knows_size(buffer.type);
    compiled.entries.sizes.emplace_back(is_known ? "" : "_Z13sweep_size_ofILy4EEvv");
  }
  try {
    useful_traffic_of(configuration);
    make_workload(configuration, compiled);
  } catch (const ExecutionFailure&) {
  } catch (const InputError& error) {
    render(error.diagnostics());
  }
}

void use(const PatternPtr& pattern) {
  try {
    const Space space = space_of(pattern);
    if (space.configurations.empty()) return;
    write_translation_unit(space.configurations);
    for (const Configuration& configuration : space.configurations) {
      to_string(configuration);
      parameter_bytes(configuration.parameters);
      work_out_sizes(configuration);
    }
  } catch (const InputError& error) {
    render(error.diagnostics());
  }
}

}  // namespace

void read_pattern(std::string_view bytes) {
  const std::filesystem::path path = "/nowhere/" + kernel_name(bytes) + ".cu";
  const auto source = std::make_shared<Source>(Source{path.string(), std::string(bytes)});
  Diagnostics diagnostics;
  const PatternPtr pattern = parse_pattern(source, path, diagnostics);
  render(diagnostics);
  if (pattern != nullptr) use(pattern);
}

}  // namespace sweep::fuzz
