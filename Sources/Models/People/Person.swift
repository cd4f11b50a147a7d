/// A user in any role, such as a sender or a member.
public protocol Person: Record, Identifiable<UserID> {}

// A message list reads the getters with `@_specialize` for each message.
extension Person {
    /// The user's ID; unique within the application.
    public var userID: UserID {
        @_specialize(where Self == Sender)
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The user's name; empty if there is none.
    public var nickname: String {
        @_specialize(where Self == Sender)
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The nickname; the user ID if the nickname is empty.
    public var displayName: String { nickname.isEmpty ? userID.rawValue : nickname }

    /// The URL of the profile image; empty if there is none.
    public var profileURL: String {
        @_specialize(where Self == Sender)
        get { self[3] }
        set { self[3] = newValue }
    }

    /// Custom metadata of the application, by key.
    public var metadata: [String: String] {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// A Boolean value that indicates whether the user is connected; `nil` if unknown.
    public var isOnline: Bool? {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// A Boolean value that indicates whether the user is not deactivated.
    public var isActive: Bool {
        get { self[6, default: true] }
        set { self[6, default: true] = newValue }
    }

    /// The time at which the user was last connected; `nil` if unknown.
    public var lastSeenAt: Timestamp? {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The preferred languages of the user, most preferred first, such as `["de", "en"]`.
    public var preferredLanguages: [String] {
        get { self[8] }
        set { self[8] = newValue }
    }

    static var personFields: [Field] {
        [
            Field(1, "user_id", \Self.userID, aliases: ["guest_id"]),
            Field(2, "nickname", \Self.nickname, aliases: ["name"]),
            Field(3, "profile_url", \Self.profileURL, aliases: ["image"]),
            Field(4, "metadata", \Self.metadata),
            Field(5, "is_online", \Self.isOnline),
            Field(6, "is_active", \Self.isActive, default: true),
            Field(7, "last_seen_at", \Self.lastSeenAt, meaning: .negativeIsNone),
            Field(8, "preferred_languages", \Self.preferredLanguages),
        ]
    }
}
