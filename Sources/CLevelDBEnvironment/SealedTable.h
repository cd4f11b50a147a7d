#ifndef SCROLLBACK_SEALEDTABLE_H
#define SCROLLBACK_SEALEDTABLE_H

#include <memory>
#include <string>

#include "Cipher.h"
#include "leveldb/env.h"

namespace scrollback {

/// Tables, and copies of files that wait to be sent: written once, from the beginning to the end.
///
/// The header is followed by pages, each of 4 KiB and a tag; the last one may be shorter. The nonce
/// of a page is its number and whether it is the last one, so no page can replace another, and the
/// last page of a truncated file cannot be opened.
class SealedTable {
  public:
    static constexpr size_t kPage = 4096;
    static constexpr size_t kSealedPage = kPage + kTagSize;

    /// Returns the number of plain bytes in a file of the given size.
    static uint64_t PlainSize(uint64_t size);

    static leveldb::WritableFile *Written(
        std::unique_ptr<leveldb::WritableFile> file, std::unique_ptr<FileKey> key,
        const std::string &header);

    static leveldb::RandomAccessFile *Read(
        std::unique_ptr<leveldb::RandomAccessFile> file, std::unique_ptr<FileKey> key,
        uint64_t size);

    /// Reads a file from the beginning to the end, one page in memory at a time. `file` is read
    /// from the end of the header on; `size` is the size of the whole file.
    static leveldb::SequentialFile *Streamed(
        std::unique_ptr<leveldb::SequentialFile> file, std::unique_ptr<FileKey> key,
        uint64_t size);
};

}  // namespace scrollback

#endif
