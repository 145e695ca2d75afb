#pragma once

#include <span>
#include <string>

namespace sweep {

/// The text with a capital at its beginning and one full stop at its end.
std::string as_sentence(std::string text);

/// Sentences without full stops as a paragraph with them; empty ones are left out.
std::string as_paragraph(std::span<const std::string> sentences);

}  // namespace sweep
