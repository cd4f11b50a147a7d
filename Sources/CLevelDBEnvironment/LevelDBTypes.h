#ifndef SCROLLBACK_LEVELDBTYPES_H
#define SCROLLBACK_LEVELDBTYPES_H

#include <cstddef>

#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/options.h"

// The opaque types of LevelDB's C API, as db/c.cc defines them in versions 1.20 to 1.23. The
// compiler cannot detect a version with other layouts, but the tests do.

struct leveldb_env_t {
    leveldb::Env *rep;
    bool is_default;
};

struct leveldb_options_t {
    leveldb::Options rep;
};

struct leveldb_t {
    leveldb::DB *rep;
};

static_assert(offsetof(leveldb_env_t, rep) == 0, "db/c.cc reads the environment first.");
static_assert(offsetof(leveldb_t, rep) == 0, "db/c.cc has nothing else.");
static_assert(sizeof(leveldb_options_t) == sizeof(leveldb::Options), "db/c.cc has nothing else.");

#endif
