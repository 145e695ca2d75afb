#include "engine/jit/nvrtc.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/landlock.h>
#include <nvrtc.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <future>
#include <set>
#include <system_error>
#include <utility>

#include "engine/jit/prelude.h"
#include "engine/spec/included_files.h"
#include "engine/system/dynamic_library.h"
#include "engine/system/file_descriptor.h"

namespace sweep {

bool has_file_sandbox() {
  static const bool has_it =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
  return has_it;
}

namespace {

constexpr std::uint64_t reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
/// What the first version of Landlock knows.
constexpr std::uint64_t everything =
    reading | LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
    LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

[[noreturn]] void fail(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

/// From now on this thread, and those it starts, open files of these folders for reading and no
/// others; folders that are not there are left out. It cannot be undone. Does nothing where there
/// is no sandbox; throws std::system_error where the kernel refuses it.
void restrict_thread_to(const std::vector<std::filesystem::path>& folders) {
  if (!has_file_sandbox()) return;
  landlock_ruleset_attr handled = {};
  handled.handled_access_fs = everything;
  const FileDescriptor rules(static_cast<int>(
      syscall(SYS_landlock_create_ruleset, &handled, sizeof handled.handled_access_fs, 0)));
  if (!rules) fail("landlock_create_ruleset");
  for (const std::filesystem::path& folder : folders) {
    const FileDescriptor opened(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!opened) continue;
    landlock_path_beneath_attr rule = {};
    rule.allowed_access = reading;
    rule.parent_fd = opened.get();
    if (syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
      fail("landlock_add_rule");
    }
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("prctl");
  if (syscall(SYS_landlock_restrict_self, rules.get(), 0) != 0) fail("landlock_restrict_self");
}

}  // namespace

std::string with_header_names(std::string text, std::size_t offset,
                              const std::vector<IncludeName>& names) {
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (name->offset < offset || name->offset + name->length > offset + text.size()) continue;
    const std::size_t place = name->offset - offset;
    if (text[place] != '"' && text[place] != '<') continue;
    text.replace(place, name->length, '"' + name->target + '"');
  }
  return text;
}

std::string why_open(std::string_view source, const std::vector<SourceHeader>& headers) {
  std::set<std::string_view> names;
  std::vector<std::string_view> texts = {source};
  for (const SourceHeader& header : headers) {
    names.insert(header.name);
    texts.push_back(header.text);
  }
  for (const std::string_view text : texts) {
    for (const IncludeSite& site : find_include_sites(text)) {
      const std::string& name = site.name;
      if (site.kind != IncludeSite::Kind::quoted && site.kind != IncludeSite::Kind::angled) {
        return "it could make the compiler open a file whose name it does not say";
      }
      if (names.contains(name)) continue;
      if (leads_out(name)) return fmt::format("it includes {} from outside", name);
      // These headers of the toolkit make the names of what they include out of macros that a
      // pattern can define.
      const bool includes_by_macro = name.starts_with("thrust/") || name.starts_with("cub/");
      if (includes_by_macro && !has_file_sandbox()) {
        return fmt::format(
            "{} includes what macros name, for which this kernel has no sandbox (Landlock)", name);
      }
    }
  }
  return {};
}

namespace {

/// Loads the library of built-in functions that lies beside NVRTC, which itself looks for it by
/// name alone: where the system's search does not know the toolkit, a loaded one is found.
void open_builtins(const std::filesystem::path& nvrtc) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(nvrtc.parent_path(), error)) {
    if (entry.path().filename().string().starts_with("libnvrtc-builtins.so.")) {
      DynamicLibrary::open(entry.path().string());
    }
  }
}

/// A library of NVRTC, where it lies, and its version.
struct OpenedNvrtc {
  DynamicLibrary library;
  std::filesystem::path file;
  std::string version;
};

/// The first that is new enough.
OpenedNvrtc open_library() {
  const std::vector<std::string> candidates =
      library_candidates({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"});
  std::vector<std::string> problems;
  std::optional<LibraryError> too_old;
  for (const std::string& candidate : candidates) {
    const auto library = DynamicLibrary::open_first({candidate}, problems);
    if (!library) continue;
    try {
      auto* const get_version = library->function<decltype(::nvrtcVersion)>("nvrtcVersion");
      std::filesystem::path file =
          DynamicLibrary::file_of(reinterpret_cast<const void*>(get_version));
      int major = 0;
      int minor = 0;
      get_version(&major, &minor);
      require_supported_version(file, major, minor);
      return {*library, std::move(file), fmt::format("NVRTC {}.{}", major, minor)};
    } catch (const LibraryError& error) {
      if (!too_old) too_old = error;
    }
  }
  if (too_old) throw LibraryError(*too_old);
  std::vector<std::string> homes;
  for (const std::filesystem::path& home : cuda_homes()) {
    if (std::ranges::find(homes, home.string()) == homes.end()) homes.push_back(home.string());
  }
  throw LibraryError(
      problems.empty()
          ? fmt::format(
                "the run-time compiler libnvrtc was not found on the system's paths, beside "
                "the program, or in:\n  {}\n"
                "Install the CUDA Toolkit 12.4 or newer: of NVIDIA's packages cuda-nvrtc-* "
                "and cuda-cudart-dev-* suffice, with pip nvidia-cuda-nvrtc, "
                "nvidia-cuda-runtime and nvidia-cuda-cccl; or set SWEEP_CUDA_HOME to its "
                "folder",
                fmt::join(homes, "\n  "))
          : fmt::format("the run-time compiler libnvrtc cannot be loaded:\n  {}\n"
                        "SWEEP_CUDA_HOME says which CUDA Toolkit to use; 12.4 or newer is needed",
                        fmt::join(problems, "\n  ")));
}

/// The name of the source. The library searches the folder of that name first, or else the current
/// one: below a device there can be none.
constexpr const char* source_name = "/dev/null/generated";

/// The folders of the toolkit's headers and libraries; where headers are links, also those that
/// they lead to.
std::vector<std::filesystem::path> readable_folders(const std::vector<std::string>& options,
                                                    const std::filesystem::path& library) {
  constexpr std::string_view option = "--include-path=";
  std::vector<std::filesystem::path> folders = {library.parent_path()};
  for (const std::string& text : options) {
    if (!text.starts_with(option)) continue;
    const std::filesystem::path folder = text.substr(option.size());
    folders.push_back(folder);
    for (const char* header : {"cuda_fp16.h", "cuda/std/version", "cuda/barrier", "nv/target"}) {
      std::error_code error;
      const auto target = std::filesystem::canonical(folder / header, error);
      if (!error) folders.push_back(target.parent_path());
    }
  }
  return folders;
}

}  // namespace

struct Nvrtc::Functions {
  DynamicLibrary library;

// NOLINTBEGIN(bugprone-macro-parentheses): a member's name
#define SWEEP_NVRTC(NAME) \
  decltype(&::nvrtc##NAME) NAME = library.function<decltype(::nvrtc##NAME)>("nvrtc" #NAME)
  SWEEP_NVRTC(GetErrorString);
  SWEEP_NVRTC(GetNumSupportedArchs);
  SWEEP_NVRTC(GetSupportedArchs);
  SWEEP_NVRTC(CreateProgram);
  SWEEP_NVRTC(DestroyProgram);
  SWEEP_NVRTC(CompileProgram);
  SWEEP_NVRTC(AddNameExpression);
  SWEEP_NVRTC(GetLoweredName);
  SWEEP_NVRTC(GetProgramLogSize);
  SWEEP_NVRTC(GetProgramLog);
  SWEEP_NVRTC(GetPTXSize);
  SWEEP_NVRTC(GetPTX);
  SWEEP_NVRTC(GetCUBINSize);
  SWEEP_NVRTC(GetCUBIN);
#undef SWEEP_NVRTC
  // NOLINTEND(bugprone-macro-parentheses)

  void check(nvrtcResult result, const char* call) const {
    if (result == NVRTC_SUCCESS) return;
    const auto file = DynamicLibrary::file_of(reinterpret_cast<const void*>(GetErrorString));
    throw LibraryError(
        fmt::format("{} failed: {} ({})", call, GetErrorString(result), file.string()));
  }
  NvrtcResult compile(const ProgramSource& source) const;
};

void require_supported_version(const std::filesystem::path& file, int major, int minor) {
  if (std::pair(major, minor) >= std::pair(12, 4)) return;
  throw LibraryError(fmt::format(
      "{} is NVRTC {}.{}, but 12.4 or newer is needed: set SWEEP_CUDA_HOME to the folder "
      "of a newer CUDA toolkit",
      file.string(), major, minor));
}

Nvrtc::Nvrtc() {
  OpenedNvrtc opened = open_library();
  file_ = std::move(opened.file);
  version_ = std::move(opened.version);
  open_builtins(file_);
  functions_.reset(new Functions{opened.library});
  int count = 0;
  functions_->check(functions_->GetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs");
  architectures_.resize(static_cast<std::size_t>(count));
  functions_->check(functions_->GetSupportedArchs(architectures_.data()), "nvrtcGetSupportedArchs");
  std::ranges::sort(architectures_);
}

Nvrtc::~Nvrtc() = default;

NvrtcResult Nvrtc::compile(const ProgramSource& source) {
  const std::vector<std::filesystem::path> readable = readable_folders(source.options, file_);
  // In a thread of its own, which loses its other files for good.
  const auto compile_restricted = [&] {
    restrict_thread_to(readable);
    return functions_->compile(source);
  };
  return std::async(std::launch::async, compile_restricted).get();
}

NvrtcResult Nvrtc::Functions::compile(const ProgramSource& source) const {
  std::vector<const char*> header_texts;
  std::vector<const char*> header_names;
  for (const Header& header : provided_headers()) {
    const bool is_replaced =
        std::ranges::find(source.headers, header.name, &SourceHeader::name) != source.headers.end();
    if (is_replaced) continue;
    header_texts.push_back(header.text);
    header_names.push_back(header.name);
  }
  for (const SourceHeader& header : source.headers) {
    header_texts.push_back(header.text.c_str());
    header_names.push_back(header.name.c_str());
  }
  nvrtcProgram handle = nullptr;
  check(CreateProgram(&handle, source.text.c_str(), source_name,
                      static_cast<int>(header_names.size()), header_texts.data(),
                      header_names.data()),
        "nvrtcCreateProgram");
  const auto destroy = [&](nvrtcProgram program) { DestroyProgram(&program); };
  const std::unique_ptr<_nvrtcProgram, decltype(destroy)> owner(handle, destroy);
  for (const std::string& expression : source.name_expressions) {
    check(AddNameExpression(handle, expression.c_str()), "nvrtcAddNameExpression");
  }
  std::vector<const char*> arguments;
  for (const std::string& option : source.options) arguments.push_back(option.c_str());
  const nvrtcResult status =
      CompileProgram(handle, static_cast<int>(arguments.size()), arguments.data());
  if (status == NVRTC_ERROR_INVALID_OPTION) check(status, "nvrtcCompileProgram");

  const auto get = [&](auto* get_size, auto* get_bytes, const char* call) {
    std::size_t size = 0;
    check(get_size(handle, &size), call);
    std::string bytes(size, '\0');
    if (size > 0) check(get_bytes(handle, bytes.data()), call);
    return bytes;
  };
  NvrtcResult result;
  result.log = get(GetProgramLogSize, GetProgramLog, "nvrtcGetProgramLog");
  result.log.resize(std::min(result.log.find('\0'), result.log.size()));
  if (status == NVRTC_ERROR_COMPILATION) return result;
  if (status != NVRTC_SUCCESS) {
    result.log = fmt::format("{}\n{}", GetErrorString(status), result.log);
    return result;
  }
  result.ptx = get(GetPTXSize, GetPTX, "nvrtcGetPTX");
  while (result.ptx.ends_with('\0')) result.ptx.pop_back();
  const std::string cubin = get(GetCUBINSize, GetCUBIN, "nvrtcGetCUBIN");
  result.cubin.assign(cubin.begin(), cubin.end());
  for (const std::string& expression : source.name_expressions) {
    const char* lowered = nullptr;
    check(GetLoweredName(handle, expression.c_str(), &lowered), "nvrtcGetLoweredName");
    result.lowered_names.emplace_back(lowered);
  }
  result.ok = true;
  return result;
}

}  // namespace sweep
