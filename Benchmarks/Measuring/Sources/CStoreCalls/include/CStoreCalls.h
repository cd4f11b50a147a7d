#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// The numbers of calls of LevelDB and of LevelDB's calls of the system.
typedef struct {
    /// Lookups of a key.
    long gets;
    /// Seeks of iterators, and steps to the next or previous row.
    long seeks, steps;
    /// Snapshots that were created.
    long snapshots;
    /// Batches, the rows that the batches put or remove, and the bytes of the keys and values of
    /// these rows.
    long batches, rows, bytes;
    /// Bytes written to files (logs and LevelDB tables), and syncs of files.
    long written, syncs;
} store_calls;

/// Starts counting at 0.
void store_calls_start(void);

/// Stops counting, and returns the counts.
store_calls store_calls_stop(void);

#ifdef __cplusplus
}
#endif
