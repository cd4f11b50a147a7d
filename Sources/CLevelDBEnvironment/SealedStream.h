#ifndef SCROLLBACK_SEALEDSTREAM_H
#define SCROLLBACK_SEALEDSTREAM_H

#include <memory>
#include <string>

#include "Cipher.h"
#include "leveldb/env.h"

namespace scrollback {

/// Logs, manifests and CURRENT: files that grow by what is flushed, and are read from the beginning.
///
/// A row of blocks of 32 KiB, the first of which begins with the header; in them records, each with what
/// was flushed in one go or a part of it. A record lies in one block, and the end of a block that has no
/// room for one is zeros: behind damage, reading goes on with the next block.
///
///     record := check length offset nonce sealed
///
/// with the masked CRC-32C of the three fields behind it, how many bytes are sealed, and which
/// bytes of the plain file they are. The nonce is random, since a file may be cut and grow again.
/// Bound to a record are its length, its offset, and where in the file it begins.
/// DO NOT CHANGE: Docs/Format.md, "Sealed files", has it.
class SealedStream {
  public:
    static constexpr size_t kBlock = 32768;
    static constexpr size_t kRecordHeader = 4 + 2 + 8 + kNonceSize;
    static constexpr size_t kOverhead = kRecordHeader + kTagSize;

    /// A file that grows.
    ///
    /// - `plainAt`: how many bytes it has, without the sealing.
    /// - `at`: how many it has; 0 if it does not have its header yet.
    static leveldb::WritableFile *Written(
        std::unique_ptr<leveldb::WritableFile> file, std::unique_ptr<FileKey> key,
        const std::string &header, uint64_t plainAt, uint64_t at);
};

/// Reads a stream, and puts in the place of what cannot be read something that LevelDB, and our reader
/// of its records, take for what it is.
///
/// - A record that the file ends in, as a crash leaves it, is read as the beginning of a header.
/// - What is damaged, whatever it is, is read as so many bytes of FF: no header has that length.
class SealedStreamReader final : public leveldb::SequentialFile {
  public:
    /// What a reader is made for.
    enum class Purpose { kBytes, kLengths };

    SealedStreamReader(
        std::unique_ptr<leveldb::SequentialFile> file, const scrollback_cipher &cipher,
        const std::string &identity, Purpose purpose = Purpose::kBytes)
        : file_(std::move(file)), cipher_(cipher), identity_(identity), purpose_(purpose) {}

    leveldb::Status Read(size_t count, leveldb::Slice *result, char *scratch) override;
    leveldb::Status Skip(uint64_t count) override;

    /// Goes on to the end of the next record. False behind the last one.
    bool Next(leveldb::Status *status);

    /// How many bytes were told by now, with what stands for others.
    uint64_t plainLength() const { return plain_ + standIn_; }
    /// Where the last whole record ends in the file.
    uint64_t end() const { return end_; }
    /// Whether all so far was whole.
    bool isWhole() const { return !wasTorn_ && !wasDamaged_; }
    /// Whether there was a header.
    bool hasHeader() const { return hasHeader_; }
    uint32_t generation() const { return header_.generation; }
    /// Hands on the key of the file.
    std::unique_ptr<FileKey> TakeKey() { return std::move(key_); }

  private:
    leveldb::Status LoadBlock();
    void ReadHeader();
    /// Returns false if nothing can be told yet, and what follows in the block is to be looked at.
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
    bool hasHeader_ = false;

    /// The block that is read, where it begins in the file, and how far it was read.
    std::string block_;
    uint64_t blockAt_ = 0;
    size_t at_ = 0;
    bool isAtEnd_ = false;

    /// What was read and not been taken yet: first so many bytes of FF, then the bytes.
    uint64_t filler_ = 0;
    std::string bytes_;
    size_t taken_ = 0;

    uint64_t plain_ = 0, standIn_ = 0, end_ = 0;
    /// Since the last record that could be read.
    bool isTorn_ = false, isDamaged_ = false;
    bool wasTorn_ = false, wasDamaged_ = false;
};

}  // namespace scrollback

#endif
