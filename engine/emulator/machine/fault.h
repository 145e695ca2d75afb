#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace sweep {

/// A place in the source that a kernel was compiled from. Line 0: unknown.
struct FaultPlace {
  std::string file;
  std::uint32_t line = 0;
};

enum class FaultKind : std::uint8_t {
  misuse,
  deadlock,
  runaway,  ///< it took more instructions than it may
};

/// The launch was cancelled from outside.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("the launch was cancelled") {}
};

/// A kernel that did what a GPU would stop it for, or what no kernel may do: the message names the
/// thread, the source line and the access, and stands alone.
class KernelFault : public std::runtime_error {
 public:
  explicit KernelFault(const std::string& message)
      : std::runtime_error(message), message_(message) {}
  /// The message says where in its own words.
  KernelFault(FaultKind kind, FaultPlace place, const std::string& message)
      : std::runtime_error(message), kind_(kind), place_(std::move(place)), message_(message) {}
  /// `where` describes the place; the whole message is "where: message".
  KernelFault(FaultPlace place, const std::string& where, const std::string& message)
      : std::runtime_error(where + ": " + message), place_(std::move(place)), message_(message) {}

  FaultKind kind() const { return kind_; }
  const FaultPlace& place() const { return place_; }
  /// What happened, without `where`.
  const std::string& message() const { return message_; }

 private:
  FaultKind kind_ = FaultKind::misuse;
  FaultPlace place_;
  std::string message_;
};

}  // namespace sweep
