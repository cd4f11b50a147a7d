// A LevelDB database behind C functions, in one environment of CLevelDBEnvironment.h.
//
// If a call fails, it sets `error` to a text that the caller frees. The text is LevelDB's, with the
// cause that CLevelDBEnvironment.h describes.
//
// Pointers to a key or value that a function returns or passes to a callback are valid until the
// cursor moves or the callback returns.
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

    /// Whether to reuse the last log and manifest, instead of writing a table, a new log and a new
    /// manifest.
    ///
    /// The environment prevents the reuse of a file that is not intact.
    bool reuses_logs;

    /// 0 for no filter.
    int bloom_bits_per_key;

    int max_open_files;
    size_t write_buffer_size;
    size_t block_cache_size;
} scrollback_db_options;

/// Opens a database in a directory, which is created if it does not exist.
///
/// The environment must outlive the database.
scrollback_db *_Nullable scrollback_db_open(
    scrollback_env *env, const char *path, const scrollback_db_options *options,
    char *_Nullable *_Nonnull error);

/// Closes a database.
///
/// All its snapshots must be released.
void scrollback_db_close(scrollback_db *db);

/// Removes a closed database with all its files, if it exists.
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

/// Writes a batch atomically.
///
/// A later row with the same key replaces an earlier one. If `is_durable`, the batch is on disk when
/// the call returns. Writes of one database must not be concurrent.
void scrollback_db_write(
    scrollback_db *db, const uint8_t *_Nullable bytes, size_t size,
    const scrollback_row *_Nullable rows, size_t row_count, bool is_durable,
    char *_Nullable *_Nonnull error);

// MARK: Reading

/// A view of a database at one point in time, which is thread-safe.
typedef struct scrollback_snapshot scrollback_snapshot;

/// Creates a snapshot.
scrollback_snapshot *scrollback_snapshot_create(scrollback_db *db);

void scrollback_snapshot_release(scrollback_snapshot *snapshot);

/// Copies the value of a key into a buffer, or, if the value is larger, into memory that the caller
/// frees.
///
/// Sets `value_size`. Returns the copy; NULL if there is no value.
uint8_t *_Nullable scrollback_snapshot_get(
    const scrollback_snapshot *snapshot, const uint8_t *_Nullable key, size_t key_size,
    uint8_t *buffer, size_t buffer_size, size_t *value_size, char *_Nullable *_Nonnull error);

/// Receives a row, and returns whether to continue.
typedef bool (*scrollback_visit)(
    void *_Nullable context, const uint8_t *key, size_t key_size, const uint8_t *value,
    size_t value_size);

/// Passes the rows of a page to a function: those whose keys are not less than `lower`, and less
/// than `upper`, in the order of the keys or in the opposite order.
///
/// Ends after `limit` rows, or when the function returns false. LevelDB skips a block that it
/// cannot read. If the call sets `error`, rows may therefore be missing among those that were
/// passed.
void scrollback_snapshot_page(
    const scrollback_snapshot *snapshot, const uint8_t *_Nullable lower, size_t lower_size,
    const uint8_t *_Nullable upper, size_t upper_size, bool is_descending, size_t limit,
    scrollback_visit visit, void *_Nullable context, char *_Nullable *_Nonnull error);

/// An iterator over the rows of a snapshot, for one thread.
typedef struct scrollback_cursor scrollback_cursor;

/// Creates a cursor without a current row.
///
/// The snapshot must outlive the cursor.
scrollback_cursor *scrollback_cursor_create(const scrollback_snapshot *snapshot);

void scrollback_cursor_destroy(scrollback_cursor *cursor);

/// Moves to the first row whose key is not less than `key`.
void scrollback_cursor_seek(
    scrollback_cursor *cursor, const uint8_t *_Nullable key, size_t key_size);

/// Moves to the next row; there must be a current row.
void scrollback_cursor_next(scrollback_cursor *cursor);

/// Returns the key of the current row; NULL if there is none.
const uint8_t *_Nullable scrollback_cursor_key(const scrollback_cursor *cursor, size_t *size);

/// Returns the value of the current row, which must exist.
const uint8_t *scrollback_cursor_value(const scrollback_cursor *cursor, size_t *size);

/// Sets `error` if a row could not be read.
void scrollback_cursor_check(const scrollback_cursor *cursor, char *_Nullable *_Nonnull error);

// MARK: Maintenance

/// The version of LevelDB for which this target was compiled.
extern const int scrollback_leveldb_major, scrollback_leveldb_minor;

/// Returns a property such as "leveldb.stats" as a text that the caller frees; NULL if LevelDB does
/// not know it.
char *_Nullable scrollback_db_property(scrollback_db *db, const char *name);

/// Rewrites the tables of a range of keys without removed rows.
///
/// A NULL bound means that the range has no bound.
void scrollback_db_compact(
    scrollback_db *db, const uint8_t *_Nullable lower, size_t lower_size,
    const uint8_t *_Nullable upper, size_t upper_size);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif
