#include "options.h"

#include <leveldb/options.h>

// What LevelDB's own functions for C have in it; they lack the option.
struct leveldb_options_t {
    leveldb::Options rep;
};

void peer_leveldb_reuse_logs(leveldb_options_t *options) { options->rep.reuse_logs = true; }
