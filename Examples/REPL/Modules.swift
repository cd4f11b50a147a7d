// The prompt uses all modules. This export makes them available to all files of the target.
@_exported import Collections
@_exported import Models
@_exported import Store
@_exported import Sync
