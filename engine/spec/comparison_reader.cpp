#include <fmt/format.h>

#include <algorithm>

#include "engine/spec/keys.h"
#include "engine/spec/pattern_header.h"
#include "engine/text/units.h"

namespace sweep {

std::optional<CudaExpression> read_cuda(const YamlNode& node, std::string_view what,
                                        Diagnostics& diagnostics) {
  const auto text = read_text(node, what, diagnostics);
  if (!text) return std::nullopt;
  if (text->find_first_not_of(" \t\r\n") == std::string::npos) {
    return diagnostics.error(node.where, fmt::format("'{}' is empty", what));
  }
  if (node.raw.empty()) return CudaExpression{*text, node.where};
  // Line breaks mean nothing to CUDA, and with them every message finds its line.
  CudaExpression cuda{node.raw, node.where};
  cuda.where.exact = true;
  return cuda;
}

std::optional<DataFile> read_data_keys(const MapReader& reader,
                                       const std::vector<std::string>& types,
                                       Diagnostics& diagnostics) {
  const YamlNode* name = reader.find("file");
  if (name == nullptr) return std::nullopt;
  DataFile file{reader.text("file"), name->where};
  const YamlNode* type = reader.find("type");
  if (type == nullptr) return file;
  file.raw_type = reader.text("type");
  const bool is_known = types.empty() || ElementType::find(file.raw_type) ||
                        std::ranges::find(types, file.raw_type) != types.end();
  if (!is_known) {
    diagnostics.error(type->where, fmt::format("'{}' is no type", file.raw_type),
                      suggest(file.raw_type, types, "the types are"));
  }
  return file;
}

namespace {

class ComparisonReader {
 public:
  ComparisonReader(const Pattern& pattern, bool has_reference, Diagnostics& diagnostics)
      : pattern_(pattern), has_reference_(has_reference), diagnostics_(diagnostics) {}

  std::optional<Verification> read(const std::string& buffer, const YamlNode& node,
                                   const std::vector<std::string>& types) {
    const MapReader reader(node, fmt::format("verify of '{}'", buffer), verify_keys, diagnostics_);
    Verification verification{buffer, {"", node.where}};
    const YamlNode* equals = reader.find("equals");
    const YamlNode* reference = reader.find("reference");
    verification.file = read_data_keys(reader, types, diagnostics_);
    const int given =
        (equals != nullptr ? 1 : 0) + (verification.file ? 1 : 0) + (reference != nullptr ? 1 : 0);
    if (reference != nullptr && !has_reference_) {
      return diagnostics_.error(
          reference->where, "the pattern has no reference to compare with",
          "reference: {kernel: plain_matmul, grid: ceil_div(M * N, 256), block: 256}");
    }
    if (given > 1 || (given == 0 && !has_reference_)) {
      return diagnostics_.error(
          node.where,
          fmt::format("verify of '{}' needs 'equals', 'file' or 'reference', and one alone",
                      buffer),
          "for example {equals: \"2 * i\", tolerance: {relative: 1e-5}}, or {file: out.npy, "
          "tolerance: ...}");
    }
    const auto declared = std::ranges::find(pattern_.buffers, buffer, &Buffer::name);
    const bool is_of_files =
        pattern_.declares(declared->type) || pattern_.may_declare(declared->type);
    if (is_of_files && pattern_.find_parameter(declared->type) == nullptr &&
        !ElementType::find(declared->type)) {
      return diagnostics_.error(
          node.where,
          fmt::format("'{}' is of the struct {}, and only numbers and vectors of them are compared",
                      buffer, declared->type),
          "write a condition about its members");
    }
    verification.tolerance = read_tolerance(reader);
    if (equals == nullptr && !verification.file) {
      verification.reference = reference != nullptr ? reader.text("reference") : buffer;
      if (reference != nullptr) verification.condition.where = reference->where;
      return verification;
    }
    if (verification.file) {
      verification.condition.where = verification.file->where;
      return verification;
    }
    auto value = read_cuda(*equals, "equals", diagnostics_);
    if (!value) return std::nullopt;
    verification.condition = std::move(*value);
    return verification;
  }

 private:
  Tolerance read_tolerance(const MapReader& comparison) {
    Tolerance tolerance;
    if (comparison.find("tolerance") == nullptr) return tolerance;
    const MapReader reader = comparison.map("tolerance", tolerance_keys);
    for (const Key& key : tolerance_keys) {
      const YamlNode* value = key.form == ValueForm::plain ? reader.find(key.name) : nullptr;
      auto cuda = value != nullptr ? read_cuda(*value, key.name, diagnostics_) : std::nullopt;
      if (!cuda) continue;
      check_bound(key.name, *cuda);
      tolerance.bounds.push_back({key.name, std::move(*cuda)});
    }
    tolerance.equal_nan = reader.truth("equal_nan");
    check_sum(reader, tolerance);
    return tolerance;
  }

  void check_bound(std::string_view key, const CudaExpression& bound) {
    const auto number = parse_decimal(bound.text);
    if (bound.text.ends_with('%')) {
      diagnostics_.error(bound.where, fmt::format("'{}' is no CUDA expression", bound.text),
                         number ? fmt::format("write {}", *number) : "");
    } else if (number && *number < 0) {
      diagnostics_.error(bound.where, fmt::format("'{}' is below 0", key));
    }
  }

  /// The keys about the kernel's sums.
  void check_sum(const MapReader& reader, Tolerance& tolerance) {
    constexpr std::string_view rounding[] = {"half", "bfloat16", "float", "double"};
    tolerance.accumulate = reader.text("accumulate");
    const auto type = ElementType::find(tolerance.accumulate);
    const Parameter* parameter = pattern_.find_parameter(tolerance.accumulate);
    const bool is_floating =
        (type && std::ranges::find(rounding, type->name()) != std::end(rounding)) ||
        (parameter != nullptr && parameter->kind == ValueKind::element);
    if (!tolerance.accumulate.empty() && !is_floating) {
      diagnostics_.error(
          reader.find("accumulate")->where,
          fmt::format("'{}' is no type that sums are rounded to", tolerance.accumulate),
          "use half, bfloat16, float or double");
    }
    if (reader.find("length") != nullptr) return;
    for (const char* key : {"scale", "accumulate"}) {
      const YamlNode* node = reader.find(key);
      if (node == nullptr) continue;
      diagnostics_.error(node->where, fmt::format("'{}' means nothing without 'length'", key),
                         "length: K, for sums of K terms");
    }
  }

  const Pattern& pattern_;
  const bool has_reference_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<Verification> read_comparison(const Pattern& pattern, const std::string& buffer,
                                            const YamlNode& node,
                                            const std::vector<std::string>& types,
                                            bool has_reference, Diagnostics& diagnostics) {
  return ComparisonReader(pattern, has_reference, diagnostics).read(buffer, node, types);
}

}  // namespace sweep
