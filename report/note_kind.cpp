#include "report/note_kind.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "engine/text/characters.h"

namespace sweep {
namespace {

/// A part of a word or a number; bytes beyond ASCII are letters.
bool is_in_word(char c) {
  return is_word(c) || static_cast<unsigned char>(c) >= 0x80;
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

/// The end of the number that begins at `begin`, or `begin` when none does.
std::size_t end_of_number(std::string_view text, std::size_t begin) {
  const auto is_before = [&](std::size_t at) {
    return at == 0 || (!is_in_word(text[at - 1]) && text[at - 1] != '.' && text[at - 1] != '-');
  };
  if (!is_before(begin)) return begin;
  const std::size_t digits = begin + (text[begin] == '-' ? 1 : 0);
  std::size_t end = skip_digits(text, digits);
  if (end == digits) return begin;
  constexpr std::size_t group = 4;  // a comma and three digits
  while (end < text.size() && text[end] == ',' && skip_digits(text, end + 1) == end + group) {
    end += group;
  }
  if (end < text.size() && text[end] == '.') {
    const std::size_t decimals = skip_digits(text, end + 1);
    if (decimals > end + 1) end = decimals;
  }
  const bool joins = end < text.size() && (text[end] == '.' || text[end] == '-');
  const std::size_t next = joins ? end + 1 : end;
  const bool goes_on = next < text.size() && is_in_word(text[next]);
  return goes_on ? begin : end;
}

double value_of(std::string number) {
  std::erase(number, ',');
  double value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value);
  return value;
}

}  // namespace

NoteParts take_apart(std::string_view note) {
  NoteParts parts;
  parts.words.emplace_back();
  std::size_t at = 0;
  while (at < note.size()) {
    const std::size_t end = end_of_number(note, at);
    if (end == at) {
      parts.words.back() += note[at++];
    } else {
      parts.numbers.emplace_back(note.substr(at, end - at));
      parts.words.emplace_back();
      at = end;
    }
  }
  return parts;
}

void NoteRange::add(const NoteParts& note) {
  for (std::size_t i = 0; i < note.numbers.size(); ++i) {
    const double value = value_of(note.numbers[i]);
    if (value < value_of(low_.numbers[i])) low_.numbers[i] = note.numbers[i];
    if (value > value_of(high_.numbers[i])) high_.numbers[i] = note.numbers[i];
  }
}

std::string NoteRange::text() const {
  std::string text = low_.words.front();
  for (std::size_t i = 0; i < low_.numbers.size(); ++i) {
    text += low_.numbers[i];
    if (high_.numbers[i] != low_.numbers[i]) text += " to " + high_.numbers[i];
    text += low_.words[i + 1];
  }
  return text;
}

}  // namespace sweep
