#include "engine/recording/t4_invalidity.h"

#include <array>

namespace sweep {
namespace {

struct Phrase {
  std::string_view text;
  bool begins;  ///< the reason begins with it, rather than has it anywhere
  std::string_view invalidity;
};

/// The first that fits counts. The phrases are those of the engine's own sentences.
constexpr std::array phrases = {
    Phrase{"wrong result", true, "correctness"},
    Phrase{"bad launch", true, "constraints"},
    Phrase{"too many resources", true, "constraints"},
    Phrase{"stopped after ", true, "timeout"},
    Phrase{"ran longer than", false, "timeout"},
    Phrase{": error: ", false, "compile"},
    Phrase{"error: ", true, "compile"},
};

struct Sentence {
  std::string_view word;
  std::string_view sentence;
};
constexpr std::array sentences = {
    Sentence{"compile", "it does not compile"},
    Sentence{"runtime", "it failed when it ran"},
    Sentence{"timeout", "it ran too long"},
    Sentence{"correctness", "its result is wrong"},
    Sentence{"constraints", "it does not meet the constraints"},
};

}  // namespace

std::string_view t4_invalidity(const PointRecord& point) {
  if (point.status == PointStatus::ok) return "correct";
  for (const Phrase& phrase : phrases) {
    const std::size_t place = point.reason.find(phrase.text);
    if (phrase.begins ? place == 0 : place != std::string::npos) return phrase.invalidity;
  }
  return "runtime";
}

std::string describe_invalidity(const std::string& word) {
  for (const Sentence& sentence : sentences) {
    if (sentence.word == word) return std::string(sentence.sentence);
  }
  return word;
}

}  // namespace sweep
