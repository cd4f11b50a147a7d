// A LevelDB environment that fails on purpose. CLevelDBEnvironment's environment is layered on it.
#ifndef SCROLLBACK_CFAULTENVIRONMENT_H
#define SCROLLBACK_CFAULTENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

typedef struct leveldb_env_t leveldb_env_t;

/// An environment over the default one.
///
/// Every call is thread-safe.
typedef struct fault_env fault_env;

fault_env *fault_env_create(void);
void fault_env_destroy(fault_env *env);

/// The environment as LevelDB's type.
///
/// Owned by `env`.
leveldb_env_t *fault_env_leveldb(fault_env *env);

// MARK: Failures
//
// The environment counts changes of the disk: each file created or opened for writing, each Append,
// Flush, Sync and Close of it, and each RenameFile, RemoveFile and CreateDir.

/// Fails the `n`th change from now (the first is 1) and all later ones, until `fault_env_heal`.
void fault_env_fail_after(fault_env *env, uint64_t n, int error);

/// Fails only the `n`th change from now.
void fault_env_fail_once(fault_env *env, uint64_t n, int error);

/// Ends the process, as `kill -9` does, instead of making the `n`th change from now.
void fault_env_kill_at(fault_env *env, uint64_t n);

/// Until `fault_env_heal`, fails to open for writing, or to sync, files whose path has this suffix.
void fault_env_fail_creates(fault_env *env, const char *suffix, int error);
void fault_env_fail_syncs(fault_env *env, const char *suffix, int error);

/// Until `fault_env_heal`, fails to open for reading, or to read, files whose path has this suffix.
void fault_env_fail_opens(fault_env *env, const char *suffix, int error);
void fault_env_fail_reads(fault_env *env, const char *suffix, int error);

/// If `tear` is true, half of the bytes of a failing Append reach the file.
void fault_env_tear_appends(fault_env *env, bool tear);

/// Ends all failures.
void fault_env_heal(fault_env *env);

// MARK: Power cuts

/// Cuts the power: from now on changes appear to succeed, and nothing reaches the disk.
///
/// The database can still be closed.
void fault_env_freeze(fault_env *env);

/// Cuts the power at the `n`th change from now (the first is 1), before that reaches the disk.
void fault_env_freeze_after(fault_env *env, uint64_t n);

/// If `ignore` is true, a sync succeeds and does nothing.
void fault_env_ignore_syncs(fault_env *env, bool ignore);

typedef enum {
    fault_env_all_files,
    /// All logs except the newest one: the effect of a power cut if old logs are not synced.
    fault_env_old_logs,
} fault_env_files;

/// Removes unsynced data from the files written through this environment, after the database was
/// closed.
///
/// Files that were never synced are removed. Returns the number of files that lost data.
int fault_env_lose_unsynced(fault_env *env, fault_env_files which);

// MARK: Measures

typedef struct {
    uint64_t changes;
    uint64_t opened_files;
    uint64_t appends;
    uint64_t appended_bytes;
    uint64_t syncs;
} fault_env_counts;

/// The calls since the environment was created, failed ones included.
fault_env_counts fault_env_counted(fault_env *env);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif

#endif
