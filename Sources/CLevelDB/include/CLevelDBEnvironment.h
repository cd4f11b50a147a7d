// The environment of one database: the file system that LevelDB uses.
//
// It wraps another file system, and
//
//   - syncs each log (LevelDB's write-ahead log, a file such as 000005.log) when it is closed,
//     because LevelDB does not sync it then, and the directory when a log is created. Otherwise, a
//     batch could be lost while a later batch survives;
//   - lets no log grow after a failure, and can roll back a failed write;
//   - checks the logs while LevelDB replays them, and reports the batches that LevelDB drops
//     silently;
//   - lets LevelDB reuse a log or manifest only if the file ends after a complete record;
//   - verifies the checksum of each block of a table when the block is read for the first time;
//   - fails an opening if a log cannot be read, whereas LevelDB would ignore the log;
//   - keeps the lock of an open database if this process tries to open the database again;
//   - makes files readable only for their owner, and writes no LOG, which would contain keys;
//   - optionally encrypts the files, and detects modifications;
//   - appends the cause to the text of each error, such as " [errno 28]" or " [locked]", except for
//     NotFound and Corruption, on which LevelDB depends.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

typedef struct scrollback_db scrollback_db;

/// The address of a leveldb::Env on disk.
typedef struct scrollback_base_env scrollback_base_env;

/// The environment of one database, for one opening at a time; thread-safe.
typedef struct scrollback_env scrollback_env;

/// The environment is on disk, or around another file system, which must outlive it.
scrollback_env *scrollback_env_create_disk(scrollback_base_env *_Nullable base);

/// The files exist as long as the environment.
scrollback_env *scrollback_env_create_memory(void);

/// The database must be closed.
void scrollback_env_destroy(scrollback_env *env);

// MARK: Sealed files

enum {
    scrollback_salt_size = 32,
    scrollback_check_size = 20,
    scrollback_nonce_size = 12,
    scrollback_tag_size = 16,
};

/// A cipher that encrypts and authenticates, such as AES-GCM, with a separate key for each file, on
/// any thread.
typedef struct {
    void *context;

    /// The number of the data key for new files; 0 if new files are plain.
    uint32_t generation;

    /// If true, plain files may be read, too; otherwise, they count as damaged.
    bool reads_plain;

    /// Derives the key of a file from the number of the data key, 32 random bytes, and the identity
    /// of the file; returns NULL if there is no data key with this number.
    ///
    /// Sets `check` to a value that depends on all of these arguments, and reveals nothing about
    /// the key.
    void *_Nullable (*_Nonnull make_key)(
        void *context, uint32_t generation, const uint8_t *salt, const char *identity,
        size_t identity_count, uint8_t *check);

    void (*_Nonnull drop_key)(void *key);

    /// Writes `count` encrypted bytes and the tag.
    bool (*_Nonnull seal)(
        void *key, const uint8_t *nonce, const uint8_t *bound, size_t bound_count,
        const uint8_t *_Nullable plain, size_t count, uint8_t *sealed);

    /// Reads `count` bytes and the tag; returns false, and writes nothing, unless they were sealed
    /// under this key with this nonce and this authenticated data.
    bool (*_Nonnull open)(
        void *key, const uint8_t *nonce, const uint8_t *bound, size_t bound_count,
        const uint8_t *sealed, size_t count, uint8_t *_Nullable plain);

    void (*_Nonnull randomize)(uint8_t *bytes, size_t count);
} scrollback_cipher;

/// Creates an environment whose files are sealed.
///
/// `cipher` is copied; its context must outlive the environment. `scope` identifies the database,
/// so that a file of one database cannot replace a file of another.
scrollback_env *scrollback_env_create_sealed(
    scrollback_base_env *_Nullable base, const scrollback_cipher *cipher, const char *scope);

/// Writes the nonce of a page of a sealed table, for tests: the page's number in 11 bytes, the
/// highest first, then whether it is the last page.
void scrollback_page_nonce(uint64_t page, bool is_last, uint8_t *nonce);

/// The suffix of an unfinished resealed file, which may remain after a crash.
#define SCROLLBACK_RESEALED_SUFFIX ".resealed"

/// Atomically seals a file of a closed database under the key of new files, unless it has this key.
///
/// The new file is damaged in the same places. An entirely unreadable file is not changed. Returns
/// 0 or an errno. Repeat the call after an error or a crash.
int scrollback_env_reseal(scrollback_env *env, const char *path);

/// Passes the plain bytes of a sealed log or manifest of a closed database to a function; bytes
/// that cannot be decrypted are 0xFF.
///
/// Returns 0 or an errno: ENOTSUP if the environment does not seal files.
int scrollback_env_read(
    scrollback_env *env, const char *path, void *context,
    void (*body)(void *context, const uint8_t *bytes, size_t count));

/// Atomically replaces the plain bytes of a sealed log or manifest of a closed database.
///
/// Returns 0 or an errno: ENOTSUP if the environment does not seal files.
int scrollback_env_replace(
    scrollback_env *env, const char *path, const uint8_t *bytes, size_t count);

// MARK: Copies of files

/// The suffix of the copy of an outgoing file, which LevelDB does not use, and which is sealed in
/// pages, as tables are.
#define SCROLLBACK_COPY_SUFFIX ".copy"

