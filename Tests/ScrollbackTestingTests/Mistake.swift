import Models
import Sync

/// A mistake that a backend may make, and the promises that it breaks.
struct Mistake: Sendable, CustomStringConvertible {
    let description: String
    let promises: Set<String>
    let make: @Sendable (any Backend, Memory) -> any Backend

    init(
        _ description: String, _ promises: Set<String>,
        _ change: @escaping @Sendable (inout WrongBackend, any Backend, Memory) -> Void
    ) {
        self.description = description
        self.promises = promises
        make = { base, memory in
            var backend = WrongBackend(base)
            change(&backend, base, memory)
            return backend
        }
    }

    /// Returns a mistake in all responses of a type.
    static func altering<Answer>(
        _ description: String, _ promises: Set<String>,
        _ change: @escaping @Sendable (inout Answer) -> Void
    ) -> Mistake {
        Mistake(description, promises) { backend, _, _ in
            backend.alter = { any in
                guard var answer = any as? Answer else { return any }
                change(&answer)
                return answer
            }
        }
    }

    static let all =
        feedMistakes + cursorMistakes + pageMistakes + changelogMistakes + channelMistakes
        + writingMistakes + lossMistakes
}
