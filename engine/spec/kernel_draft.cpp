#include "engine/spec/kernel_draft.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/spec/pattern_header.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/expression.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

/// Whether it stands apart in a product.
bool is_factor(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (depth == 0 && std::string_view("+-?:<>%/&|").find(c) != std::string_view::npos)
      return false;
  }
  return true;
}

bool is_plain_yaml(std::string_view text) {
  constexpr std::string_view signs = " +-*/().";
  return !text.empty() && (is_word(text.front()) || text.front() == '(') && text.back() != ' ' &&
         std::ranges::all_of(text,
                             [&](char c) { return is_word(c) || signs.find(c) != signs.npos; });
}

std::string in_units(std::int64_t number) {
  return number >= 32 * Ki ? format_count(number) : std::to_string(number);
}

}  // namespace

std::string appended(std::string text, const std::string& more, std::string_view by) {
  if (!text.empty() && !more.empty()) text += by;
  return text + more;
}

std::string as_factor(const std::string& text) {
  return is_factor(text) ? text : "(" + text + ")";
}

std::string yaml(std::string_view text) {
  if (is_plain_yaml(text)) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += is_space(c) ? ' ' : c;
  }
  return quoted + '"';
}

bool is_integer_type(const std::string& type) {
  const std::string name = canonical_type(type);
  return name.ends_with("_t") && ElementType::find(name);
}

KernelDraft::KernelDraft(const DraftRequest& request)
    : request_(request),
      host_(request.host),
      kernel_(request.kernel),
      body_tokens_(cuda_tokens(kernel_.body)),
      body_(body_tokens_),
      use_(thread_use(body_)) {
  choose_launch();
  read_template();
  count_extents();
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
    const KernelParameter& parameter = kernel_.parameters[i];
    note_extent(parameter.type, parameter.name, launch_argument(i));
  }
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
    arguments.push_back(argument(kernel_.parameters[i], launch_argument(i)));
  }
  read_block();
  read_grid();
  read_shared();
  for (DraftBuffer& buffer : buffers) read_length(buffer);
  for (const std::string& name : host_.constant_memory()) {
    if (std::ranges::find(body_, name) != body_.end()) constant_memory.push_back(name);
  }
}

void KernelDraft::choose_launch() {
  // Of a file that some program writes there may be thousands.
  constexpr std::size_t most = 32;
  int best = -1;
  std::vector<KernelLaunch> launches = host_.launches(kernel_.name);
  launches.resize(std::min(launches.size(), most));
  for (KernelLaunch& each : launches) {
    const int score = (host_.extents(each.block, each).empty() ? 0 : 2) +
                      (host_.extents(each.grid, each).empty() ? 0 : 1) +
                      (each.arguments.size() == kernel_.parameters.size() ? 4 : 0);
    if (score <= best) continue;
    best = score;
    launch_ = std::move(each);
  }
  if (launch_.arguments.size() != kernel_.parameters.size()) launch_.arguments.clear();
}

CudaTokens KernelDraft::launch_argument(std::size_t index) const {
  return index < launch_.arguments.size() ? launch_.arguments[index] : CudaTokens();
}

void KernelDraft::map_host_name(CudaTokens host, const std::string& name) {
  if (host.size() == 1 && is_word(host[0].front()) && !is_digit(host[0].front())) {
    names_.emplace(host[0], name);
  }
}

std::string KernelDraft::fresh(std::string name) {
  constexpr std::size_t longest = 60;
  name.erase(0, name.find_first_not_of('_'));
  if (name.empty()) name = "value";
  if (name.starts_with("sweep_")) name.insert(0, "my_");
  name.resize(std::min(name.size(), longest));
  while (!why_not_a_name(name).empty() || name == request_.pattern || name == kernel_.name ||
         host_.declares(name) || !taken_.insert(name).second) {
    name += '_';
  }
  return name;
}

std::optional<std::int64_t> KernelDraft::value_of(const std::string& text) const {
  Diagnostics ignored;
  const auto place = std::make_shared<Source>(Source{"", text});
  const auto expression = Expression::parse(text, {place, 1, 1, text.size()}, ignored);
  if (!expression || expression->check(scope_of(defaults_), ignored) != ValueKind::integer) {
    return std::nullopt;
  }
  try {
    return expression->evaluate_integer(defaults_);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::optional<std::int64_t> KernelDraft::constant_of(CudaTokens host) const {
  const auto text = host_.expression(host, launch_);
  return text ? value_of(*text) : std::nullopt;
}

std::string KernelDraft::add_number(const std::string& wanted, std::int64_t value, std::string mark,
                                    std::string_view bounds) {
  const std::string name = fresh(wanted);
  const std::string text = in_units(value);
  parameters.push_back({name,
                        {bounds.empty() ? text : fmt::format("{{default: {}, {}}}", text, bounds),
                         std::move(mark)}});
  defaults_.set(name, value);
  return name;
}

std::string KernelDraft::type_of(const std::string& declared) const {
  const auto known = types_.find(declared);
  return known != types_.end() ? known->second : host_.type_behind(declared);
}

bool KernelDraft::is_extent(const std::string& type, const std::string& name) const {
  return is_integer_type(type_of(type)) && scalar_role(name) == ScalarRole::extent;
}

void KernelDraft::count_extents() {
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
    const KernelParameter& each = kernel_.parameters[i];
    if (is_extent(each.type, each.name) && !constant_of(launch_argument(i))) ++unknown_extents_;
    for (const ClassField& field : host_.fields_of(each.type).value_or(std::vector<ClassField>())) {
      if (is_extent(field.type, field.name)) ++unknown_extents_;
    }
  }
}

std::int64_t KernelDraft::usual_extent() const {
  if (unknown_extents_ <= 1) return is_square() ? 1024 : 1 * Mi;
  return unknown_extents_ == 2 ? 1024 : unknown_extents_ == 3 ? 128 : 32;
}

bool KernelDraft::is_square() const {
  return use_.thread_axes > 1 || use_.block_axes > 1;
}

void KernelDraft::note_extent(const std::string& type, const std::string& name, CudaTokens host) {
  if (const auto fields = host_.fields_of(type_of(type))) {
    for (const ClassField& field : *fields) note_extent(field.type, field.name, {});
    return;
  }
  if (!is_extent(type, name)) return;
  const auto given = constant_of(host);
  const bool is_known = given && *given > 0;
  const std::string own = add_number(name, is_known ? *given : usual_extent(),
                                     is_known ? "" : "a size to measure with");
  extents_.push_back({name, own});
  map_host_name(host, own);
}

std::string KernelDraft::extent_named(std::string_view name) const {
  const auto found = std::ranges::find(extents_, name, &Extent::declared);
  return found != extents_.end() ? found->name : std::string();
}

std::string KernelDraft::extent_along(std::size_t axis) const {
  for (const Extent& each : extents_) {
    if (extent_axis(each.declared) == axis) return each.name;
  }
  if (extents_.empty()) return {};
  return extents_[extents_.size() == 1 ? 0 : std::min(axis, extents_.size() - 1)].name;
}

}  // namespace sweep
