#pragma once

#include <memory>
#include <string>

#include "Cipher.h"
#include "leveldb/env.h"

namespace scrollback {

/// A sealed log, manifest or CURRENT: a file that grows with each flush, and is read from the
/// beginning.
///
/// A file consists of blocks of 32 KiB, the first of which starts with the header. A record
/// contains the bytes of one flush, or a part of them, and never crosses the end of a block. If a
/// block has no room for another record, its rest is zeros. After damage, reading continues with
/// the next block.
///
///     record := check length offset nonce sealed
///
/// The check is the masked CRC-32C of the next three fields. The length is the number of sealed
/// bytes, and the offset is their position in the plain file. The nonce is random, because a
/// truncated file may grow again with other bytes at the same position. The length, the offset, and
/// the record's position in the file are authenticated. On-disk format, do not change:
/// Docs/Format.md, "Encrypted files".
class SealedStream {
  public:
    static constexpr size_t kBlock = 32768;
    static constexpr size_t kRecordHeader = 4 + 2 + 8 + kNonceSize;
    static constexpr size_t kOverhead = kRecordHeader + kTagSize;

    /// So far, the file has `plainAt` plain bytes and `at` bytes; 0 if it has no header yet.
    static leveldb::WritableFile *Written(
        std::unique_ptr<leveldb::WritableFile> file, std::unique_ptr<FileKey> key,
        const std::string &header, uint64_t plainAt, uint64_t at);
};

/// Reads a stream, replacing unreadable parts by bytes that LevelDB and RecordReader also find torn
/// or damaged.
///
/// - An incomplete record at the end, as after a crash, is read as an incomplete header.
/// - A damaged part is read as bytes of 0xFF, which no header has as its length.
class SealedStreamReader final : public leveldb::SequentialFile {
  public:
    enum class Purpose { kBytes, kLengths };

    SealedStreamReader(
        std::unique_ptr<leveldb::SequentialFile> file, const scrollback_cipher &cipher,
        const std::string &identity, Purpose purpose = Purpose::kBytes)
        : file_(std::move(file)), cipher_(cipher), identity_(identity), purpose_(purpose) {}

    leveldb::Status Read(size_t count, leveldb::Slice *result, char *scratch) override;
    leveldb::Status Skip(uint64_t count) override;

    /// Returns false after the last record.
    bool Next(leveldb::Status *status);

    /// The number of plain bytes so far, including replacements.
    uint64_t plainLength() const { return plain_ + standIn_; }
    /// The position in the file after the last complete record.
    uint64_t end() const { return end_; }
    bool isWhole() const { return !wasTorn_ && !wasDamaged_; }
    uint32_t generation() const { return header_.generation; }
    std::unique_ptr<FileKey> TakeKey() { return std::move(key_); }

  private:
    leveldb::Status LoadBlock();
    void ReadHeader();
    /// Returns false if the reader has to examine more bytes.
    bool Record();
    void EndBlock() { at_ = block_.size(); }
    void Damage();
    void Tear() { isTorn_ = wasTorn_ = true; }
    void End();

    const std::unique_ptr<leveldb::SequentialFile> file_;
    const scrollback_cipher cipher_;
    const std::string identity_;
    const Purpose purpose_;

    SealedHeader header_;
    std::unique_ptr<FileKey> key_;

    /// The current block, its position in the file, and the reader's position in it.
    std::string block_;
    uint64_t blockAt_ = 0;
    size_t at_ = 0;
    bool isAtEnd_ = false;

    /// The bytes to return: first `filler_` bytes of 0xFF, and then `bytes_`.
    uint64_t filler_ = 0;
    std::string bytes_;
    size_t taken_ = 0;

    uint64_t plain_ = 0, standIn_ = 0, end_ = 0;
    /// The state since the last readable record.
    bool isTorn_ = false, isDamaged_ = false;
    bool wasTorn_ = false, wasDamaged_ = false;
};

}  // namespace scrollback
