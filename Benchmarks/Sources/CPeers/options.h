#pragma once

struct leveldb_options_t;

#ifdef __cplusplus
extern "C"
#endif
/// Makes LevelDB continue its last log when it opens a database, as Scrollback's store does.
void peer_leveldb_reuse_logs(struct leveldb_options_t *options);
