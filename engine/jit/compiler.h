#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/jit/nvrtc.h"
#include "engine/jit/translation_unit.h"
#include "engine/spec/pattern.h"
#include "engine/text/diagnostic.h"

namespace sweep {

/// A configuration as a program that a backend can load.
struct CompiledConfiguration {
  std::shared_ptr<const Program> program;
  EntryNames entries;
  Diagnostics warnings;
  /// Its pattern's reference, where there is one.
  std::shared_ptr<const CompiledConfiguration> reference = {};
};

/// A configuration that does not compile.
struct CompileFailure {
  Diagnostics errors;
  bool gave_up = false;  ///< for want of time or memory, or by a crash; not for a mistake
};

using CompileOutcome = std::variant<CompiledConfiguration, CompileFailure>;

/// Compiles configurations for one architecture. Safe to use from several threads.
class Compiler {
 public:
  /// `compute_capability` is major * 10 + minor. Where NVRTC does not know it, programs carry PTX
  /// alone, for the newest architecture below it.
  Compiler(std::shared_ptr<Nvrtc> nvrtc, int compute_capability);

  /// The outcome of each configuration, in order. Configurations of one pattern whose options are
  /// the same share a program; one that does not compile is divided until those that fail are
  /// alone, so that their messages are their own. Where all of them compile then, the pattern's
  /// further configurations are compiled alone. References are compiled with the first that need
  /// them, in programs of their own. `programs` compiles in the place of NVRTC.
  std::vector<CompileOutcome> compile(std::span<const Configuration> configurations,
                                      ProgramCompiler* programs = nullptr) const;

  /// Everything besides the configuration that decides an outcome.
  const std::string& identity() const { return identity_; }

  /// How many configurations were compiled alone because together they do not compile, by their
  /// patterns' files.
  std::map<std::string, std::size_t> compiled_alone() const;

 private:
  /// Configurations of one pattern with the same options.
  struct Batch {
    std::span<const Configuration> configurations;
    const std::vector<std::string>& options;
  };
  /// What is known of a pattern's configurations: how many were compiled alone, and whether they
  /// have to be.
  struct Alone {
    std::size_t configurations = 0;
    bool is_needed = false;
  };

  std::vector<std::string> options_for(const Configuration& configuration) const;
  void add_references(std::span<const Configuration> configurations, ProgramCompiler* programs,
                      std::vector<CompileOutcome>& outcomes) const;
  void compile_program(const Batch& batch, ProgramCompiler& programs,
                       std::vector<CompileOutcome>& outcomes) const;
  NvrtcResult run(const ProgramSource& source, const Pattern& pattern,
                  ProgramCompiler& programs) const;
  void divide(const Batch& batch, bool is_mistake, ProgramCompiler& programs,
              std::vector<CompileOutcome>& outcomes) const;
  bool must_be_alone(const PatternPtr& pattern) const;

  std::shared_ptr<Nvrtc> nvrtc_;
  int compute_capability_;
  std::vector<std::string> options_;
  std::filesystem::path toolkit_;  ///< its headers; empty where there are none
  std::string identity_;
  mutable std::mutex mutex_;
  mutable std::map<PatternPtr, Alone> alone_;
  mutable std::mutex references_mutex_;  ///< over what follows; held while references are compiled
  mutable std::map<std::pair<PatternPtr, std::string>, CompileOutcome> references_;
};

/// The compiler's log as diagnostics that point into the pattern and the files that it includes, as
/// far as they can: an error elsewhere keeps the compiler's own place in its text, and is left out
/// where it follows from others. So are warnings that are not about the pattern's file, remarks and
/// repetitions. `ptx` is what the assembler was given, with its places; without it, errors of the
/// assembler have none.
Diagnostics read_compiler_log(std::string_view log, const Pattern& pattern,
                              std::string_view ptx = {});

/// The same messages, of which those about what the header says of kernels and structs are in its
/// terms: which argument has which type, how to choose among overloads, how large a struct is.
Diagnostics explain_header_mistakes(const Diagnostics& found, const Pattern& pattern);

/// Whether errors in the log have a place in the PTX.
bool needs_ptx(std::string_view log);

}  // namespace sweep
