#include "engine/cli/live_line.h"

#include <cstdio>

namespace sweep {
namespace {

constexpr const char* clear_below = "\r\033[J";
constexpr const char* clear_rest = "\033[K\r";

/// Progress is no result: a full disk or a closed pipe behind it does not end the run.
void write_progress(const std::string& text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

}  // namespace

void LiveLine::show(const std::string& text, std::size_t width) {
  if (text == shown_ && width == width_) return;
  const bool resized = !shown_.empty() && width != width_;
  write_progress((resized ? clear_below : "\r") + text + clear_rest);
  shown_ = text;
  width_ = width;
}

void LiveLine::print(const std::string& text) {
  const bool is_whole = text.ends_with('\n');
  write_progress((shown_.empty() ? "" : clear_below) + text + (is_whole ? "" : "\n"));
  shown_.clear();
}

void LiveLine::clear() {
  if (!shown_.empty()) write_progress(clear_below);
  shown_.clear();
}

}  // namespace sweep
