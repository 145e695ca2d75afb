#include "engine/cli/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/text/characters.h"
#include "report/display_text.h"

namespace sweep {
namespace {

ColorChoice color_choice = ColorChoice::automatic;

/// An environment variable's value; empty where it is not set.
std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool shows_color(bool capable) {
  if (color_choice != ColorChoice::automatic) return color_choice == ColorChoice::always;
  if (!variable("NO_COLOR").empty()) return false;
  const std::string_view force = variable("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return capable && variable("CLICOLOR") != "0";
}

bool has_utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string locale = in_small_letters(std::string(variable(name)));
    if (locale.empty()) continue;
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

constexpr const char* clear_below = "\r\033[J";
constexpr const char* clear_rest = "\033[K\r";

/// Progress is no result: a full disk or a closed pipe behind it does not end the run.
void write_progress(const std::string& text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

}  // namespace

Terminal terminal_of(int file_descriptor) {
  Terminal terminal;
  terminal.is_terminal = isatty(file_descriptor) == 1;
  const std::string_view term = variable("TERM");
  const bool dumb = term.empty() || term == "dumb";
  terminal.live = terminal.is_terminal && !dumb;
  terminal.color = shows_color(terminal.live);
  terminal.unicode = terminal.live && has_utf8_locale();
  winsize size{};
  if (terminal.is_terminal && ioctl(file_descriptor, TIOCGWINSZ, &size) == 0) {
    if (size.ws_col > 0) terminal.width = size.ws_col;
    terminal.height = size.ws_row;
  }
  return terminal;
}

void set_color_choice(ColorChoice choice) {
  color_choice = choice;
}

void LiveLine::show(const std::string& text, std::size_t width) {
  if (text == shown_ && width == width_) return;
  const bool resized = !shown_.empty() && width != width_;
  write_progress((resized ? clear_below : "\r") + text + clear_rest);
  shown_ = text;
  width_ = width;
}

void LiveLine::show_cut(const std::string& text, const Terminal& terminal) {
  const std::size_t width = terminal.width > 0 ? terminal.width - 1 : 0;
  show(cut_to_width(text, width, terminal.unicode), terminal.width);
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

Ticker::Ticker(std::chrono::milliseconds interval, std::function<void()> action)
    : thread_([this, interval, action = std::move(action)] {
        std::unique_lock lock(mutex_);
        while (!changed_.wait_for(lock, interval, [this] { return ends_; })) action();
      }) {}

Ticker::~Ticker() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

}  // namespace sweep
