import CScrollbackLevelDB
import Foundation
import Models

extension LevelDB {
    /// An open database, which is closed when its last reference is released.
    final class Handle: Sendable {
        let path: String
        private let database: Pointer
        let firstDamage: FirstDamage
        let mainActorReads = MainActorReads()
        /// Must outlive the database.
        private let environment: Environment
        /// Called after the database was closed.
        let didClose = Locked<(@Sendable () -> Void)?>(nil)

        init(
            at path: String, options: StoreOptions, environment: Environment,
            firstDamage: FirstDamage, skippingDamage: Bool
        ) throws(StoreError) {
            if environment.isOnDisk { try DatabaseFiles(path).checkNames() }
            var native = options.native
            native.skips_damage = skippingDamage
            native.reuses_logs = true
            let database = try LevelDB.check(path) {
                scrollback_db_open(environment.pointer, path, &native, $0)
            }
            guard let database else {
                throw StoreError(.io, "cannot open the database", path: path)
            }
            self.database = Pointer(database)
            self.path = path
            self.environment = environment
            self.firstDamage = firstDamage
        }

        deinit {
            scrollback_db_close(pointer)
            didClose.withLock { $0 }?()
        }

        var pointer: OpaquePointer { @inline(__always) get { database.raw } }

        func property(_ name: String) -> String? {
            guard let text = scrollback_db_property(pointer, name) else { return nil }
            defer { free(text) }
            return String(cString: text)
        }

        var unmergedTableCount: Int {
            property("leveldb.num-files-at-level0").flatMap { Int($0) } ?? 0
        }
    }
}

extension StoreOptions {
    var native: scrollback_db_options {
        let options = clamped
        var native = scrollback_db_options()
        native.bloom_bits_per_key = Int32(options.bloomFilterBitsPerKey)
        native.max_open_files = Int32(options.maxOpenFiles)
        native.write_buffer_size = options.writeBufferByteCount
        native.block_cache_size = options.blockCacheByteCount
        return native
    }
}
