#pragma once

/// Starts counting the allocations of the process at 0.
void allocations_start(void);

/// Stops counting, and returns the number of allocations, or -1 if the system's malloc cannot be
/// replaced.
long allocations_stop(void);

/// Does nothing.
///
/// Because the optimizer does not know this, the argument must be computed.
void keep_pointer(const void *_Nonnull value);
