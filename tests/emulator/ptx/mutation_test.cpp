#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include "engine/emulator/ptx/module.h"
#include "tests/emulator/ptx/samples.h"

namespace sweep::ptx::mutation_test {
namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t limit) {
  return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

/// What breaks a reader more often than a random byte.
constexpr std::string_view pieces[] = {"{",
                                       "}",
                                       "(",
                                       ")",
                                       "[",
                                       "]",
                                       "<",
                                       ">",
                                       ";",
                                       ",",
                                       ":",
                                       "::",
                                       ".",
                                       "|",
                                       "!",
                                       "@",
                                       "-",
                                       "/*",
                                       "\"",
                                       "//",
                                       "%r1",
                                       ".reg .b32 %r<4000000000>;",
                                       "18446744073709551615",
                                       "-9223372036854775808",
                                       "0x",
                                       "[4294967296][4294967296]",
                                       "{{{{{{{{",
                                       "((((((((",
                                       ".loc 1 2 3, inlined_at 1 2 3\n",
                                       "/-1",
                                       "/0",
                                       ".branchtargets",
                                       "call",
                                       ".align 0",
                                       "= {",
                                       "\\",
                                       "\n",
                                       "generic(",
                                       "0xFF(",
                                       "_"};

void mutate(std::string& text, Random& random) {
  const std::size_t at = below(random, text.size());
  const std::size_t length = 1 + below(random, std::size_t{1} << below(random, 9));
  switch (below(random, 7)) {
    case 0:
      text[at] = static_cast<char>(text[at] ^ (1 << below(random, 8)));
      break;
    case 1:
      text[at] = static_cast<char>(below(random, 256));
      break;
    case 2:
      text.erase(at, length);
      break;
    case 3:
      text.insert(below(random, text.size()), text.substr(at, length));
      break;
    case 4:
      text.insert(at, pieces[below(random, std::size(pieces))]);
      break;
    case 5: {  // a piece of the text in place of another
      const std::string piece = text.substr(below(random, text.size()), length);
      text.replace(at, length, piece);
      break;
    }
    default:
      if (below(random, 8) == 0) text.resize(at);
      break;
  }
  if (text.empty()) text = " ";
}

/// Seconds to spend: two, or what SWEEP_FUZZ_SECONDS says.
double seconds_to_spend() {
  const char* const text = std::getenv("SWEEP_FUZZ_SECONDS");
  return text == nullptr ? 2 : std::atof(text);
}

BOOST_AUTO_TEST_CASE(broken_text_is_read_or_refused) {
  const auto& samples = testing::samples();
  const double seconds = seconds_to_spend();
  const auto start = std::chrono::steady_clock::now();
  // The texts are the same in each run; how many there are depends on the machine's speed.
  std::size_t read = 0;
  std::size_t refused = 0;
  for (std::uint64_t seed = 1;; ++seed) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (elapsed.count() > seconds) break;
    Random random(seed);
    std::string text = samples[below(random, samples.size())].text;
    for (std::size_t i = 1 + below(random, 4); i > 0; --i) mutate(text, random);
    try {
      testing::read_everything(text);
      ++read;
    } catch (const SyntaxError& error) {
      ++refused;
      if (error.line() == 0 || std::string_view(error.what()).empty()) {
        BOOST_ERROR("seed " << seed << ": an error without a line or a message");
      }
    } catch (const std::exception& error) {
      BOOST_ERROR("seed " << seed << ": " << error.what());
    }
  }
  BOOST_TEST_MESSAGE(read << " texts read, " << refused << " refused");
  BOOST_TEST(read > 10u);
  BOOST_TEST(refused > 10u);
}

}  // namespace
}  // namespace sweep::ptx::mutation_test
