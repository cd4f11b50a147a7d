#ifndef SCROLLBACK_MAPPEDTABLE_H
#define SCROLLBACK_MAPPEDTABLE_H

#include <cstdint>
#include <memory>

#include "leveldb/env.h"

namespace scrollback {

/// Returns a table that reads like the given one, a file that LevelDB maps into memory, but fetches
/// parts of 64 KiB from the disk.
///
/// By default, the system decides how much to read around each page that is accessed: 128 KiB on
/// most disks, and a whole table if read-ahead is set to megabytes, as for network disks of cloud
/// providers. A page of messages needs a few blocks of each of several tables.
leveldb::RandomAccessFile *NewMappedTable(
    std::unique_ptr<leveldb::RandomAccessFile> file, uint64_t size);

}  // namespace scrollback

#endif
