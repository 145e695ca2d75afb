#include "engine/spec/cuda_words.h"

#include <algorithm>
#include <optional>

#include "engine/text/characters.h"

namespace sweep {
namespace {

constexpr int deepest_macros = 16;  // of macros in each other

constexpr std::string_view host_words =
    " FILE argv basic_string cerr cin cout cublas endl errno exit fclose fflush fgets fopen "
    "fprintf fread fscanf fstream fwrite getenv getopt gettimeofday ifstream invalid_argument "
    "istream istringstream make_shared make_unique malloc ofstream ostream ostringstream "
    "runtime_error srand stderr stdin stdout string stringstream strcasecmp strncasecmp strtok "
    "system_clock throw timeval vector ";

constexpr std::string_view host_functions =
    " abort atof atoi atol fputs perror puts rand scanf sprintf snprintf sscanf strcat strchr "
    "strcmp strcpy strlen strncmp strncpy strrchr strstr strtod strtol strtoul system time "
    "to_string ";

constexpr std::string_view host_templates =
    " deque function list map queue set shared_ptr stack unique_ptr unordered_map unordered_set ";

void note_definition(const Directive& directive, Macros& macros) {
  const std::string name = defined_macro(directive);
  if (name.empty()) return;
  Macro& macro = macros[name];
  const std::string code = blank_non_code(directive.text);
  const std::string_view rest = std::string_view(code).substr(code.find(name) + name.size());
  add_words(rest, macro.words);
  std::vector<std::string_view> tokens = cuda_tokens(rest);
  std::erase(tokens, "\\");
  if (!rest.starts_with('(')) return;
  const std::size_t begin = after_matching(tokens, 0, ")").value_or(tokens.size());
  if (begin == tokens.size()) return;
  macro.ends_item = tokens.back() == ";" || tokens.back() == "}";
  macro.is_instantiation = tokens[begin] == "template" && !has_at(tokens, begin + 1, "<");
  macro.first = tokens[begin];
  macro.is_call = has_at(tokens, begin + 1, "(") && !is_attribute(macro.first);
}

}  // namespace

void add_words(std::string_view code, WordSet& words) {
  for (std::size_t at = 0; at < code.size();) {
    const std::string_view word = word_at(code, at);
    if (!word.empty() && !is_digit(word.front())) words.emplace(word);
    at += std::max<std::size_t>(word.size(), 1);
  }
}

void add_introduced(std::string_view code, WordSet& words) {
  constexpr std::string_view introducing =
      " class concept enum namespace struct typename union using ";
  const std::vector<std::string_view> all = cuda_tokens(code);
  const CudaTokens tokens = all;
  for (std::size_t at = 1; at < tokens.size(); ++at) {
    const bool is_scope = has_at(tokens, at + 1, ":") && has_at(tokens, at + 2, ":");
    const bool is_used = at > 1 && tokens[at - 2] == "using";  // a namespace
    if (!is_name_token(tokens[at]) || is_scope || is_used) continue;
    if (is_in_list(introducing, tokens[at - 1])) words.emplace(tokens[at]);
  }
}

std::vector<Extent> lambda_marks(std::string_view code) {
  const std::vector<std::string_view> all = cuda_tokens(code);
  const CudaTokens tokens = all;
  const auto offset_of = [&](std::size_t at) {
    return static_cast<std::size_t>(tokens[at].data() - code.data());
  };
  std::vector<Extent> marks;
  for (std::size_t at = 1; at < tokens.size(); ++at) {
    if (tokens[at - 1] != "]") continue;
    std::size_t end = at;
    while (has_at(tokens, end, "__device__") || has_at(tokens, end, "__host__")) ++end;
    if (end > at && has_at(tokens, end, "(")) marks.push_back({offset_of(at), offset_of(end)});
  }
  return marks;
}

bool marks_device(std::string_view word) {
  return is_in_list(" __global__ __device__ __constant__ __managed__ constexpr consteval ", word);
}

bool is_attribute(std::string_view word) {
  return (word.starts_with("__") && word.ends_with("__")) || word == "__declspec" ||
         word == "__restrict" || word == "__inline";
}

bool is_builtin_type(std::string_view word) {
  return is_in_list(" auto bool char double float int long short signed unsigned void ", word);
}

bool is_host_word(std::string_view word, std::string_view next) {
  // cudaMalloc(, but not cudaTextureObject_t
  constexpr std::string_view runtime = "cuda";
  const bool is_of_runtime = word.starts_with(runtime) && word.size() > runtime.size() &&
                             word[4] != '_' && to_capital(word[4]) == word[4];
  return is_in_list(host_words, word) || word.starts_with("cublas") || word.starts_with("cudnn") ||
         (next == "(" && (is_of_runtime || is_in_list(host_functions, word))) ||
         (next == "<" && is_in_list(host_templates, word));
}

Macros macros_of(const std::vector<std::string_view>& files) {
  Macros macros;
  for (const std::string_view text : files) {
    for (const Directive& directive : find_directives(text)) note_definition(directive, macros);
  }
  for (int depth = 0; depth < deepest_macros; ++depth) {
    for (auto& [name, macro] : macros) {
      const auto first = macros.find(macro.first);
      if (first == macros.end()) continue;
      macro.is_instantiation |= first->second.is_instantiation;
      macro.is_call = first->second.is_call;
    }
  }
  return macros;
}

WordSet device_macros(const Macros& macros) {
  WordSet found;
  for (int depth = 0; depth < deepest_macros; ++depth) {
    const std::size_t before = found.size();
    for (const auto& [name, macro] : macros) {
      const bool is_one = std::ranges::any_of(macro.words, [&](const std::string& word) {
        return marks_device(word) || found.contains(word);
      });
      if (is_one) found.insert(name);
    }
    if (found.size() == before) break;
  }
  return found;
}

}  // namespace sweep
