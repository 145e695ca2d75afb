#pragma once

#include <atomic>

namespace sweep {

/// From its first call on, SIGINT, SIGTERM and SIGHUP set the flag instead of ending the process; a
/// second one of any ends it at once. Those that the process was started to ignore, as nohup and a
/// shell's background do, stay ignored.
const std::atomic<bool>& stop_flag();

/// Signals end the process again, since all is done that they could cut short. Gives `code`, or
/// that of the signal that came meanwhile.
int code_after_watching(int code);

/// The exit code of a process that the flag made end: 128 and the signal's number.
int stopped_exit_code();

}  // namespace sweep
