#pragma once

#include <string_view>

namespace sweep {

/// The script that completes the program's command lines in "bash", "zsh" or "fish"; null for
/// other shells. It asks `sweep complete WORD...`, WORD being what stands between the program's
/// name and the cursor, which answers with a line that says what to do with files ("words",
/// "goes-on" for no space after the word, "files ENDING...", "files", "folders") and a line
/// "WORD<tab>MEANING" for each word there may be.
const char* completion_script(std::string_view shell);

}  // namespace sweep
