#include "engine/cli/commands.h"
#include "engine/cli/options/output.h"
#include "engine/spec/keys.h"
#include "engine/text/diagnostic.h"

namespace sweep {

namespace {

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
  line.operands({"sweep|pattern"}, 1,
                "the schema of what? write sweep schema sweep, or sweep schema pattern");
  return line;
}

int schema_main(const GivenOptions& given) {
  const std::string& what = given.operands().front();
  const std::vector<std::string> known = {"sweep", "pattern"};
  if (!is_among(known, what)) {
    throw UsageError("there is no schema of '{}'; {}", what,
                     suggest(what, known, "there are those of"));
  }
  write_result(given_output(given), what == "sweep" ? sweep_schema() : pattern_schema());
  return exit_done;
}

}  // namespace

const Command schema_command = {
    "schema", "write the JSON Schema of sweeps or patterns, for editors", schema_line, schema_main};

}  // namespace sweep
