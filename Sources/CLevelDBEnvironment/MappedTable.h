#ifndef SCROLLBACK_MAPPEDTABLE_H
#define SCROLLBACK_MAPPEDTABLE_H

#include <cstdint>
#include <memory>

#include "leveldb/env.h"

namespace scrollback {

/// Returns a table whose file LevelDB maps into memory, and whose reads prefetch parts of 64 KiB.
///
/// By default, the system decides how much to read around each accessed page: 128 KiB on most
/// disks, but a whole table if read-ahead is set to megabytes, as for network disks of cloud
/// providers. A page of messages needs only a few blocks of each of several tables.
leveldb::RandomAccessFile *NewMappedTable(
    std::unique_ptr<leveldb::RandomAccessFile> file, uint64_t size);

}  // namespace scrollback

#endif
