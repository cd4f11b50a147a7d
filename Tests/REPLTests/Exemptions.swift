/// The public calls that no command makes, and the properties that no command sets.
enum Exemptions {
    /// Calls whose only purpose is a closure of the app.
    ///
    /// The prompt makes the same changes by the calls
    /// without one.
    static let closures: Set = ["ChatClient.changeLabels(of:_:)", "ChatStore.commit(_:)"]

    /// Returns the reason why a property of a type cannot be set, or `nil` if it must be settable.
    static func reason(of type: String, _ property: String) -> String? {
        property == "fields" ? "the record itself, as bytes" : properties["\(type).\(property)"]
    }

    private static let properties = [
        "GroupChannelCreateParams.url": "the first word of create",
        "GroupChannelCreateParams.userIDs": "the words after with",
        "OpenChannelCreateParams.url": "the first word of create-open",
    ]

    /// The properties of options, each with the reason.
    static let reasons: [String: String] = Dictionary(
        uniqueKeysWithValues: groups.flatMap { reason, symbols in symbols.map { ($0, reason) } })

    private static let groups: [(reason: String, symbols: [String])] = [
        (
            "a closure, which the world sets",
            [
                "ChatClientOptions.log", "ChatClientOptions.now",
                "ChatClientOptions.renewSession", "ChatClientOptions.sleep",
            ]
        ),
        (
            "typed as options of the program: --key-file, and --home or --memory",
            ["ChatClientOptions.encryptionKey", "ChatClientOptions.storage"]
        ),
        (
            "its own properties are set one by one",
            [
                "ChatClientOptions.cacheLimits",
                "ChatClientOptions.store", "ChatClientOptions.sync",
            ]
        ),
    ]
}
