#include "engine/emulator/cubin/cubin_file.h"

#include <elf.h>

#include <algorithm>
#include <string>

namespace sweep {
namespace {

/// The text at `offset` of a string table, up to its zero; empty when there is no zero.
std::string_view text_at(std::span<const char> table, std::uint64_t offset) {
  const std::string_view all(table.data(), table.size());
  if (offset >= all.size()) return {};
  const std::size_t end = all.find('\0', offset);
  return end == all.npos ? std::string_view() : all.substr(offset, end - offset);
}

int capability_of(const Elf64_Ehdr& header) {
  constexpr std::uint16_t cuda_machine = 190;  // EM_CUDA
  if (header.e_machine != cuda_machine) return 0;
  // The architecture stands in bits 8 to 15 in version 8 of CUDA's ELF ABI (CUDA 13), in 0 to 7 in
  // those before.
  const bool is_new = header.e_ident[EI_ABIVERSION] >= 8;
  return static_cast<int>((is_new ? header.e_flags >> 8 : header.e_flags) & 0xff);
}

}  // namespace

CubinFile::CubinFile(std::span<const char> bytes) {
  constexpr std::string_view start = "\177ELF\2\1";  // of 64 bits, little-endian
  const auto header = value_at<Elf64_Ehdr>(bytes, 0);
  if (!header || !std::string_view(bytes.data(), bytes.size()).starts_with(start)) return;
  const auto table =
      part_of(bytes, header->e_shoff, std::uint64_t{header->e_shnum} * sizeof(Elf64_Shdr));
  if (header->e_shentsize != sizeof(Elf64_Shdr) || table.empty()) return;
  std::vector<Elf64_Shdr> headers(header->e_shnum);
  std::memcpy(headers.data(), table.data(), table.size());
  if (header->e_shstrndx >= headers.size()) return;
  const Elf64_Shdr& text = headers[header->e_shstrndx];
  const auto names = part_of(bytes, text.sh_offset, text.sh_size);
  sections_.resize(headers.size());
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const Elf64_Shdr& one = headers[i];
    const std::uint64_t size = one.sh_type == SHT_NOBITS ? 0 : one.sh_size;
    const auto content = part_of(bytes, one.sh_offset, size);
    // One whose bytes are not all in the file has no name.
    if (content.size() != size) continue;
    sections_[i] = {text_at(names, one.sh_name), one.sh_link, content};
  }
  compute_capability_ = capability_of(*header);
}

const CubinFile::Section* CubinFile::find(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &Section::name);
  return found != sections_.end() ? &*found : nullptr;
}

bool CubinFile::has(std::string_view section) const {
  return find(section) != nullptr;
}

std::span<const char> CubinFile::section(std::string_view name) const {
  const Section* found = find(name);
  return found != nullptr ? found->bytes : std::span<const char>();
}

std::vector<std::uint32_t> CubinFile::symbols_of(std::string_view function) const {
  constexpr std::string_view before = ".text.";
  std::vector<std::uint32_t> found;
  const Section* symbols = find(".symtab");
  if (symbols == nullptr || symbols->link >= sections_.size()) return found;
  const auto names = sections_[symbols->link].bytes;
  for (std::uint32_t i = 0;; ++i) {
    const auto symbol = value_at<Elf64_Sym>(symbols->bytes, i * sizeof(Elf64_Sym));
    if (!symbol) return found;
    const auto type = ELF64_ST_TYPE(symbol->st_info);
    if (type == STT_FUNC && text_at(names, symbol->st_name) == function) found.push_back(i);
    if (type != STT_SECTION || symbol->st_shndx >= sections_.size()) continue;
    const std::string_view name = sections_[symbol->st_shndx].name;
    if (name.starts_with(before) && name.substr(before.size()) == function) found.push_back(i);
  }
}

std::optional<std::uint32_t> CubinFile::function_symbol(std::string_view name) const {
  const auto symbols = find(".symtab");
  for (const std::uint32_t index : symbols_of(name)) {
    const auto symbol = value_at<Elf64_Sym>(symbols->bytes, index * sizeof(Elf64_Sym));
    if (symbol && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC) return index;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> CubinFile::reference_to(std::string_view function,
                                                     std::string_view section) const {
  const std::vector<std::uint32_t> symbols = symbols_of(function);
  const auto first_in = [&](const std::string& name, std::uint64_t size) {
    const auto entries = this->section(name);
    for (std::uint64_t at = 0;; at += size) {
      const auto entry = value_at<Elf64_Rel>(entries, at);
      if (!entry) return std::optional<std::uint64_t>();
      const auto symbol = static_cast<std::uint32_t>(ELF64_R_SYM(entry->r_info));
      if (std::ranges::find(symbols, symbol) != symbols.end()) {
        return std::optional<std::uint64_t>(entry->r_offset);
      }
    }
  };
  // The entries of both kinds begin alike.
  const std::string name(section);
  const auto found = first_in(".rela" + name, sizeof(Elf64_Rela));
  return found ? found : first_in(".rel" + name, sizeof(Elf64_Rel));
}

}  // namespace sweep
