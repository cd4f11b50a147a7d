// Imports each module by its own name. Plain.swift imports `Scrollback`.
import Collections
import Models
import Store
import Sync

func useEachModule() {
    let time: Timestamp = 1_700_000_000_000
    let backoff = Backoff(interval: .seconds(3), multiplier: 2, maximum: .seconds(24))
    print("Models: \(time)")
    print("Store: \(StoreError.Code.corruption)")
    print("Sync: \(backoff.delay(beforeAttempt: 4, jitter: 0) ?? .zero)")
    print("Collections: \(InitPolicy.cacheAndReplaceByAPI)")
}
