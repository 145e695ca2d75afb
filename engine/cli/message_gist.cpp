#include "engine/cli/message_gist.h"

#include <fmt/format.h>

#include "engine/text/characters.h"

namespace sweep {

std::string gist_of(const Diagnostic& message) {
  std::string words = message.message;
  std::erase_if(words, is_digit);
  const Location& where = message.where;
  return fmt::format("{}:{}:{}: {}", where.source != nullptr ? where.source->name : "", where.line,
                     where.column, words);
}

}  // namespace sweep
