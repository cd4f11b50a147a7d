import Models

/// A function of the app's own module `Sync`.
public func synchronized(_ message: Message) -> Message { message }
