#include "engine/text/units.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <ostream>
#include <vector>

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(units)

namespace {

template <class Input>
struct Row {
  Input input;
  std::string expected;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.input; }
};

constexpr std::uint64_t Ki = 1024;
constexpr std::uint64_t Mi = 1024 * Ki;
constexpr std::uint64_t Gi = 1024 * Mi;
constexpr double infinity = std::numeric_limits<double>::infinity();

const std::vector<Row<std::uint64_t>> bytes = {
    {0, "0 B"},
    {1, "1 B"},
    {1023, "1023 B"},
    {1024, "1 KiB"},
    {1075, "1 KiB"},
    {1076, "1.1 KiB"},
    {1536, "1.5 KiB"},
    {1023 * Ki, "1023 KiB"},
    {1023 * Ki + 972, "1023.9 KiB"},
    {1023 * Ki + 973, "1 MiB"},
    {Mi - 1, "1 MiB"},
    {Mi, "1 MiB"},
    {Mi + 1, "1 MiB"},
    {50 * Mi, "50 MiB"},
    {Gi - 1, "1 GiB"},
    {Gi, "1 GiB"},
    {80 * Gi, "80 GiB"},
    {Ki * Gi, "1 TiB"},
    {Mi * Gi, "1 PiB"},
    {Gi * Gi, "1 EiB"},
    {std::numeric_limits<std::uint64_t>::max(), "16 EiB"},
};

const std::vector<Row<std::int64_t>> counts = {
    {0, "0"},
    {1, "1"},
    {48, "48"},
    {1023, "1023"},
    {1024, "1 Ki"},
    {1025, "1025"},
    {1536, "1536"},
    {48 * 1024, "48 Ki"},
    {1048576, "1 Mi"},
    {1048576 + 1024, "1025 Ki"},
    {64 * 1048576, "64 Mi"},
    {std::int64_t{1} << 30, "1 Gi"},
    {std::int64_t{3} << 40, "3072 Gi"},
    {-1024, "-1 Ki"},
    {-1, "-1"},
    {std::numeric_limits<std::int64_t>::max(), "9223372036854775807"},
    {std::numeric_limits<std::int64_t>::min(), "-8589934592 Gi"},
};

const std::vector<Row<double>> durations = {
    {0, "0 ms"},           {0.0004, "0 ms"},    {0.35, "350 ms"},        {0.9994, "999 ms"},
    {0.9996, "1.0 s"},     {1, "1.0 s"},        {1.26, "1.3 s"},         {9.94, "9.9 s"},
    {9.96, "10 s"},        {12, "12 s"},        {59.4, "59 s"},          {59.6, "1 min 0 s"},
    {59.96, "1 min 0 s"},  {60, "1 min 0 s"},   {200, "3 min 20 s"},     {3599.4, "59 min 59 s"},
    {3599.7, "1 h 0 min"}, {3600, "1 h 0 min"}, {3629, "1 h 0 min"},     {3631, "1 h 1 min"},
    {7199, "2 h 0 min"},   {7500, "2 h 5 min"}, {360000, "100 h 0 min"}, {-0.35, "-350 ms"},
    {-90, "-1 min 30 s"},  {1e300, "unknown"},  {infinity, "unknown"},   {std::nan(""), "unknown"},
};

const std::vector<Row<double>> figures = {
    {0, "0"},
    {-0.0, "0"},
    {1, "1.000"},
    {0.5012, "0.5012"},
    {12.346, "12.35"},
    {4254.4, "4254"},
    {-4254.4, "-4254"},
    {-12.346, "-12.35"},
    {9.9994, "9.999"},
    {9.9996, "10.00"},
    {99.996, "100.0"},
    {999.94, "999.9"},
    {999.96, "1000"},
    {0.99996, "1.000"},
    {0.099996, "0.1000"},
    {-9.9996, "-10.00"},
    {9999.6, "10000"},
    {12345678, "12345678"},
    {999999999999999, "999999999999999"},
    {1e15, "1.000e+15"},
    {1.23456e20, "1.235e+20"},
    {-1.23456e20, "-1.235e+20"},
    {1.23456e-3, "0.001235"},
    {1.23456e-9, "0.000000001235"},
    {9.99e-10, "9.990e-10"},
    {1.23456e-13, "1.235e-13"},
    {5e-324, "4.941e-324"},
    {std::numeric_limits<double>::max(), "1.798e+308"},
    {infinity, "inf"},
    {-infinity, "-inf"},
    {std::nan(""), "nan"},
    {-std::nan(""), "nan"},
};

const std::vector<Row<std::uint64_t>> thousands = {
    {0, "0"},
    {999, "999"},
    {1000, "1,000"},
    {12345, "12,345"},
    {999999, "999,999"},
    {1000000, "1,000,000"},
    {std::numeric_limits<std::uint64_t>::max(), "18,446,744,073,709,551,615"},
};

