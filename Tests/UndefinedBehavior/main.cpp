// Runs the C++ targets with the undefined behavior sanitizer and without Swift: `make ubsan`.
//
// The program writes, reopens, damages, repairs and rolls back an unencrypted and an encrypted
// database. They are in the directory that is the only argument. The sanitizer ends the process at
// the first finding.

#include <leveldb/c.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "CFaultEnvironment.h"
#include "CLevelDBEnvironment.h"

namespace files = std::filesystem;

namespace {

[[noreturn]] void Fail(const char *what, int line) {
    std::fprintf(stderr, "main.cpp:%d: %s\n", line, what);
    std::exit(1);
}

#define CHECK(condition) ((condition) ? (void)0 : Fail(#condition, __LINE__))

// The sum of the bytes that a tag depends on. The cipher encrypts nothing, and uses this sum as its
// tag.
uint8_t Sum(const uint8_t *bytes, size_t count, uint8_t sum) {
    for (size_t at = 0; at < count; at++) sum = static_cast<uint8_t>(sum * 31 + bytes[at]);
    return sum;
}

uint8_t Tag(
    const uint8_t *nonce, const uint8_t *bound, size_t boundCount, const uint8_t *plain,
    size_t count) {
    uint8_t sum = Sum(nonce, scrollback_nonce_size, 7);
    return Sum(plain, count, Sum(bound, boundCount, sum));
}

scrollback_cipher Cipher(uint32_t generation) {
    static char key;
    scrollback_cipher cipher = {};
    cipher.context = &key;
    cipher.generation = generation;
    cipher.make_key = [](void *context, uint32_t, const uint8_t *salt, const char *, size_t,
                         uint8_t *check) {
        std::memcpy(check, salt, scrollback_check_size);
        return context;
    };
    cipher.drop_key = [](void *) {};
    cipher.seal = [](void *, const uint8_t *nonce, const uint8_t *bound, size_t boundCount,
                     const uint8_t *plain, size_t count, uint8_t *sealed) {
        if (count > 0) std::memcpy(sealed, plain, count);
        std::memset(
            sealed + count, Tag(nonce, bound, boundCount, sealed, count), scrollback_tag_size);
        return true;
    };
    cipher.open = [](void *, const uint8_t *nonce, const uint8_t *bound, size_t boundCount,
                     const uint8_t *sealed, size_t count, uint8_t *plain) {
        if (sealed[count] != Tag(nonce, bound, boundCount, sealed, count)) return false;
        if (plain != nullptr && count > 0) std::memcpy(plain, sealed, count);
        return true;
    };
    cipher.randomize = [](uint8_t *bytes, size_t count) {
        for (size_t at = 0; at < count; at++) bytes[at] = static_cast<uint8_t>(std::rand());
    };
    return cipher;
}

/// An environment on top of one that injects faults, and the options for opening a database in it.
struct Disk {
    explicit Disk(uint32_t generation) : faults(fault_env_create()) {
        const scrollback_cipher cipher = Cipher(generation);
        env = generation > 0
            ? scrollback_env_create_sealed(fault_env_leveldb(faults), &cipher, "cache")
            : scrollback_env_create_around(fault_env_leveldb(faults));
        options = leveldb_options_create();
        leveldb_options_set_env(options, scrollback_env_leveldb(env));
        leveldb_options_set_create_if_missing(options, 1);
        leveldb_options_set_paranoid_checks(options, 1);
        leveldb_options_set_compression(options, leveldb_no_compression);
        scrollback_options_set_reuse_logs(options, 1);
    }

    ~Disk() {
        leveldb_options_destroy(options);
        scrollback_env_destroy(env);
        fault_env_destroy(faults);
    }

    /// Opens the database.
    ///
    /// Returns null if that fails.
    leveldb_t *Open(const files::path &path) {
        char *error = nullptr;
        leveldb_t *database = leveldb_open(options, path.c_str(), &error);
        leveldb_free(error);
        return database;
    }

