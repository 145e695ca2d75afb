#include "report/sentences.h"

namespace sweep {

std::string as_sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  if (!text.ends_with('.')) text += '.';
  return text;
}

std::string as_paragraph(std::span<const std::string> sentences) {
  std::string paragraph;
  for (const std::string& sentence : sentences) {
    if (!sentence.empty()) paragraph += (paragraph.empty() ? "" : " ") + sentence + '.';
  }
  return paragraph;
}

}  // namespace sweep
