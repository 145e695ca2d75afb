#pragma once

#include <string_view>

namespace sweep {

/// A text that was embedded into the program when it was built.
struct EmbeddedText {
  std::string_view text;
  std::string_view sha256;  ///< of the text, 64 hexadecimal digits
};

EmbeddedText page_style();
EmbeddedText page_script();
/// What sorts and filters the table of a comparison's page, which can be read without it.
EmbeddedText comparison_script();
/// Vega, Vega-Lite and Vega-Embed with their licences; empty where npm could not give them.
EmbeddedText vega_script();

}  // namespace sweep