    fault_env *faults;
    scrollback_env *env;
    leveldb_options_t *options;
};

std::string Value(int number) {
    std::string value(8192, 0);
    for (size_t at = 0; at < value.size(); at++) value[at] = static_cast<char>(number * 7 + at * at);
    return value;
}

/// Writes a row.
///
/// Returns whether that succeeded.
bool Put(leveldb_t *database, int number) {
    char *error = nullptr;
    leveldb_writeoptions_t *options = leveldb_writeoptions_create();
    leveldb_writeoptions_set_sync(options, 1);
    const std::string key = std::to_string(number), value = Value(number);
    leveldb_put(database, options, key.data(), key.size(), value.data(), value.size(), &error);
    leveldb_writeoptions_destroy(options);
    const bool isWritten = error == nullptr;
    leveldb_free(error);
    return isWritten;
}

/// Reads all rows in both directions.
///
/// Returns the number of rows.
int Read(leveldb_t *database) {
    leveldb_readoptions_t *options = leveldb_readoptions_create();
    leveldb_readoptions_set_verify_checksums(options, 1);
    leveldb_iterator_t *iterator = leveldb_create_iterator(database, options);
    int count = 0;
    for (leveldb_iter_seek_to_first(iterator); leveldb_iter_valid(iterator);
         leveldb_iter_next(iterator)) {
        size_t keySize, valueSize;
        const char *key = leveldb_iter_key(iterator, &keySize);
        const char *value = leveldb_iter_value(iterator, &valueSize);
        CHECK(std::string(value, valueSize) == Value(std::stoi(std::string(key, keySize))));
        count++;
    }
    for (leveldb_iter_seek_to_last(iterator); leveldb_iter_valid(iterator);) {
        leveldb_iter_prev(iterator);
    }
    leveldb_iter_destroy(iterator);
    leveldb_readoptions_destroy(options);
    return count;
}

std::string Contents(const files::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Replaces one file in a copy of the database, and opens the copy: first strictly, then skipping
/// the damage, then after a repair.
void OpenDamaged(
    const files::path &path, const files::path &file, const std::string &bytes,
    uint32_t generation) {
    const files::path copy = path.string() + "-copy";
    files::remove_all(copy);
    files::copy(path, copy);
    std::ofstream(copy / file.filename(), std::ios::binary) << bytes;
    for (const bool isStrict : {true, false}) {
        Disk disk(generation);
        scrollback_env_refuse_damage(disk.env, isStrict);
        if (leveldb_t *database = disk.Open(copy)) {
            (void)Read(database);
            leveldb_close(database);
        }
        (void)scrollback_env_take_log_report(disk.env);
    }
    Disk disk(generation);
    char *error = nullptr;
    leveldb_repair_db(disk.options, copy.c_str(), &error);
    leveldb_free(error);
}

void Run(const files::path &path, uint32_t generation) {
    // There are enough rows for an encrypted table of more than 256 pages. The last rows are in the
    // log.
    constexpr int kRows = 200, kMore = 4;
    {
        Disk disk(generation);
        leveldb_t *database = disk.Open(path);
        CHECK(database != nullptr);
        for (int number = 0; number < kRows; number++) CHECK(Put(database, number));
        leveldb_compact_range(database, nullptr, 0, nullptr, 0);
        for (int number = kRows; number < kRows + kMore; number++) CHECK(Put(database, number));
        scrollback_env_mark(disk.env);
        CHECK(Read(database) == kRows + kMore);
        leveldb_close(database);
    }
    for (const auto &entry : files::directory_iterator(path)) {
        const std::string bytes = Contents(entry.path());
        const bool isTable = entry.path().extension() == ".ldb";
        const size_t step = 1 + bytes.size() / (isTable ? 3 : 40);
        for (size_t at = 0; at < bytes.size(); at += step) {
            std::string flipped = bytes;
            flipped[at] ^= 0x41;
            OpenDamaged(path, entry.path(), flipped, generation);
            OpenDamaged(path, entry.path(), bytes.substr(0, at), generation);
        }
    }
    for (uint64_t change = 1; change <= 6; change++) {
        Disk disk(generation);
        leveldb_t *database = disk.Open(path);
        CHECK(database != nullptr);
        scrollback_env_mark(disk.env);
        fault_env_tear_appends(disk.faults, true);
        fault_env_fail_after(disk.faults, change, 28);
        const bool isWritten = Put(database, kRows + kMore);
        fault_env_heal(disk.faults);
        leveldb_close(database);
        CHECK(scrollback_env_roll_back(disk.env) == 0);
        database = disk.Open(path);
        CHECK(database != nullptr);
        CHECK(Read(database) >= kRows + kMore);
        CHECK(isWritten || Put(database, kRows + kMore));
        (void)scrollback_env_flush(disk.env, database, 1, 1000);
        leveldb_close(database);
    }
    if (generation == 0) return;
    Disk next(generation + 1);
    for (const auto &entry : files::directory_iterator(path)) {
        if (entry.path().filename() == "LOCK") continue;
        CHECK(scrollback_env_reseal(next.env, entry.path().c_str()) == 0);
    }
    leveldb_t *database = next.Open(path);
    CHECK(database != nullptr);
    CHECK(Read(database) == kRows + kMore + 1);
    leveldb_close(database);
}

}  // namespace

int main(int, char **arguments) {
    const files::path directory = arguments[1];
    files::remove_all(directory);
    files::create_directories(directory);
    uint8_t nonce[scrollback_nonce_size];
    scrollback_page_nonce(0x010204, true, nonce);
    CHECK(std::memcmp(nonce, "\0\0\0\0\0\0\0\0\1\2\4\1", sizeof(nonce)) == 0);
    Run(directory / "plain", 0);
    Run(directory / "sealed", 1);
    files::remove_all(directory);
}
