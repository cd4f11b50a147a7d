// Runs the C++ targets with the undefined behavior sanitizer and without Swift: `make ubsan`.
//
// The program writes, reopens, damages, repairs and rolls back an unencrypted and an encrypted
// database. They are in the directory that is the only argument. The sanitizer ends the process at
// the first finding.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "CFaultEnvironment.h"
#include "CLevelDB.h"

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
            ? scrollback_env_create_sealed(fault_env_base(faults), &cipher, "cache")
            : scrollback_env_create_disk(fault_env_base(faults));
        options.reuses_logs = true;
        options.bloom_bits_per_key = 10;
        options.max_open_files = 100;
        options.write_buffer_size = 4 << 20;
        options.block_cache_size = 1 << 20;
    }

    ~Disk() {
        scrollback_env_destroy(env);
        fault_env_destroy(faults);
    }

    /// Opens the database.
    ///
    /// Returns null if that fails.
    scrollback_db *Open(const files::path &path) {
        char *error = nullptr;
        scrollback_db *database = scrollback_db_open(env, path.c_str(), &options, &error);
        std::free(error);
        return database;
    }

    fault_env *faults;
    scrollback_env *env;
    scrollback_db_options options = {};
};

const uint8_t *Bytes(const std::string &bytes) {
    return reinterpret_cast<const uint8_t *>(bytes.data());
}

std::string Value(int number) {
    std::string value(8192, 0);
    for (size_t at = 0; at < value.size(); at++) value[at] = static_cast<char>(number * 7 + at * at);
    return value;
}

/// Writes a row.
///
/// Returns whether that succeeded.
bool Put(scrollback_db *database, int number) {
    char *error = nullptr;
    const std::string key = std::to_string(number), bytes = key + Value(number);
    const scrollback_row row = {
        0, static_cast<ptrdiff_t>(key.size()), static_cast<ptrdiff_t>(bytes.size())};
    scrollback_db_write(database, Bytes(bytes), bytes.size(), &row, 1, true, &error);
    const bool isWritten = error == nullptr;
    std::free(error);
    return isWritten;
}

/// Reads all rows in both directions, as pages and with a cursor, and looks each of them up.
///
/// Returns the number of rows.
int Read(scrollback_db *database) {
    struct Page {
        const scrollback_snapshot *snapshot;
        int count;
    } page = {scrollback_snapshot_create(database), 0};
    const auto visit = [](void *context, const uint8_t *key, size_t keySize, const uint8_t *value,
                          size_t valueSize) {
        Page *page = static_cast<Page *>(context);
        const std::string expected = Value(std::stoi(std::string(key, key + keySize)));
        CHECK(std::string(value, value + valueSize) == expected);
        uint8_t buffer[16];
        size_t size = 0;
        char *error = nullptr;
        uint8_t *found = scrollback_snapshot_get(
            page->snapshot, key, keySize, buffer, sizeof(buffer), &size, &error);
        std::free(error);
        CHECK(found == nullptr || std::string(found, found + size) == expected);
        std::free(found);
        page->count++;
        return true;
    };
    const uint8_t upper = 0xFF;
    int counts[2] = {};
    bool isWhole = true;
    for (const bool isDescending : {true, false}) {
        for (const size_t limit : {size_t(3), SIZE_MAX}) {
            char *error = nullptr;
            page.count = 0;
            scrollback_snapshot_page(
                page.snapshot, nullptr, 0, &upper, 1, isDescending, limit, visit, &page, &error);
            CHECK(static_cast<size_t>(page.count) <= limit);
            counts[isDescending] = page.count;
            isWhole = isWhole && error == nullptr;
            std::free(error);
        }
    }
    CHECK(!isWhole || counts[0] == counts[1]);
    int count = 0;
    size_t size = 0;
    char *error = nullptr;
    scrollback_cursor *cursor = scrollback_cursor_create(page.snapshot);
    scrollback_cursor_seek(cursor, nullptr, 0);
    for (; scrollback_cursor_key(cursor, &size) != nullptr; scrollback_cursor_next(cursor)) {
        (void)scrollback_cursor_value(cursor, &size);
        count++;
    }
    scrollback_cursor_check(cursor, &error);
    CHECK(!isWhole || (error == nullptr && count == counts[0]));
    std::free(error);
    scrollback_cursor_destroy(cursor);
    scrollback_snapshot_release(const_cast<scrollback_snapshot *>(page.snapshot));
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
        disk.options.skips_damage = !isStrict;
        if (scrollback_db *database = disk.Open(copy)) {
            (void)Read(database);
            scrollback_db_close(database);
        }
        (void)scrollback_env_take_log_report(disk.env);
    }
    Disk disk(generation);
    char *error = nullptr;
    scrollback_db_repair(disk.env, copy.c_str(), &disk.options, &error);
    std::free(error);
}

void Run(const files::path &path, uint32_t generation) {
    // There are enough rows for an encrypted table of more than 256 pages. The last rows are in the
    // log.
    constexpr int kRows = 200, kMore = 4;
    {
        Disk disk(generation);
        scrollback_db *database = disk.Open(path);
        CHECK(database != nullptr);
        for (int number = 0; number < kRows; number++) CHECK(Put(database, number));
        scrollback_db_compact(database, nullptr, 0, nullptr, 0);
        for (int number = kRows; number < kRows + kMore; number++) CHECK(Put(database, number));
        scrollback_env_mark(disk.env);
        CHECK(Read(database) == kRows + kMore);
        scrollback_db_close(database);
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
        scrollback_db *database = disk.Open(path);
        CHECK(database != nullptr);
        scrollback_env_mark(disk.env);
        fault_env_tear_appends(disk.faults, true);
        fault_env_fail_after(disk.faults, change, 28);
        const bool isWritten = Put(database, kRows + kMore);
        fault_env_heal(disk.faults);
        scrollback_db_close(database);
        CHECK(scrollback_env_roll_back(disk.env) == 0);
        database = disk.Open(path);
        CHECK(database != nullptr);
        CHECK(Read(database) >= kRows + kMore);
        CHECK(isWritten || Put(database, kRows + kMore));
        (void)scrollback_env_flush(disk.env, database, 1, 1000);
        scrollback_db_close(database);
    }
    if (generation == 0) return;
    Disk next(generation + 1);
    for (const auto &entry : files::directory_iterator(path)) {
        if (entry.path().filename() == "LOCK") continue;
        CHECK(scrollback_env_reseal(next.env, entry.path().c_str()) == 0);
    }
    scrollback_db *database = next.Open(path);
    CHECK(database != nullptr);
    CHECK(Read(database) == kRows + kMore + 1);
    scrollback_db_close(database);
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
