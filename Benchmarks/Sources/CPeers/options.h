#pragma once

struct leveldb_options_t;

#ifdef __cplusplus
extern "C"
#endif
/// Has LevelDB go on with its last log when it opens, as ours does.
void peer_leveldb_reuse_logs(struct leveldb_options_t *options);
