#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sweep {

/// What `sweep help NAME` prints, from engine/cli/help/NAME.txt. The file's first line is the
/// summary. Below it stand, apart by empty lines: headings ("# ..."); paragraphs; items ("- ...");
/// definitions ("TERM :: ..."); and, indented by four spaces, what is printed as it stands. What
/// is between backticks is a word of a file or of the command line.
struct HelpTopic {
  std::string_view name;
  std::string_view summary;
  std::string_view text;  ///< all below the summary
};

/// In the order in which they are listed.
const std::vector<HelpTopic>& help_topics();

/// Null when there is none of this name.
const HelpTopic* find_help_topic(std::string_view name);

/// The topic's text for a terminal of so many columns. Only what is printed as it stands, and
/// single words, may be wider. With colour, headings and what is between backticks are bold;
/// without it the backticks stay.
std::string render_help_topic(const HelpTopic& topic, std::size_t width, bool color);

}  // namespace sweep
