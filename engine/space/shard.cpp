#include "engine/space/shard.h"

#include <fmt/format.h>

#include <iterator>
#include <memory>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sweep {
namespace {

/// Different texts for different names and values: each is preceded by its length.
void append_entries(std::string& text, const Bindings& bindings) {
  for (const auto& [name, value] : bindings.entries()) {
    const std::string word = to_string(value);
    fmt::format_to(std::back_inserter(text), "{}:{}={}:{}\n", name.size(), name, word.size(), word);
  }
}

void append_configuration(std::string& text, const Configuration& configuration) {
  const std::string& pattern = configuration.pattern->name;
  fmt::format_to(std::back_inserter(text), "pattern {}:{}\n", pattern.size(), pattern);
  append_entries(text, configuration.parameters);
}

std::uint64_t shard_of_text(const std::string& text, std::uint64_t count) {
  return XXH3_64bits(text.data(), text.size()) % count + 1;
}

std::string digits_of(const XXH128_hash_t& hash) {
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace

std::uint64_t shard_of(const Configuration& configuration, std::uint64_t count) {
  std::string text;
  append_configuration(text, configuration);
  return shard_of_text(text, count);
}

std::uint64_t shard_of(const TuningGroup& group, std::uint64_t count) {
  std::string text;
  append_entries(text, group.values);
  return shard_of_text(text, count);
}

std::vector<std::size_t> configurations_of(const Shard& shard, const Space& space) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < space.configurations.size(); ++i) {
    if (shard_of(space.configurations[i], shard.count) == shard.number) indices.push_back(i);
  }
  return indices;
}

SpaceIdentity identity_of(const Space& space) {
  SpaceIdentity identity;
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       XXH3_freeState);
  XXH3_128bits_reset(state.get());
  std::string text;
  for (const Configuration& configuration : space.configurations) {
    text.clear();
    append_configuration(text, configuration);
    XXH3_128bits_update(state.get(), text.data(), text.size());
    std::string& pattern = identity.patterns[configuration.pattern->name];
    if (!pattern.empty()) continue;
    const std::string source = configuration.pattern->identity();
    pattern = digits_of(XXH3_128bits(source.data(), source.size()));
  }
  identity.configurations = digits_of(XXH3_128bits_digest(state.get()));
  return identity;
}

}  // namespace sweep
