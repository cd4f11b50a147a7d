// A LevelDB database behind C functions, in one environment of CLevelDBEnvironment.h.
//
// If a call fails, it sets `error` to LevelDB's text, with the cause that the environment adds; the
// caller frees it. Pointers to a key or value are valid until the cursor moves or the callback
// returns.
#pragma once

#include "CLevelDBEnvironment.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

// MARK: Opening

typedef struct {
    /// Whether to open a database whose logs miss batches or are damaged.
    ///
    /// If false, such an opening fails with Corruption, and has changed no file. If true, LevelDB
    /// replaces the logs by tables, and only the report of the environment describes the damage.
    bool skips_damage;

    /// If true, the last log and manifest are reused if they are intact, instead of writing a table
    /// and new ones.
    bool reuses_logs;

    /// 0 for no filter.
    int bloom_bits_per_key;

    int max_open_files;
    size_t write_buffer_size;
    size_t block_cache_size;
} scrollback_db_options;

/// Opens a database, and creates its directory if necessary; the environment must outlive the
/// database.
scrollback_db *_Nullable scrollback_db_open(
    scrollback_env *env, const char *path, const scrollback_db_options *options,
    char *_Nullable *_Nonnull error);

/// All snapshots must be released.
void scrollback_db_close(scrollback_db *db);

/// Removes a closed database, if it exists.
void scrollback_db_destroy(
    scrollback_env *env, const char *path, char *_Nullable *_Nonnull error);

/// Repairs a closed database, as far as its files can be read.
void scrollback_db_repair(
    scrollback_env *env, const char *path, const scrollback_db_options *options,
    char *_Nullable *_Nonnull error);

// MARK: Writing

/// A row of a batch, as offsets into the bytes of the batch.
typedef struct {
    ptrdiff_t key;
    /// The end of the key, and the beginning of the value.
    ptrdiff_t value;
    /// The end of the value; negative if the row is removed.
    ptrdiff_t end;
} scrollback_row;

/// Writes a batch atomically; if `is_durable`, it is on disk when the call returns.
///
/// A later row with the same key replaces an earlier one. Writes must not be concurrent.
void scrollback_db_write(
    scrollback_db *db, const uint8_t *_Nullable bytes, size_t size,
    const scrollback_row *_Nullable rows, size_t row_count, bool is_durable,
    char *_Nullable *_Nonnull error);

// MARK: Reading

/// A thread-safe view of a database at one point in time.
typedef struct scrollback_snapshot scrollback_snapshot;

scrollback_snapshot *scrollback_snapshot_create(scrollback_db *db);

void scrollback_snapshot_release(scrollback_snapshot *snapshot);

/// Copies a value into a buffer, or, if it is larger, into memory that the caller frees; returns
/// NULL if there is no value.
uint8_t *_Nullable scrollback_snapshot_get(
    const scrollback_snapshot *snapshot, const uint8_t *_Nullable key, size_t key_size,
    uint8_t *buffer, size_t buffer_size, size_t *value_size, char *_Nullable *_Nonnull error);

typedef bool (*scrollback_visit)(
    void *_Nullable context, const uint8_t *key, size_t key_size, const uint8_t *value,
    size_t value_size);

/// Passes the rows from `lower`, inclusive, to `upper`, exclusive, to a function, in the order of
/// the keys or in the opposite order, at most `limit`, until it returns false.
///
/// LevelDB skips a block that it cannot read: if the call sets `error`, rows may be missing among
/// those that were passed.
void scrollback_snapshot_page(
    const scrollback_snapshot *snapshot, const uint8_t *_Nullable lower, size_t lower_size,
    const uint8_t *_Nullable upper, size_t upper_size, bool is_descending, size_t limit,
    scrollback_visit visit, void *_Nullable context, char *_Nullable *_Nonnull error);

/// An iterator over the rows of a snapshot, for one thread.
typedef struct scrollback_cursor scrollback_cursor;

/// The cursor has no current row; the snapshot must outlive it.
scrollback_cursor *scrollback_cursor_create(const scrollback_snapshot *snapshot);

void scrollback_cursor_destroy(scrollback_cursor *cursor);

/// Moves to the first row whose key is not less than `key`.
void scrollback_cursor_seek(
    scrollback_cursor *cursor, const uint8_t *_Nullable key, size_t key_size);

/// There must be a current row.
void scrollback_cursor_next(scrollback_cursor *cursor);

/// Returns NULL if there is no current row.
const uint8_t *_Nullable scrollback_cursor_key(const scrollback_cursor *cursor, size_t *size);

/// There must be a current row.
const uint8_t *scrollback_cursor_value(const scrollback_cursor *cursor, size_t *size);

/// Sets `error` if a row could not be read.
void scrollback_cursor_check(const scrollback_cursor *cursor, char *_Nullable *_Nonnull error);

// MARK: Maintenance

extern const int scrollback_leveldb_major, scrollback_leveldb_minor;

/// Returns a property such as "leveldb.stats", which the caller frees; NULL if it is unknown.
char *_Nullable scrollback_db_property(scrollback_db *db, const char *name);

/// Rewrites the tables of a range of keys without removed rows; a bound may be NULL.
void scrollback_db_compact(
    scrollback_db *db, const uint8_t *_Nullable lower, size_t lower_size,
    const uint8_t *_Nullable upper, size_t upper_size);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif
