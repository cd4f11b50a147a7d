#pragma once

/// Starts to count the allocations of the process, at 0.
void allocations_start(void);

/// Stops, and returns how many there were; -1 where the system's malloc cannot be counted.
long allocations_stop(void);

/// Does nothing, which the optimizer cannot know: what is passed has to be computed.
void keep_pointer(const void *_Nonnull value);
