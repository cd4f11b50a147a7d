#ifndef SCROLLBACK_CRC32C_H
#define SCROLLBACK_CRC32C_H

#include <cstddef>
#include <cstdint>

namespace scrollback {

/// Returns the masked CRC-32C of some bytes, as LevelDB stores it.
///
/// LevelDB's log format, DO NOT CHANGE.
uint32_t MaskedCRC32C(const char *bytes, size_t count);

}  // namespace scrollback

#endif
