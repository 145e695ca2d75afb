#pragma once

#include <string>
#include <string_view>

namespace sweep {

/// A text of any origin as a message shows it: no longer than a message can be (text_limits.h),
/// with how much is missing, and without what could steer a terminal.
std::string shown_message(std::string_view text);

}  // namespace sweep
