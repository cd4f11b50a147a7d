// Counts the calls of LevelDB, and LevelDB's calls of the system, on Linux. On other systems, the
// counts are 0.
//
// The linker prefers definitions in the program. This file therefore defines the function that opens
// a database, and returns a database that counts each call and forwards it.

#include "CStoreCalls.h"

#include <cstdlib>

#ifdef __GLIBC__

#include <dlfcn.h>
#include <leveldb/db.h>
#include <leveldb/iterator.h>
#include <leveldb/write_batch.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <string>

// The figures count the calls of malloc, so this code calls glibc's function of another name.
extern "C" void *__libc_malloc(size_t);
extern "C" void __libc_free(void *);

namespace {

using leveldb::Slice;
using leveldb::Status;

std::atomic<bool> isCounting{false};
std::atomic<long> gets, seeks, steps, snapshots, batches, rows, bytes, written, syncs;

void Count(std::atomic<long> &counter, size_t count = 1) {
    if (isCounting) counter += static_cast<long>(count);
}

/// Returns the original function of a name.
template <class Function>
Function *Next(const char *name) {
    void *next = dlsym(RTLD_NEXT, name);
    if (next == nullptr) {
        std::fprintf(stderr, "There is no %s to pass calls on to.\n", name);
        std::abort();
    }
    return reinterpret_cast<Function *>(next);
}

class CountingIterator final : public leveldb::Iterator {
  public:
    explicit CountingIterator(leveldb::Iterator *rows) : rows_(rows) {}

    static void *operator new(size_t size) { return __libc_malloc(size); }
    static void operator delete(void *iterator) { __libc_free(iterator); }

    bool Valid() const override { return rows_->Valid(); }
    Slice key() const override { return rows_->key(); }
    Slice value() const override { return rows_->value(); }
    Status status() const override { return rows_->status(); }

    void Seek(const Slice &key) override { Count(seeks), rows_->Seek(key); }
    void SeekToFirst() override { Count(seeks), rows_->SeekToFirst(); }
    void SeekToLast() override { Count(seeks), rows_->SeekToLast(); }
    void Next() override { Count(steps), rows_->Next(); }
    void Prev() override { Count(steps), rows_->Prev(); }

  private:
    const std::unique_ptr<leveldb::Iterator> rows_;
};

class RowCounter final : public leveldb::WriteBatch::Handler {
  public:
    void Put(const Slice &key, const Slice &value) override {
        Count(rows);
        Count(bytes, key.size() + value.size());
    }
    void Delete(const Slice &key) override {
        Count(rows);
        Count(bytes, key.size());
    }
};

class CountingDatabase final : public leveldb::DB {
  public:
    explicit CountingDatabase(leveldb::DB *database) : database_(database) {}

    Status Put(
        const leveldb::WriteOptions &options, const Slice &key, const Slice &value) override {
        return DB::Put(options, key, value);
    }
    Status Delete(const leveldb::WriteOptions &options, const Slice &key) override {
        return DB::Delete(options, key);
    }
    Status Write(const leveldb::WriteOptions &options, leveldb::WriteBatch *batch) override {
        if (batch != nullptr && isCounting) {
            RowCounter counter;
            Count(batches);
            (void)batch->Iterate(&counter);
        }
        return database_->Write(options, batch);
    }
    Status Get(
        const leveldb::ReadOptions &options, const Slice &key, std::string *value) override {
        Count(gets);
        return database_->Get(options, key, value);
    }
    leveldb::Iterator *NewIterator(const leveldb::ReadOptions &options) override {
        return new CountingIterator(database_->NewIterator(options));
    }
    const leveldb::Snapshot *GetSnapshot() override {
        Count(snapshots);
        return database_->GetSnapshot();
    }
    void ReleaseSnapshot(const leveldb::Snapshot *snapshot) override {
        database_->ReleaseSnapshot(snapshot);
    }
    bool GetProperty(const Slice &name, std::string *value) override {
        return database_->GetProperty(name, value);
    }
    void GetApproximateSizes(const leveldb::Range *range, int count, uint64_t *sizes) override {
        database_->GetApproximateSizes(range, count, sizes);
    }
    void CompactRange(const Slice *begin, const Slice *end) override {
        database_->CompactRange(begin, end);
    }

  private:
    const std::unique_ptr<leveldb::DB> database_;
};

}  // namespace

Status leveldb::DB::Open(const Options &options, const std::string &path, DB **result) {
    // The name of this function as the linker sees it.
    static const auto next = Next<Status(const Options &, const std::string &, DB **)>(
        "_ZN7leveldb2DB4OpenERKNS_7OptionsERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
        "PPS0_");
    const Status status = next(options, path, result);
    if (status.ok()) *result = new CountingDatabase(*result);
    return status;
}

extern "C" ssize_t write(int file, const void *start, size_t size) {
    static const auto next = Next<ssize_t(int, const void *, size_t)>("write");
    Count(written, size);
    return next(file, start, size);
}

extern "C" int fdatasync(int file) {
    static const auto next = Next<int(int)>("fdatasync");
    Count(syncs);
    return next(file);
}

void store_calls_start(void) {
    for (auto counter : {&gets, &seeks, &steps, &snapshots, &batches, &rows, &bytes, &written, &syncs}) {
        *counter = 0;
    }
    isCounting = true;
}

store_calls store_calls_stop(void) {
    isCounting = false;
    return {gets, seeks, steps, snapshots, batches, rows, bytes, written, syncs};
}

#else

void store_calls_start(void) {}
store_calls store_calls_stop(void) { return {}; }

#endif
