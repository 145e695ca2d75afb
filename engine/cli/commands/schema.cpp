#include <fmt/format.h>

#include "engine/cli/command.h"
#include "engine/cli/options/command_line.h"
#include "engine/cli/options/output.h"
#include "engine/spec/editor_schema.h"
#include "engine/text/diagnostic.h"

namespace sweep {

CommandLine schema_line() {
  CommandLine line(
      "sweep schema [OPTIONS] sweep|pattern",
      "Writes the JSON Schema of sweep files, or of the headers of patterns. Editors\n"
      "complete keys and values by it and show what each means. With Red Hat's YAML\n"
      "extension of VS Code, or another editor with yaml-language-server, begin a sweep\n"
      "with\n"
      "  # yaml-language-server: $schema=sweep.schema.json\n"
      "where sweep.schema.json is what 'sweep schema sweep -o sweep.schema.json' wrote.");
  add_output_option(line);
  line.operands("what", 1, {"sweep|pattern"});
  return line;
}

int schema_command(const Arguments& arguments) {
  const auto options = schema_line().parse(arguments);
  if (!options) return exit_done;
  if (options->count("what") == 0) {
    throw UsageError("the schema of what? write sweep schema sweep, or sweep schema pattern");
  }
  const std::string what = (*options)["what"].as<std::vector<std::string>>().front();
  const std::vector<std::string> kinds = {"sweep", "pattern"};
  if (what != "sweep" && what != "pattern") {
    throw UsageError(fmt::format("there is no schema of '{}'; {}", what,
                                 suggest(what, kinds, "there are those of")));
  }
  write_result(given_output(*options), what == "sweep" ? sweep_schema() : pattern_schema());
  return exit_done;
}

}  // namespace sweep
