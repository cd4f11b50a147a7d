import Scrollback

/// An event of the prompt: a line of text for people, and a name with values for programs.
struct Event: Sendable {
    /// The name, such as `message_received`.
    ///
    /// DO NOT CHANGE a name: scripts read them.
    let name: String

    /// The line; its first character shows the kind of event: see ``Listener``.
    let text: String

    private(set) var values: Values

    init(_ name: String, _ text: String, _ values: Values = [:]) {
        (self.name, self.text, self.values) = (name, text, values)
    }

    func received(by device: String) -> Event {
        var event = Event(name, "\(device)| \(text)", values)
        event.values["device"] = device
        return event
    }
}
