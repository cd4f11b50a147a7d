#include "options.h"

#include <leveldb/options.h>

// The layout of this type in LevelDB's C API, which has no function for this option.
struct leveldb_options_t {
    leveldb::Options rep;
};

void peer_leveldb_reuse_logs(leveldb_options_t *options) { options->rep.reuse_logs = true; }
