import Models

/// The app's own module `Sync`.
public func synchronized(_ message: Message) -> Message { message }
