#pragma once

/// How often LevelDB was called, and the system by it.
typedef struct {
    /// Lookups of a key.
    long gets;
    /// Places looked for in an order, and steps from one row to a neighbour.
    long seeks, steps;
    /// Views of one moment.
    long snapshots;
    /// Batches, their rows, put and removed, and the bytes of those: keys and values.
    long batches, rows, bytes;
    /// What was written to files, logs and tables alike, and how often a file was waited for.
    long written, syncs;
} store_calls;

/// Starts to count, at 0.
void store_calls_start(void);

/// Stops, and returns what was counted since.
store_calls store_calls_stop(void);
