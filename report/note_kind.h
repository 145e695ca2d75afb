#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sweep {

/// A sentence taken apart into its numbers and the words between them: "2 of 16 samples" and "3 of
/// 20 samples" are of one kind. Digits within a name (sm_90, 0x1f, T4) are words.
struct NoteParts {
  std::vector<std::string> words;    ///< one more than there are numbers; some are empty
  std::vector<std::string> numbers;  ///< as written: "1,024", "0.5", "-3"
};

NoteParts take_apart(std::string_view note);

/// Many sentences of one kind as one, whose numbers are ranges where they differ: "2 to 3 of 16 to
/// 20 samples".
class NoteRange {
 public:
  explicit NoteRange(NoteParts first) : low_(first), high_(std::move(first)) {}

  /// Another one of the same words.
  void add(const NoteParts& note);
  std::string text() const;

 private:
  NoteParts low_;
  NoteParts high_;
};

}  // namespace sweep
