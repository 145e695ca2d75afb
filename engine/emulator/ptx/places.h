#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/emulator/ptx/lexer.h"
#include "engine/emulator/ptx/module.h"

namespace sweep::ptx {

/// The call chains of one function's instructions. A compiler prints the `.loc` of an inlined
/// instruction with the inlined function and the place of the call, and before it the `.loc` of
/// that call: the latest `.loc` of a place tells how the place itself came to be there. Functions
/// made from one template are called from one place by each other, so a `.loc` that goes back to
/// a function of the current chain, called from the same place as there, means that one.
class Places {
 public:
  /// `chains` gets the empty chain as its first.
  explicit Places(std::vector<CallChain>& chains);

  /// Reads what follows `.loc`, and gives the index of the chain of the instructions behind it.
  /// A chain names the 64 innermost places.
  std::uint32_t read(Lexer& lexer);

 private:
  /// The function that a place was inlined with: a label and an offset of debug information.
  struct Inlinee {
    std::string_view label;
    std::int64_t offset = 0;
    friend bool operator==(const Inlinee&, const Inlinee&) = default;
  };
  /// The first place of a chain, and the chain of the rest.
  struct Link {
    Place place;
    Inlinee inlinee;
    std::uint32_t caller = 0;
    friend bool operator==(const Link&, const Link&) = default;
  };
  struct Hash {
    std::size_t operator()(const Place& place) const;
    std::size_t operator()(const Link& link) const;
  };

  std::uint32_t find_caller(const Inlinee& inlinee, const Place& call);
  std::uint32_t find_or_add(const Link& link);

  std::vector<CallChain>& chains_;
  std::vector<Link> links_;  ///< of each chain
  std::unordered_map<Link, std::uint32_t, Hash> chain_of_link_;
  std::unordered_map<Place, std::uint32_t, Hash> latest_;
  std::uint32_t current_ = 0;
};

}  // namespace sweep::ptx
