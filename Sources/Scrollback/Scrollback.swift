@_exported public import Collections
@_exported public import Models
@_exported public import Store
@_exported public import Sync