// If one of these calls fails, it sets `error` to a text in LevelDB's form, which the caller frees.

/// A file that is written once, from the beginning to the end.
typedef struct scrollback_writer scrollback_writer;

/// Creates or replaces a file, which only its owner can read.
scrollback_writer *_Nullable scrollback_env_create_file(
    scrollback_env *env, const char *path, char *_Nullable *_Nonnull error);

void scrollback_writer_append(
    scrollback_writer *writer, const void *_Nullable bytes, size_t count,
    char *_Nullable *_Nonnull error);

/// Ends the file, and syncs its bytes and its name in the directory to disk.
void scrollback_writer_finish(scrollback_writer *writer, char *_Nullable *_Nonnull error);

/// The file need not be finished.
void scrollback_writer_destroy(scrollback_writer *writer);

/// A file that is read from the beginning to the end.
typedef struct scrollback_reader scrollback_reader;

/// Sets `size` to the number of plain bytes.
scrollback_reader *_Nullable scrollback_env_open_file(
    scrollback_env *env, const char *path, uint64_t *size, char *_Nullable *_Nonnull error);

/// Returns the number of bytes read, which is less than `count` only at the end of the file.
size_t scrollback_reader_read(
    scrollback_reader *reader, void *bytes, size_t count, char *_Nullable *_Nonnull error);

void scrollback_reader_destroy(scrollback_reader *reader);

/// The file need not exist.
void scrollback_env_remove_file(
    scrollback_env *env, const char *path, char *_Nullable *_Nonnull error);

// MARK: Rolling back a failed write

/// Marks the current content of the logs as good; after a failure, this has no effect.
///
/// Call this function after each successful write, before the next one begins. It costs about 20
/// ns.
void scrollback_env_mark(scrollback_env *env);

/// Truncates the logs to the last mark.
///
/// If a log cannot be written or synced, every later write fails with the same error, because bytes
/// after a torn record would be lost. Close the database, call this function, and open the database
/// again: the failed write is then removed, and writes are accepted again. Without this call, the
/// reopened database may or may not contain the failed write.
///
/// Returns 0 or an errno: EBUSY if a process has the database open. Repeat the call after an error.
int scrollback_env_roll_back(scrollback_env *env);

// MARK: Flushing the logs

/// If the logs have at least a given number of bytes, makes LevelDB write their content to a table,
/// so that the next opening has nothing to replay; returns whether the logs have fewer bytes then.
///
/// Waits for the table, up to the given time, but not for a compaction of tables, unlike
/// scrollback_db_compact. If anything fails, the logs keep their content. `db` is the open database
/// of `env`, and must not be written during the call.
bool scrollback_env_flush(
    scrollback_env *env, scrollback_db *db, uint64_t least_bytes, int64_t most_milliseconds);

// MARK: Locks

typedef struct scrollback_lock scrollback_lock;

/// Locks the database in a directory as an opening does.
///
/// Returns NULL on failure, with an errno in `error`: EBUSY if a process has the database open, and
/// ENOENT if there is no such directory.
scrollback_lock *_Nullable scrollback_env_lock(
    scrollback_env *env, const char *directory, int *error);

void scrollback_env_unlock(scrollback_env *env, scrollback_lock *lock);

// MARK: Reports about logs

/// A report about the logs that were replayed when a database was opened.
typedef struct {
    /// The numbers of replayed logs, and of write batches that LevelDB has received from them.
    uint64_t logs;
    uint64_t batches;

    /// The number of batches whose sequence number does not follow that of the previous batch, or
    /// of the manifest: batches are missing or repeated.
    ///
    /// If a log has lost its end, this counts only if a later log has batches. No crash causes a
    /// break, because a log is synced before the next log grows.
    uint64_t breaks;

    /// The number of damaged places: a wrong checksum, an impossible header, a record without its
    /// beginning or end, or a missing log.
    uint64_t damaged;

    /// True if the last log with batches ends within a record or in zeros, as after a crash.
    ///
    /// This is not damage: only the batch in the incomplete record, and batches that followed it,
    /// were lost.
    bool torn_tail;

    /// The first log with a break or damage, such as "000005.log", or an empty text.
    char first_damaged[32];
} scrollback_log_report;

/// Returns the report of the last opening, and clears it.
scrollback_log_report scrollback_env_take_log_report(scrollback_env *env);

// MARK: LevelDB's log format

// On-disk format of LevelDB, do not change: leveldb/doc/log_format.md. A log or a manifest consists
// of blocks of fragments of records. A fragment has a header: its checksum in four bytes, its
// length in two, and its type in one. If the end of a block has no room for a header, it is empty.
enum {
    scrollback_log_block_size = 32768,
    scrollback_log_header_size = 7,
};

/// Returns the checksum in the header of a fragment, given its type and the bytes that follow, or
/// the checksum after a block of a table, given its bytes and its type.
///
/// It is the CRC-32C, masked, because a CRC is weak for bytes that contain their own CRC.
uint32_t scrollback_checksum(const void *bytes, size_t count);

/// Does not use an instruction of the processor, for tests.
uint32_t scrollback_checksum_by_table(const void *bytes, size_t count);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif
