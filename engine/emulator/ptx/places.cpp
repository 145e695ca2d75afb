#include "engine/emulator/ptx/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "engine/emulator/ptx/constant.h"

namespace sweep::ptx {
namespace {

constexpr std::size_t longest_chain = 64;

Place read_place(Lexer& lexer) {
  constexpr std::uint32_t any = std::numeric_limits<std::uint32_t>::max();
  const auto read = [&](std::uint32_t last, std::string_view what) {
    const Token token = lexer.current();
    // A literal, not an expression: no comma stands between the three numbers.
    const Constant constant = read_literal(lexer);
    if (constant.kind != Constant::Kind::integer || constant.bits > last) {
      Lexer::fail_at(token, fmt::format("{} is not from 0 to {}", what, last));
    }
    return static_cast<std::uint32_t>(constant.bits);
  };
  Place place;
  place.file = read(last_file, "a file");
  place.line = read(any, "a line");
  place.column = read(any, "a column");
  return place;
}

}  // namespace

Places::Places(std::vector<CallChain>& chains) : chains_(chains), links_(1) {
  chains_.assign(1, CallChain{});
}

std::uint32_t Places::read(Lexer& lexer) {
  Link link;
  link.place = read_place(lexer);
  std::optional<Place> call;
  while (lexer.accept(',')) {
    const std::string_view attribute = lexer.take_word("'function_name' or 'inlined_at'");
    if (attribute == "function_name") {
      link.inlinee.label = lexer.take_word("a label");
      link.inlinee.offset = read_offset(lexer);
    } else if (attribute == "inlined_at") {
      call = read_place(lexer);
    } else {
      lexer.fail(fmt::format("'{}' is not an attribute of a place", attribute));
    }
  }
  if (call) link.caller = find_caller(link.inlinee, *call);
  current_ = find_or_add(link);
  latest_[link.place] = current_;
  return current_;
}

std::uint32_t Places::find_caller(const Inlinee& inlinee, const Place& call) {
  std::uint32_t chain = current_;
  for (std::size_t step = 0; step < longest_chain && chain != 0; ++step) {
    const Link& link = links_[chain];
    if (link.inlinee == inlinee && link.caller != 0 && links_[link.caller].place == call) {
      return link.caller;
    }
    chain = link.caller;
  }
  const auto known = latest_.find(call);
  if (known != latest_.end()) return known->second;
  Link outermost;
  outermost.place = call;
  return find_or_add(outermost);
}

std::uint32_t Places::find_or_add(const Link& link) {
  const auto [found, is_new] =
      chain_of_link_.try_emplace(link, static_cast<std::uint32_t>(chains_.size()));
  if (is_new) {
    CallChain chain = {link.place};
    const CallChain& outer = chains_[link.caller];
    const std::size_t length = std::min(outer.size(), longest_chain - 1);
    chain.insert(chain.end(), outer.begin(),
                 outer.begin() + static_cast<CallChain::difference_type>(length));
    chains_.push_back(std::move(chain));
    links_.push_back(link);
  }
  return found->second;
}

std::size_t Places::Hash::operator()(const Place& place) const {
  constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;
  std::uint64_t hash = (std::uint64_t{place.file} << 32 | place.line) * factor;
  hash = (hash ^ (hash >> 29) ^ place.column) * factor;
  return static_cast<std::size_t>(hash ^ (hash >> 32));
}

std::size_t Places::Hash::operator()(const Link& link) const {
  constexpr std::size_t factor = 0xD1B54A32D192ED03;
  const std::size_t rest = std::hash<std::string_view>{}(link.inlinee.label) + link.caller;
  return ((*this)(link.place) ^ rest) * factor;
}

}  // namespace sweep::ptx
