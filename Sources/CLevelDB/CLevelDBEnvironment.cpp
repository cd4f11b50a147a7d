#include "CLevelDBEnvironment.h"

#include "Handles.h"

using scrollback::Report;

namespace {

leveldb::Env *Base(scrollback_base_env *base) {
    return base == nullptr ? leveldb::Env::Default() : reinterpret_cast<leveldb::Env *>(base);
}

}  // namespace

scrollback_env *scrollback_env_create_disk(scrollback_base_env *base) {
    return new scrollback_env(scrollback::NewDiskFiles(Base(base)));
}

scrollback_env *scrollback_env_create_memory(void) {
    return new scrollback_env(scrollback::NewMemoryFiles());
}

scrollback_env *scrollback_env_create_sealed(
    scrollback_base_env *base, const scrollback_cipher *cipher, const char *scope) {
    auto files = scrollback::NewDiskFiles(Base(base));
    return new scrollback_env(scrollback::NewSealedFiles(std::move(files), *cipher, scope));
}

int scrollback_env_reseal(scrollback_env *env, const char *path) {
    return env->environment.files().Reseal(path);
}

struct scrollback_writer {
    scrollback::Environment *environment;
    std::string path;
    std::unique_ptr<leveldb::WritableFile> file;
};

struct scrollback_reader {
    std::unique_ptr<leveldb::SequentialFile> file;
};

scrollback_writer *scrollback_env_create_file(
    scrollback_env *env, const char *path, char **error) {
    leveldb::WritableFile *file = nullptr;
    if (!Report(env->environment.NewWritableFile(path, &file), error)) return nullptr;
    return new scrollback_writer{
        &env->environment, path, std::unique_ptr<leveldb::WritableFile>(file)};
}

void scrollback_writer_append(
    scrollback_writer *writer, const void *bytes, size_t count, char **error) {
    if (count == 0) return;
    Report(writer->file->Append(leveldb::Slice(static_cast<const char *>(bytes), count)), error);
}

void scrollback_writer_finish(scrollback_writer *writer, char **error) {
    leveldb::Status status = writer->file->Sync();
    if (status.ok()) status = writer->file->Close();
    if (status.ok()) status = writer->environment->SyncDirectoryOf(writer->path);
    Report(status, error);
}

void scrollback_writer_destroy(scrollback_writer *writer) { delete writer; }

scrollback_reader *scrollback_env_open_file(
    scrollback_env *env, const char *path, uint64_t *size, char **error) {
    leveldb::SequentialFile *file = nullptr;
    leveldb::Status status = env->environment.GetFileSize(path, size);
    if (status.ok()) status = env->environment.NewSequentialFile(path, &file);
    if (!Report(status, error)) return nullptr;
    return new scrollback_reader{std::unique_ptr<leveldb::SequentialFile>(file)};
}

size_t scrollback_reader_read(
    scrollback_reader *reader, void *bytes, size_t count, char **error) {
    size_t have = 0;
    leveldb::Status status = scrollback::ReadFully(
        reader->file.get(), count, static_cast<char *>(bytes), &have);
    return Report(status, error) ? have : 0;
}

void scrollback_reader_destroy(scrollback_reader *reader) { delete reader; }

void scrollback_env_remove_file(scrollback_env *env, const char *path, char **error) {
    leveldb::Status status = env->environment.RemoveFile(path);
    if (!status.IsNotFound()) Report(status, error);
}

int scrollback_env_read(
    scrollback_env *env, const char *path, void *context,
    void (*body)(void *context, const uint8_t *bytes, size_t count)) {
    std::string bytes;
    const int error = env->environment.files().Contents(path, &bytes);
    if (error == 0) {
        body(context, reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
    }
    return error;
}

int scrollback_env_replace(
    scrollback_env *env, const char *path, const uint8_t *bytes, size_t count) {
    const std::string contents(reinterpret_cast<const char *>(bytes), count);
    return env->environment.files().SetContents(path, contents);
}

void scrollback_env_destroy(scrollback_env *env) { delete env; }

void scrollback_env_mark(scrollback_env *env) { env->environment.Mark(); }

int scrollback_env_roll_back(scrollback_env *env) { return env->environment.RollBack(); }

bool scrollback_env_flush(
    scrollback_env *env, scrollback_db *db, uint64_t least_bytes, int64_t most_milliseconds) {
    return env->environment.Flush(least_bytes, std::chrono::milliseconds(most_milliseconds), [db] {
        // A null batch makes LevelDB begin a new log, and write the old one to a table on its own
        // thread.
        return db->database->Write(leveldb::WriteOptions(), nullptr);
    });
}

scrollback_lock *scrollback_env_lock(scrollback_env *env, const char *directory, int *error) {
    return reinterpret_cast<scrollback_lock *>(env->environment.LockDatabase(directory, error));
}

void scrollback_env_unlock(scrollback_env *env, scrollback_lock *lock) {
    (void)env->environment.UnlockFile(reinterpret_cast<leveldb::FileLock *>(lock));
}

scrollback_log_report scrollback_env_take_log_report(scrollback_env *env) {
    return env->environment.TakeLogReport();
}
