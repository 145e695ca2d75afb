#include "engine/text/text_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text/location_at.h"
#include "engine/text/utf8.h"

namespace sweep {
namespace {

constexpr const char* save_as_text = "save the file as UTF-8 text";

bool is_refused_control(unsigned char byte, TextKind kind) {
  if (kind == TextKind::code) return byte == 0;
  return byte == 0x7F || (byte < 0x20 && byte != '\t' && byte != '\r' && byte != '\n');
}

}  // namespace

bool check_text(const SourcePtr& source, std::size_t begin, std::size_t end, TextKind kind,
                Diagnostics& diagnostics) {
  const std::string_view text = std::string_view(source->text).substr(0, end);
  const auto refuse = [&](std::size_t at, std::string message, const char* help) {
    diagnostics.error(location_at(source, at), std::move(message), help);
    return false;
  };
  for (std::size_t at = begin; at < text.size();) {
    const std::size_t length = character_length(text.substr(at));
    const auto byte = static_cast<unsigned char>(text[at]);
    if (length == 0) {
      return refuse(at, fmt::format("this byte (0x{:02X}) is not UTF-8 text", byte), save_as_text);
    }
    if (is_refused_control(byte, kind)) {
      return refuse(at, fmt::format("a control character (0x{:02X}) stands here", byte),
                    save_as_text);
    }
    if (byte == '\r' && (at + 1 >= source->text.size() || source->text[at + 1] != '\n')) {
      return refuse(at, "a carriage return without a line feed stands here",
                    "save the file with line ends of LF or CRLF");
    }
    at += length;
  }
  return true;
}

}  // namespace sweep
