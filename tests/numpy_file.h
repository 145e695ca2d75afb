#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace sweep {

/// The bytes of numbers, as memory has them.
template <class Number>
std::string bytes_in(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

/// A .npy file as NumPy writes it: "'<f4'", "(2, 3)". `padding` is what the array's place is a
/// multiple of.
inline std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                       int version = 1, const std::string& fortran_order = "False",
                       std::size_t padding = 64) {
  std::string header =
      "{'descr': " + descr + ", 'fortran_order': " + fortran_order + ", 'shape': " + shape + ", }";
  const std::size_t before = version == 1 ? 10 : 12;
  while ((before + header.size() + 1) % padding != 0) header += ' ';
  header += '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (std::size_t i = 0; i < before - 8; ++i) {
    file += static_cast<char>(header.size() >> (8 * i) & 0xff);
  }
  return file + header + data;
}

}  // namespace sweep
