#include "engine/run/compile_messages.h"

#include <nlohmann/json.hpp>

namespace sweep {

using Json = nlohmann::json;

std::vector<std::uint8_t> encode(const ProgramSource& source) {
  return Json::to_msgpack(Json{{"text", source.text},
                               {"options", source.options},
                               {"names", source.name_expressions},
                               {"name", source.name}});
}

std::vector<std::uint8_t> encode(const NvrtcResult& result) {
  Json json = {
      {"ok", result.ok}, {"log", result.log}, {"ptx", result.ptx}, {"names", result.lowered_names}};
  json["cubin"] = Json::binary(std::vector<std::uint8_t>(result.cubin.begin(), result.cubin.end()));
  return Json::to_msgpack(json);
}

ProgramSource decode_program_source(std::span<const std::uint8_t> message) {
  Json json = Json::from_msgpack(message.begin(), message.end());
  ProgramSource source;
  source.text = std::move(json.at("text").get_ref<std::string&>());
  json.at("options").get_to(source.options);
  json.at("names").get_to(source.name_expressions);
  json.at("name").get_to(source.name);
  return source;
}

NvrtcResult decode_nvrtc_result(std::span<const std::uint8_t> message) {
  Json json = Json::from_msgpack(message.begin(), message.end());
  NvrtcResult result;
  result.ok = json.at("ok").get<bool>();
  result.log = std::move(json.at("log").get_ref<std::string&>());
  result.ptx = std::move(json.at("ptx").get_ref<std::string&>());
  json.at("names").get_to(result.lowered_names);
  const auto& cubin = json.at("cubin").get_binary();
  result.cubin.assign(cubin.begin(), cubin.end());
  return result;
}

}  // namespace sweep
