import CScrollbackLevelDB
import CScrollbackLevelDBEnvironment

extension LevelDB {
    /// An open database, which is closed when its last reference is released.
    final class Handle: Sendable {
        let path: String
        private let database: Pointer
        private let durable: Pointer
        private let quick: Pointer
        private let batch: Pointer
        let verifiesChecksums: Bool
        let firstDamage: FirstDamage
        private let configuration: Configuration

        init(
            at path: String, options: StoreOptions, environment: Environment,
            firstDamage: FirstDamage, skippingDamage: Bool
        ) throws(StoreError) {
            if environment.isOnDisk { try DatabaseFiles(path).checkNoneIsMissing() }
            let configuration = Configuration(options, environment)
            leveldb_options_set_create_if_missing(configuration.pointer, 1)
            leveldb_options_set_paranoid_checks(configuration.pointer, skippingDamage ? 0 : 1)
            environment.refuseDamage(!skippingDamage)
            scrollback_options_set_reuse_logs(configuration.pointer, 1)
            database = Pointer(
                try LevelDB.check(path) { leveldb_open(configuration.pointer, path, $0) }!)
            self.path = path
            self.configuration = configuration
            self.firstDamage = firstDamage
            verifiesChecksums = options.verifiesChecksums
            durable = Pointer(leveldb_writeoptions_create())
            quick = Pointer(leveldb_writeoptions_create())
            batch = Pointer(leveldb_writebatch_create())
            leveldb_writeoptions_set_sync(durable.raw, 1)
        }

        deinit {
            leveldb_close(pointer)
            leveldb_writeoptions_destroy(durably)
            leveldb_writeoptions_destroy(quickly)
            leveldb_writebatch_destroy(smallBatch)
        }

        var pointer: OpaquePointer { @inline(__always) get { database.raw } }
        var durably: OpaquePointer { durable.raw }
        var quickly: OpaquePointer { quick.raw }
        /// A native batch that small writes reuse, empty between writes.
        var smallBatch: OpaquePointer { batch.raw }

        /// The number of tables that LevelDB has not merged yet.
        var unmergedTableCount: Int {
            let text = leveldb_property_value(pointer, "leveldb.num-files-at-level0")
            defer { leveldb_free(text) }
            return text.flatMap { Int(String(cString: $0)) } ?? 0
        }
    }

    /// LevelDB's options and the objects that they refer to, which must outlive the database.
    final class Configuration: Sendable {
        private let options: Pointer
        private let environment: Environment
        private let cache: Pointer
        private let filter: Pointer?

        var pointer: OpaquePointer { options.raw }

        init(_ options: StoreOptions, _ environment: Environment) {
            let options = options.clamped
            let pointer: OpaquePointer = leveldb_options_create()
            self.options = Pointer(pointer)
            self.environment = environment
            cache = Pointer(leveldb_cache_create_lru(options.blockCacheByteCount))
            let bits = Int32(options.bloomFilterBitsPerKey)
            filter = bits > 0 ? Pointer(leveldb_filterpolicy_create_bloom(bits)) : nil
            leveldb_options_set_env(pointer, scrollback_env_leveldb(environment.pointer))
            leveldb_options_set_cache(pointer, cache.raw)
            if let filter { leveldb_options_set_filter_policy(pointer, filter.raw) }
            leveldb_options_set_write_buffer_size(pointer, options.writeBufferByteCount)
            leveldb_options_set_max_open_files(pointer, Int32(options.maxOpenFiles))
            leveldb_options_set_compression(
                pointer,
                Int32(
                    options.isCompressed
                        ? leveldb_snappy_compression : leveldb_no_compression))
        }

        deinit {
            leveldb_options_destroy(pointer)
            leveldb_cache_destroy(cache.raw)
            if let filter { leveldb_filterpolicy_destroy(filter.raw) }
        }
    }
}
