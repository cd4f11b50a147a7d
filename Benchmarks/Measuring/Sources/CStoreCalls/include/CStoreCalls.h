#pragma once

/// The numbers of calls of LevelDB, and of its calls of the system.
typedef struct {
    /// Lookups of a key.
    long gets;
    /// Seeks of iterators, and steps to the next or previous row.
    long seeks, steps;
    /// Snapshots that were created.
    long snapshots;
    /// Batches, the rows that they put or remove, and the bytes of their keys and values.
    long batches, rows, bytes;
    /// Bytes written to files (logs and tables), and syncs of files.
    long written, syncs;
} store_calls;

/// Starts counting at 0.
void store_calls_start(void);

/// Stops counting, and returns the counts.
store_calls store_calls_stop(void);
