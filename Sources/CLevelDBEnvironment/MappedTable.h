#ifndef SCROLLBACK_MAPPEDTABLE_H
#define SCROLLBACK_MAPPEDTABLE_H

#include <cstdint>
#include <memory>

#include "leveldb/env.h"

namespace scrollback {

/// A table as LevelDB reads it, which maps files into memory; what it asks for is fetched from the disk
/// in parts of 64 KiB.
///
/// By default the system fetches what it likes around each page that is touched: 128 KiB on most
/// disks, and all of a table where read-ahead is set to megabytes, as for disks in a cloud. A page of
/// messages needs a few blocks of each of several tables.
leveldb::RandomAccessFile *NewMappedTable(
    std::unique_ptr<leveldb::RandomAccessFile> file, uint64_t size);

}  // namespace scrollback

#endif
