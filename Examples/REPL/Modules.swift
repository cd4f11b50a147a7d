// The prompt uses all modules.
@_exported import Collections
@_exported import Models
@_exported import Store
@_exported import Sync
