extension User {
    /// Creates a user.
    public init(id: UserID, nickname: String = "", profileURL: String = "") {
        self.init { fields in
            fields.put(1, id)
            fields.put(2, nickname)
            fields.put(3, profileURL)
        }
    }
}

/// The numbers of the fields that all kinds of people have.
private let sharedNumbers = Set(User.personFields.map(\.number))

extension Person {
    /// Creates a person of this kind from one of another: what all kinds have is taken over.
    ///
    /// What only the other kind has, ``Record/extra`` and unknown fields are left out.
    public init(person: some Person) {
        self.init(person.fields.bytes.keeping(sharedNumbers.contains))
    }
}

extension Sender {
    /// Creates the sender of messages from a user.
    public init(_ user: User, role: Role = .none) {
        self.init(person: user)
        self.role = role
    }

    /// Creates the sender of messages.
    public init(id: UserID, nickname: String = "", profileURL: String = "", role: Role = .none) {
        self.init { fields in
            fields.put(1, id)
            fields.put(2, nickname)
            fields.put(3, profileURL)
            fields.put(12, role)
        }
    }
}

extension Member {
    /// Creates a member from a user.
    public init(_ user: User, state: MemberState = .joined, role: Role = .none) {
        self.init(person: user)
        self.state = state
        self.role = role
    }
}

extension Person {
    /// Whether the user is connected, as one of three.
    public var connectionStatus: UserConnectionStatus {
        switch isOnline {
        case true: .online
        case false: .offline
        default: .nonAvailable
        }
    }
}
