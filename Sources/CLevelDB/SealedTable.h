#pragma once

#include <memory>
#include <string>

#include "Cipher.h"
#include "leveldb/env.h"

namespace scrollback {

/// A sealed table, or a sealed copy of an outgoing file: a file that is written once, from the
/// beginning to the end.
///
/// The header is followed by pages of 4 KiB, the last of which may be shorter, each with an
/// authentication tag. The nonce of a page contains the page's number, and whether it is the last
/// one. Therefore a page cannot replace another one, and the last page of a truncated file cannot
/// be decrypted.
class SealedTable {
  public:
    static constexpr size_t kPage = 4096;
    static constexpr size_t kSealedPage = kPage + kTagSize;

    /// Returns the number of plain bytes in a file of this size.
    static uint64_t PlainSize(uint64_t size);

    static leveldb::WritableFile *Written(
        std::unique_ptr<leveldb::WritableFile> file, std::unique_ptr<FileKey> key,
        const std::string &header);

    static leveldb::RandomAccessFile *Read(
        std::unique_ptr<leveldb::RandomAccessFile> file, std::unique_ptr<FileKey> key,
        uint64_t size);

    /// Keeps one page in memory; `file` is positioned after its header, and `size` is that of the
    /// whole file.
    static leveldb::SequentialFile *Streamed(
        std::unique_ptr<leveldb::SequentialFile> file, std::unique_ptr<FileKey> key,
        uint64_t size);
};

}  // namespace scrollback
