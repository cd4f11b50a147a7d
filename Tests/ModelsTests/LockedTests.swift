import Dispatch
import Models
import Testing

@Suite struct LockedTests {
    @Test func everyIncrementOfManyThreadsCounts() {
        let count = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<100_000 { count.withLock { $0 += 1 } }
        }
        #expect(count.withLock { $0 } == 800_000)
    }

    @Test func anErrorLeavesTheLockOpenForTheNextCaller() {
        let count = Locked(0)
        #expect(throws: CancellationError.self) {
            try count.withLock {
                $0 = 1
                throw CancellationError()
            }
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test func valueIsReleasedWithItsLock() {
        weak var value: Object?
        do {
            let object = Object()
            value = object
            let locked = Locked(object)
            #expect(locked.withLock { $0.name } == "alive")
        }
        #expect(value == nil)
    }
}

private final class Object: Sendable {
    let name = "alive"
}
