#include "engine/cli/condition_option.h"

#include <memory>
#include <utility>

#include "engine/text/diagnostic.h"
#include "engine/text/source.h"

namespace sweep {

Expression read_condition(const std::string& text) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<Source>(Source{"--where", text});
  auto condition = Expression::parse(text, {source, 1, 1, text.size()}, diagnostics);
  if (!condition) throw InputError(diagnostics);
  return std::move(*condition);
}

}  // namespace sweep
