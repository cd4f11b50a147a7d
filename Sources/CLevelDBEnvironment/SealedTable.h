#ifndef SCROLLBACK_SEALEDTABLE_H
#define SCROLLBACK_SEALEDTABLE_H

#include <memory>
#include <string>

#include "Cipher.h"
#include "leveldb/env.h"

namespace scrollback {

/// Tables: files that are written once, from the beginning to the end, and then read anywhere.
///
/// Behind the header they are a row of pages, each of 4 KiB and a tag; the last one may be shorter. A
/// page's nonce is its number and whether it is the last, so that no page stands for another, and a
/// file that was cut ends with a page that is none.
class SealedTable {
  public:
    static constexpr size_t kPage = 4096;
    static constexpr size_t kSealedPage = kPage + kTagSize;

    /// How much a file of so many bytes holds.
    static uint64_t PlainSize(uint64_t size);

    static leveldb::WritableFile *Written(
        std::unique_ptr<leveldb::WritableFile> file, std::unique_ptr<FileKey> key,
        const std::string &header);

    static leveldb::RandomAccessFile *Read(
        std::unique_ptr<leveldb::RandomAccessFile> file, std::unique_ptr<FileKey> key,
        uint64_t size);
};

}  // namespace scrollback

#endif
