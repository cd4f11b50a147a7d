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

private let sharedNumbers = Set(User.personFields.map(\.number))

extension Person {
    /// Creates a value of this type from the fields that all user types have.
    ///
    /// The other fields, ``Record/extra`` and unknown fields are not copied.
    public init(person: some Person) {
        self.init(person.fields.bytes.keeping(sharedNumbers.contains))
    }
}

extension Sender {
    /// Creates the sender of a message from a user.
    public init(_ user: User, role: Role = .none) {
        self.init(person: user)
        self.role = role
    }

    /// Creates the sender of a message.
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