const std::vector<Row<std::uint64_t>> points = {
    {0, "0 points"},
    {1, "1 point"},
    {2, "2 points"},
    {999, "999 points"},
    {12345, "12,345 points"},
    {std::numeric_limits<std::uint64_t>::max(), "18,446,744,073,709,551,615 points"},
};

struct Decimal {
  std::string text;
  double value;

  friend std::ostream& operator<<(std::ostream& out, const Decimal& row) {
    return out << "'" << row.text << "'";
  }
};

struct Bytes {
  std::string text;
  std::optional<std::uint64_t> value;

  friend std::ostream& operator<<(std::ostream& out, const Bytes& row) {
    return out << "'" << row.text << "'";
  }
};

const std::vector<Bytes> texts_of_bytes = {
    {"0", 0},
    {"1048576", Mi},
    {"256 Mi", 256 * Mi},
    {"256Mi", 256 * Mi},
    {" 256 MiB ", 256 * Mi},
    {"1.5 GiB", 1536 * Mi},
    {".5 Ki", 512},
    {"0.3 B", 0},
    {"10 B", 10},
    {"2 TiB", 2 * Ki* Gi},
    {"15 EiB", 15 * Gi* Gi},
    {"18446744073709551615", std::numeric_limits<std::uint64_t>::max()},
    {"18446744073709551616", std::nullopt},
    {"16 Ei", std::nullopt},
    {"16.0 Ei", std::nullopt},
    {"", std::nullopt},
    {"Mi", std::nullopt},
    {"i", std::nullopt},
    {"B", std::nullopt},
    {"-1", std::nullopt},
    {"1e3", std::nullopt},
    {"1 M", std::nullopt},
    {"1 MB", std::nullopt},
    {"1 mi", std::nullopt},
    {"1 Xi", std::nullopt},
    {"1.2.3", std::nullopt},
    {"50 %", std::nullopt},
    {"1 Gi and more", std::nullopt},
    {"lots", std::nullopt},
};

const std::vector<Decimal> decimals = {
    {"2", 2},     {"0", 0},         {"-3", -3},      {"0.5", 0.5},
    {".5", 0.5},  {"1e-3", 0.001},  {"1E3", 1000},   {"2.", 2},
    {"  7\t", 7}, {"0.5 %", 0.005}, {"0.5%", 0.005}, {"7 %", 0.07},
    {"100 %", 1}, {" 50 % ", 0.5},  {"-10%", -0.1},  {"0.1", 0.1},
};

}  // namespace

BOOST_DATA_TEST_CASE(bytes_take_the_largest_binary_unit, data::make(bytes), row) {
  BOOST_TEST(sweep::format_bytes(row.input) == row.expected);
}

BOOST_DATA_TEST_CASE(counts_are_exact, data::make(counts), row) {
  BOOST_TEST(sweep::format_count(row.input) == row.expected);
}

BOOST_DATA_TEST_CASE(durations_read_like_a_clock, data::make(durations), row) {
  BOOST_TEST(sweep::format_duration(row.input) == row.expected);
}

BOOST_DATA_TEST_CASE(figures_have_four_digits, data::make(figures), row) {
  BOOST_TEST(sweep::format_figure(row.input) == row.expected);
}

BOOST_AUTO_TEST_CASE(a_part_is_never_all) {
  struct Row {
    double share;
    const char* expected;
  };
  for (const Row& row :
       {Row{1, "100 %"}, Row{0.99999, "99 %"}, Row{0.25, "25 %"}, Row{0.0625, "6.2 %"},
        Row{0.07, "7 %"}, Row{0.00029, "0.029 %"}, Row{0, "0 %"}}) {
    BOOST_TEST(sweep::format_part(row.share) == row.expected);
  }
}

BOOST_DATA_TEST_CASE(thousands_are_set_apart, data::make(thousands), row) {
  BOOST_TEST(sweep::format_thousands(row.input) == row.expected);
}

BOOST_DATA_TEST_CASE(one_is_counted_without_a_plural, data::make(points), row) {
  BOOST_TEST(sweep::count_of(row.input, "point") == row.expected);
}

BOOST_DATA_TEST_CASE(bytes_are_read_with_binary_units, data::make(texts_of_bytes), row) {
  const std::optional<std::uint64_t> read = sweep::parse_bytes(row.text);
  BOOST_REQUIRE(read.has_value() == row.value.has_value());
  if (read) BOOST_TEST(*read == *row.value);
}

BOOST_DATA_TEST_CASE(decimals_are_the_nearest_double, data::make(decimals), row) {
  const auto value = sweep::parse_decimal(row.text);
  BOOST_REQUIRE(value.has_value());
  BOOST_TEST(*value == row.value);
}

BOOST_DATA_TEST_CASE(anything_else_is_no_decimal,
                     data::make({"", " ", "%", "abc", "1,5", "1.2.3", "1 2", "5 %%", "% 5", "5 s",
                                 "0x10", "inf", "-inf", "nan", "1e400", "1e", "--1", "1 Ki"}),
                     text) {
  BOOST_TEST(!sweep::parse_decimal(text).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
