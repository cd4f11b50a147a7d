#pragma once

#include <cstring>
#include <memory>
#include <utility>

#include "CLevelDB.h"
#include "Environment.h"
#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/write_batch.h"

struct scrollback_env {
    scrollback::Environment environment;

    explicit scrollback_env(std::unique_ptr<scrollback::Files> files)
        : environment(std::move(files)) {}
};

struct scrollback_db {
    leveldb::Options options;
    std::unique_ptr<leveldb::Cache> cache;
    std::unique_ptr<const leveldb::FilterPolicy> filter;
    /// The batch of small writes, which keeps its memory.
    leveldb::WriteBatch smallBatch;
    /// Destroyed first, because it uses the other members.
    std::unique_ptr<leveldb::DB> database;

    scrollback_db(scrollback_env *env, const scrollback_db_options &options);
};

namespace scrollback {

/// Passes an error to the caller if there is one, and returns whether there is none.
inline bool Report(const leveldb::Status &status, char **error) {
    if (!status.ok()) *error = strdup(status.ToString().c_str());
    return status.ok();
}

}  // namespace scrollback
