#pragma once

#include <string>
#include <string_view>

namespace sweep {

/// A share in percent with two digits or so: 0.12 is "12", 0.034 "3.4", 0.0025 "0.25".
std::string percent_text(double share);

/// How far one figure is from another, where it is `factor` times it, at least 1: "12 % slower" for
/// 1.12, and from 2 on "2.1 times slower".
std::string describe_factor(double factor, std::string_view word);

}  // namespace sweep
