#include <vector>

#include "Handles.h"
#include "leveldb/iterator.h"
#include "leveldb/table.h"
#include "leveldb/table_builder.h"

namespace scrollback {

using leveldb::Slice;
using leveldb::Status;

namespace {

/// A file that keeps nothing.
class NoFile final : public leveldb::WritableFile {
  public:
    Status Append(const Slice &) override { return Status::OK(); }
    Status Close() override { return Status::OK(); }
    Status Flush() override { return Status::OK(); }
    Status Sync() override { return Status::OK(); }
};

/// Returns whether the linked LevelDB compresses a table.
///
/// LevelDB does not say whether it was built with Snappy.
bool HasSnappy() {
    static const bool hasSnappy = [] {
        const std::string value(2048, 'a');
        leveldb::Options options;
        options.compression = leveldb::kSnappyCompression;
        NoFile file;
        leveldb::TableBuilder table(options, &file);
        table.Add("key", value);
        return table.Finish().ok() && table.FileSize() < value.size();
    }();
    return hasSnappy;
}

/// Returns whether an error reports a compressed block that this LevelDB cannot decompress.
///
/// LevelDB reports such a block as it reports compressed bytes that are damaged.
bool IsUnsupported(const scrollback_env *env, const Status &status) {
    return status.IsCorruption()
        && status.ToString().find("corrupted compressed block contents") != std::string::npos
        && (env->lacksSnappy || !HasSnappy());
}

/// Returns the first error of reading a table that `IsUnsupported`.
Status CheckTable(
    scrollback_env *env, const std::string &path, const leveldb::Options &options) {
    leveldb::Env *files = options.env;
    uint64_t size = 0;
    leveldb::RandomAccessFile *opened = nullptr;
    // A table that cannot be read for another reason is the concern of the repair.
    if (!files->GetFileSize(path, &size).ok()
        || !files->NewRandomAccessFile(path, &opened).ok()) {
        return Status::OK();
    }
    const std::unique_ptr<leveldb::RandomAccessFile> file(opened);
    leveldb::Table *found = nullptr;
    Status status = leveldb::Table::Open(options, file.get(), size, &found);
    const std::unique_ptr<leveldb::Table> table(found);
    if (status.ok()) {
        leveldb::ReadOptions reading;
        reading.verify_checksums = true;
        const std::unique_ptr<leveldb::Iterator> rows(table->NewIterator(reading));
        for (rows->SeekToFirst(); rows->Valid(); rows->Next()) {}
        status = rows->status();
    }
    return IsUnsupported(env, status) ? status : Status::OK();
}

}  // namespace

bool ReportRead(const scrollback_env *env, const Status &status, char **error) {
    if (!IsUnsupported(env, status)) return Report(status, error);
    *error = strdup((status.ToString() + " [compressed]").c_str());
    return false;
}

Status CheckCompression(
    scrollback_env *env, const std::string &path, const leveldb::Options &options) {
    if (!env->lacksSnappy && HasSnappy()) return Status::OK();
    std::vector<std::string> names;
    Status status = options.env->GetChildren(path, &names);
    for (const std::string &name : names) {
        const bool isTable = EndsWith(name, ".ldb") || EndsWith(name, ".sst");
        if (status.ok() && isTable) status = CheckTable(env, path + "/" + name, options);
    }
    return status;
}

}  // namespace scrollback
