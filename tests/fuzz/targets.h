#pragma once

#include <string_view>

/// The readers of files from strangers, each as a function of the file's bytes. One that refuses
/// them with the error that its header documents returns; anything else that happens is a find:
/// another exception, a crash, undefined behaviour, a hang, memory without end.
namespace sweep::fuzz {

/// A pattern's file: it is read, and of what is a pattern the default configuration is enumerated
/// and its translation unit written.
void read_pattern(std::string_view bytes);

/// A sweep's file on the shipped patterns, its first lines `#set NAME=VALUES` being overrides: it
/// is read, and part of its space is enumerated.
void read_sweep(std::string_view bytes);

/// Lines of expressions: each is parsed, checked, and evaluated in both ways that there are, which
/// have to agree. A line is also read as the numbers and sizes that texts of files hold.
void evaluate_expressions(std::string_view bytes);

/// PTX: every kernel is lowered, and a block of it executed for some thousand instructions.
void run_ptx(std::string_view bytes);

/// Recorded results: T4 files and Kernel Tuner's caches.
void read_recorded_results(std::string_view bytes);

/// A results database: the file itself, or edits of a valid one (see database_edits.h). It is read,
/// every report is written from it, and it is brought up to date.
void read_database(std::string_view bytes);

/// A file of the compile cache; the checksum of its header is put right. What it holds is read as
/// machine code too.
void read_compiled_program(std::string_view bytes);

}  // namespace sweep::fuzz
