#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sweep {

/// The numbers in a list as Linux writes cores: "0-3,8" as 0, 1, 2, 3, 8. None for anything else.
std::vector<unsigned> read_core_list(const std::string& text);

/// Keeps this process, and the threads that it starts later, to those of the cores it may use that
/// are at the same NUMA node as a device on the PCI bus ("0000:1b:00.0"). Changes nothing where
/// Linux does not say which these are, or fewer than two of them may be used.
void use_cores_near(const std::string& pci_address,
                    const std::filesystem::path& devices = "/sys/bus/pci/devices");

}  // namespace sweep
