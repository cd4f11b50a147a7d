#include "CLevelDB.h"

#if !__has_include("leveldb/db.h")
#error "LevelDB's headers were not found. Run 'make deps' or 'apt-get install libleveldb-dev'."
#endif

#include <cstdlib>
#include <string>

#include "Handles.h"

static_assert(
    leveldb::kMajorVersion == 1 && leveldb::kMinorVersion >= 22,
    "leveldb::Env of earlier versions has no RemoveFile.");

using leveldb::Slice;
using leveldb::Status;

namespace {

/// The largest batch, in bytes, whose memory is kept for the next one.
constexpr size_t kSmallBatch = 64 << 10;

/// The size of a manifest, in bytes, from which an opening begins a new one. LevelDB would let it
/// grow to the size of a table, and each opening reads all of it.
constexpr uint64_t kLargeManifest = 64 << 10;

Slice Bytes(const uint8_t *bytes, size_t size) {
    return size == 0 ? Slice() : Slice(reinterpret_cast<const char *>(bytes), size);
}

const uint8_t *Bytes(const Slice &slice) { return reinterpret_cast<const uint8_t *>(slice.data()); }

bool HasLargeManifest(leveldb::Env *env, const std::string &path) {
    std::string name;
    uint64_t size = 0;
    const std::string current = path + "/CURRENT";
    if (!env->FileExists(current) || !leveldb::ReadFileToString(env, current, &name).ok() ||
        name.empty()) {
        return false;
    }
    name.pop_back();  // The line's end.
    return env->GetFileSize(path + "/" + name, &size).ok() && size >= kLargeManifest;
}

}  // namespace

struct scrollback_snapshot {
    scrollback_db *db;
    leveldb::ReadOptions options;
};

struct scrollback_cursor {
    const scrollback_snapshot *snapshot;
    std::unique_ptr<leveldb::Iterator> iterator;
};

// MARK: Opening

scrollback_db::scrollback_db(scrollback_env *env, const scrollback_db_options &given)
    : cache(leveldb::NewLRUCache(given.block_cache_size)) {
    if (given.bloom_bits_per_key > 0) {
        filter.reset(leveldb::NewBloomFilterPolicy(given.bloom_bits_per_key));
    }
    options.env = &env->environment;
    options.create_if_missing = true;
    options.paranoid_checks = !given.skips_damage;
    options.reuse_logs = given.reuses_logs;
    // A block that is not compressed is read where its file is mapped, without a copy.
    options.compression = leveldb::kNoCompression;
    options.filter_policy = filter.get();
    options.block_cache = cache.get();
    options.max_open_files = given.max_open_files;
    options.write_buffer_size = given.write_buffer_size;
    // A read searches fewer tables than with LevelDB's default of 2 MiB.
    options.max_file_size = 8 << 20;
}

scrollback_db *scrollback_db_open(
    scrollback_env *env, const char *path, const scrollback_db_options *options, char **error) {
    auto db = std::make_unique<scrollback_db>(env, *options);
    env->environment.RefuseDamage(!options->skips_damage);
    leveldb::DB *database = nullptr;
    leveldb::Options given = db->options;
    if (HasLargeManifest(given.env, path)) given.reuse_logs = false;
    Status status = leveldb::DB::Open(given, path, &database);
    db->database.reset(database);
    return scrollback::Report(status, error) ? db.release() : nullptr;
}

void scrollback_db_close(scrollback_db *db) { delete db; }

void scrollback_db_destroy(scrollback_env *env, const char *path, char **error) {
    leveldb::Options options;
    options.env = &env->environment;
    scrollback::Report(leveldb::DestroyDB(path, options), error);
}

void scrollback_db_repair(
    scrollback_env *env, const char *path, const scrollback_db_options *options, char **error) {
    scrollback_db db(env, *options);
    scrollback::Report(leveldb::RepairDB(path, db.options), error);
}

// MARK: Writing

void scrollback_db_write(
    scrollback_db *db, const uint8_t *bytes, size_t size, const scrollback_row *rows,
    size_t row_count, bool is_durable, char **error) {
    leveldb::WriteBatch large;
    leveldb::WriteBatch &batch = size <= kSmallBatch ? db->smallBatch : large;
    for (size_t index = 0; index < row_count; index++) {
        const scrollback_row &row = rows[index];
        const Slice key = Bytes(bytes + row.key, static_cast<size_t>(row.value - row.key));
        if (row.end < 0) {
            batch.Delete(key);
        } else {
            batch.Put(key, Bytes(bytes + row.value, static_cast<size_t>(row.end - row.value)));
        }
    }
    leveldb::WriteOptions options;
    options.sync = is_durable;
    const Status status = db->database->Write(options, &batch);
    db->smallBatch.Clear();
    scrollback::Report(status, error);
}

