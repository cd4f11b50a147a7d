/// What every kind of user has: a user, a sender, a member, a participant.
public protocol Person: Record {}

// A list of messages reads the first three of each sender: they have code of their own for that.
extension Person {
    /// Who it is; unique within the application.
    public var userID: UserID {
        @_specialize(where Self == Sender)
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The name shown to others.
    public var nickname: String {
        @_specialize(where Self == Sender)
        get { self[2] }
        set { self[2] = newValue }
    }

    /// Where the picture is; empty for none.
    public var profileURL: String {
        @_specialize(where Self == Sender)
        get { self[3] }
        set { self[3] = newValue }
    }

    /// What the application attached, by key.
    public var metadata: [String: String] {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// Whether the user is connected; `nil` where nobody said.
    public var isOnline: Bool? {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// Whether the user has not been deactivated.
    public var isActive: Bool {
        get { self[6, default: true] }
        set { self[6, default: true] = newValue }
    }

    /// When the user was last connected; `nil` if unknown.
    public var lastSeenAt: Timestamp? {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The languages that the user prefers, best first, such as `["de", "en"]`.
    public var preferredLanguages: [String] {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// By what the user was found as a friend.
    public var friendDiscoveryKey: String? {
        get { self[9] }
        set { self[9] = newValue }
    }

    /// What the user is called among the current user's friends.
    public var friendName: String? {
        get { self[10] }
        set { self[10] = newValue }
    }

    /// Whether the picture is given only to those who are logged in.
    public var requiresAuthForProfileImage: Bool {
        get { self[11] }
        set { self[11] = newValue }
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
            Field(9, "friend_discovery_key", \Self.friendDiscoveryKey),
            Field(10, "friend_name", \Self.friendName),
            Field(11, "require_auth_for_profile_image", \Self.requiresAuthForProfileImage),
        ]
    }
}
