// Replaces the functions of LevelDB that the store calls, and the functions of the system that
// LevelDB calls. Each replacement counts the call and forwards it. The linker prefers definitions
// in the program.

#define _GNU_SOURCE
#include "CStoreCalls.h"

#include <dlfcn.h>
#include <leveldb/c.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

static volatile bool is_counting = false;
static struct {
    _Atomic long gets, seeks, steps, snapshots, batches, rows, bytes, written, syncs;
} counted;

void store_calls_start(void) {
    counted.gets = counted.seeks = counted.steps = counted.snapshots = 0;
    counted.batches = counted.rows = counted.bytes = counted.written = counted.syncs = 0;
    is_counting = true;
}

store_calls store_calls_stop(void) {
    is_counting = false;
    return (store_calls){
        .gets = counted.gets,
        .seeks = counted.seeks,
        .steps = counted.steps,
        .snapshots = counted.snapshots,
        .batches = counted.batches,
        .rows = counted.rows,
        .bytes = counted.bytes,
        .written = counted.written,
        .syncs = counted.syncs,
    };
}

/// The original function of this name, which is looked up once.
#define NEXT(name)                                                                               \
    static __typeof__(name) *next;                                                               \
    if (!next && !(next = (__typeof__(next))dlsym(RTLD_NEXT, #name))) {                          \
        fprintf(stderr, "There is no %s to pass calls on to.\n", #name);                         \
        abort();                                                                                 \
    }

#define COUNT(what, count)                                                                       \
    if (is_counting) counted.what += (long)(count)

char *leveldb_get(
    leveldb_t *db, const leveldb_readoptions_t *options, const char *key, size_t key_size,
    size_t *size, char **error) {
    NEXT(leveldb_get)
    COUNT(gets, 1);
    return next(db, options, key, key_size, size, error);
}

void leveldb_iter_seek(leveldb_iterator_t *rows, const char *key, size_t key_size) {
    NEXT(leveldb_iter_seek)
    COUNT(seeks, 1);
    next(rows, key, key_size);
}

void leveldb_iter_seek_to_last(leveldb_iterator_t *rows) {
    NEXT(leveldb_iter_seek_to_last)
    COUNT(seeks, 1);
    next(rows);
}

void leveldb_iter_next(leveldb_iterator_t *rows) {
    NEXT(leveldb_iter_next)
    COUNT(steps, 1);
    next(rows);
}

void leveldb_iter_prev(leveldb_iterator_t *rows) {
    NEXT(leveldb_iter_prev)
    COUNT(steps, 1);
    next(rows);
}

const leveldb_snapshot_t *leveldb_create_snapshot(leveldb_t *db) {
    NEXT(leveldb_create_snapshot)
    COUNT(snapshots, 1);
    return next(db);
}

void leveldb_write(
    leveldb_t *db, const leveldb_writeoptions_t *options, leveldb_writebatch_t *batch,
    char **error) {
    NEXT(leveldb_write)
    COUNT(batches, 1);
    next(db, options, batch, error);
}

void leveldb_writebatch_put(
    leveldb_writebatch_t *batch, const char *key, size_t key_size, const char *value,
    size_t size) {
    NEXT(leveldb_writebatch_put)
    COUNT(rows, 1);
    COUNT(bytes, key_size + size);
    next(batch, key, key_size, value, size);
}

void leveldb_writebatch_delete(leveldb_writebatch_t *batch, const char *key, size_t key_size) {
    NEXT(leveldb_writebatch_delete)
    COUNT(rows, 1);
    COUNT(bytes, key_size);
    next(batch, key, key_size);
}

#ifdef __GLIBC__

#include <unistd.h>

ssize_t write(int file, const void *bytes, size_t size) {
    NEXT(write)
    COUNT(written, size);
    return next(file, bytes, size);
}

int fdatasync(int file) {
    NEXT(fdatasync)
    COUNT(syncs, 1);
    return next(file);
}

#endif