// MARK: Reading

scrollback_snapshot *scrollback_snapshot_create(scrollback_db *db) {
    // The environment verifies each block when it is read for the first time.
    leveldb::ReadOptions options;
    options.snapshot = db->database->GetSnapshot();
    return new scrollback_snapshot{db, options};
}

void scrollback_snapshot_release(scrollback_snapshot *snapshot) {
    snapshot->db->database->ReleaseSnapshot(snapshot->options.snapshot);
    delete snapshot;
}

uint8_t *scrollback_snapshot_get(
    const scrollback_snapshot *snapshot, const uint8_t *key, size_t key_size, uint8_t *buffer,
    size_t buffer_size, size_t *value_size, char **error) {
    std::string value;
    *value_size = 0;
    const Status status = snapshot->db->database->Get(
        snapshot->options, Bytes(key, key_size), &value);
    if (status.IsNotFound() || !scrollback::Report(status, error)) {
        return nullptr;
    }
    *value_size = value.size();
    void *copy = value.size() <= buffer_size ? buffer : std::malloc(value.size());
    if (copy == nullptr) std::abort();
    std::memcpy(copy, value.data(), value.size());
    return static_cast<uint8_t *>(copy);
}

void scrollback_snapshot_page(
    const scrollback_snapshot *snapshot, const uint8_t *lower, size_t lower_size,
    const uint8_t *upper, size_t upper_size, bool is_descending, size_t limit,
    scrollback_visit visit, void *context, char **error) {
    const Slice first = Bytes(lower, lower_size), end = Bytes(upper, upper_size);
    const std::unique_ptr<leveldb::Iterator> rows(
        snapshot->db->database->NewIterator(snapshot->options));
    rows->Seek(is_descending ? end : first);
    if (is_descending) {
        if (rows->Valid()) {
            rows->Prev();
        } else {
            rows->SeekToLast();
        }
    }
    while (limit > 0 && rows->Valid()) {
        const Slice key = rows->key(), value = rows->value();
        if (is_descending ? key.compare(first) < 0 : key.compare(end) >= 0) break;
        if (!visit(context, Bytes(key), key.size(), Bytes(value), value.size())) break;
        // Do not step past the last row: LevelDB may have to skip many removed rows there.
        if (--limit > 0) is_descending ? rows->Prev() : rows->Next();
    }
    scrollback::Report(rows->status(), error);
}

scrollback_cursor *scrollback_cursor_create(const scrollback_snapshot *snapshot) {
    leveldb::Iterator *iterator = snapshot->db->database->NewIterator(snapshot->options);
    return new scrollback_cursor{snapshot, std::unique_ptr<leveldb::Iterator>(iterator)};
}

void scrollback_cursor_destroy(scrollback_cursor *cursor) { delete cursor; }

void scrollback_cursor_seek(scrollback_cursor *cursor, const uint8_t *key, size_t key_size) {
    cursor->iterator->Seek(Bytes(key, key_size));
}

void scrollback_cursor_next(scrollback_cursor *cursor) { cursor->iterator->Next(); }

const uint8_t *scrollback_cursor_key(const scrollback_cursor *cursor, size_t *size) {
    *size = 0;
    if (!cursor->iterator->Valid()) return nullptr;
    const Slice key = cursor->iterator->key();
    *size = key.size();
    return Bytes(key);
}

const uint8_t *scrollback_cursor_value(const scrollback_cursor *cursor, size_t *size) {
    const Slice value = cursor->iterator->value();
    *size = value.size();
    return Bytes(value);
}

void scrollback_cursor_check(const scrollback_cursor *cursor, char **error) {
    scrollback::Report(cursor->iterator->status(), error);
}

// MARK: Maintenance

const int scrollback_leveldb_major = leveldb::kMajorVersion;
const int scrollback_leveldb_minor = leveldb::kMinorVersion;

char *scrollback_db_property(scrollback_db *db, const char *name) {
    std::string value;
    return db->database->GetProperty(name, &value) ? strdup(value.c_str()) : nullptr;
}

void scrollback_db_compact(
    scrollback_db *db, const uint8_t *lower, size_t lower_size, const uint8_t *upper,
    size_t upper_size) {
    const Slice first = Bytes(lower, lower_size), end = Bytes(upper, upper_size);
    db->database->CompactRange(
        lower == nullptr ? nullptr : &first, upper == nullptr ? nullptr : &end);
}
