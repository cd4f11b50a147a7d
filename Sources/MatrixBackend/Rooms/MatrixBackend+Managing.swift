import Models

extension MatrixBackend {
    /// Creates a room, or returns the existing direct chat for a distinct channel of two users;
    /// throws `refused` if the parameters have a URL, which the server chooses.
    func createChannel(
        _ params: GroupChannelCreateParams
    ) async throws(BackendError) -> GroupChannel {
        guard params.url == nil else {
            throw BackendError(
                .refused, "a Matrix server chooses the URL of a channel itself",
                detail: .invalidParameterValue)
        }
        let me = try me
        let others = params.userIDs.filter { $0 != me }
        let isDirect = params.isDistinct && others.count == 1
        if isDirect, let existing = try await directChat(with: others[0]) { return existing }
        let own: JSONValue = [
            "dev.scrollback": [
                "data": .string(params.data), "custom_type": .string(params.customType),
                "metadata": [:],
            ]
        ]
        var state: [JSONValue] = [["type": "dev.scrollback", "state_key": "", "content": own]]
        if !params.coverURL.isEmpty {
            state.append(
                [
                    "type": "m.room.avatar", "state_key": "",
                    "content": ["url": .string(params.coverURL)],
                ])
        }
        var body: [String: JSONValue] = [
            "preset": params.isPublic ? "public_chat" : "private_chat",
            "invite": .array(others.map { .string($0.rawValue) }), "is_direct": .bool(isDirect),
            "initial_state": .array(state),
        ]
        if !params.name.isEmpty { body["name"] = .string(params.name) }
        let reply: RoomIDReply = try await call(
            .post("createRoom", body: .object(body), kind: .creating))
        if isDirect { try await addDirectChat(reply.room_id.text, with: others[0]) }
        try await changePower(in: reply.room_id.text) { (levels) throws(BackendError) in
            for user in params.operatorUserIDs where user != me {
                try levels.set(["users", user.rawValue], to: 100)
            }
        }
        return try await channel(ChannelURL(reply.room_id.text))
    }

    private func directChat(with user: UserID) async throws(BackendError) -> GroupChannel? {
        try await updateList()
        let rooms = list.directRooms[user.rawValue] ?? []
        let me = try me
        return rooms.lazy.compactMap { self.list.channel($0, for: me) }
            .first { $0.myMemberState == .joined }
    }

    private func addDirectChat(_ room: String, with user: UserID) async throws(BackendError) {
        let path = ["user", try me.rawValue, "account_data", "m.direct"]
        var rooms: JSONValue
        do throws(BackendError) {
            // The list may lack rooms, because their part of the reply was cut.
            rooms = try await stored(at: path)
            try rooms.append(.string(room), to: user.rawValue)
        } catch  where error.code == .refused || error.detail == .malformedData {
            // The user is in the room already, which is not listed as a direct chat.
            return
        }
        let _: EmptyReply = try await call(
            MatrixRequest(method: "PUT", path: path, body: .json(rooms), kind: .managing))
    }

    /// Returns what the server stores at a path; an empty object if there is nothing.
    private func stored(at path: [String]) async throws(BackendError) -> JSONValue {
        let request = MatrixRequest(method: "GET", path: path).forWritingBack
        do { return try await call(request) } catch  where error.code == .notFound { return [:] }
    }

    /// Changes the properties of a room; the metadata `topic` is its topic.
    func updateChannel(
        _ url: ChannelURL, with patch: Patch<GroupChannel>
    ) async throws(BackendError) -> GroupChannel {
        let old = try await channel(url)
        var new = old
        patch.apply(to: &new)
        let topic = new.metadata[MetadataKey.topic]
        if topic != old.metadata[MetadataKey.topic] {
            try await setState("m.room.topic", of: url, to: ["topic": .string(topic ?? "")])
        }
        if patch.contains(\.name) {
            try await setState("m.room.name", of: url, to: ["name": .string(new.name)])
        }
        if patch.contains(\.coverURL) {
            try await setState("m.room.avatar", of: url, to: ["url": .string(new.coverURL)])
        }
        if patch.contains(\.data) || patch.contains(\.customType) || patch.contains(\.metadata) {
            let keys = Set(old.metadata.keys).union(new.metadata.keys)
                .subtracting(MetadataKey.all)
            // The list may lack values that do not change, because they were cut.
            try await changeState("dev.scrollback", of: url) { (state) throws(BackendError) in
                if patch.contains(\.data) {
                    try state.set(["dev.scrollback", "data"], to: .string(new.data))
                }
                if patch.contains(\.customType) {
                    try state.set(["dev.scrollback", "custom_type"], to: .string(new.customType))
                }
                for key in keys where new.metadata[key] != old.metadata[key] {
                    try state.set(
                        ["dev.scrollback", "metadata", key],
                        to: new.metadata[key].map { .string($0) })
                }
            }
        }
        return try await channel(url)
    }

    private func setState(
        _ type: String, of url: ChannelURL, to content: JSONValue
    ) async throws(BackendError) {
        let _: EventIDReply = try await call(
            .put("rooms", url.rawValue, "state", type, "", body: content))
    }

    // MARK: Members

    func invite(_ userIDs: [UserID], to url: ChannelURL) async throws(BackendError) {
        for user in userIDs { try await act("invite", in: url, on: user) }
    }

    func answerInvitation(to url: ChannelURL, accepts: Bool) async throws(BackendError) {
        let invitation = try await channel(url)
        guard invitation.myMemberState == .invited else {
            throw BackendError(
                .refused, "\(try me) is not invited to \(url)", detail: .invalidParameterValue)
        }
        try await act(accepts ? "join" : "leave", in: url)
        // Another server may have invented who invites.
        if accepts, invitation.isDistinct, let inviter = invitation.inviter,
            try await membership(of: inviter.userID.rawValue, in: url.rawValue)?.membership
                == "join"
        {
            try await addDirectChat(url.rawValue, with: inviter.userID)
        }
        if !accepts { list.rooms[url.rawValue] = nil }
    }

    /// Joins a public room by its ID or alias, such as `#room:example.org`.
    func join(_ url: ChannelURL) async throws(BackendError) -> GroupChannel {
        let reply: RoomIDReply = try await call(
            .post(
                "join", url.rawValue,
                kind: .membership(action: "join", room: url.rawValue, user: nil)))
        return try await channel(ChannelURL(reply.room_id.text))
    }

    func leave(_ url: ChannelURL) async throws(BackendError) {
        try await requireRoom(url.rawValue)
        try await act("leave", in: url)
        list.rooms[url.rawValue] = nil
    }

    private func act(
        _ action: String, in url: ChannelURL, on user: UserID? = nil, reason: String = ""
    ) async throws(BackendError) {
        var body: [String: JSONValue] = [:]
        body["user_id"] = user.map { .string($0.rawValue) }
        if !reason.isEmpty { body["reason"] = .string(reason) }
        let _: EmptyReply = try await call(
            .post(
                "rooms", url.rawValue, action, body: .object(body),
                kind: .membership(action: action, room: url.rawValue, user: user?.rawValue)))
    }

    // MARK: Moderating

    /// Freezes a room by raising the power level that sending requires.
    func setFrozen(_ isFrozen: Bool, for url: ChannelURL) async throws(BackendError) {
        try await changePower(in: url.rawValue) { (levels) throws(BackendError) in
            try levels.set(["events_default"], to: isFrozen ? 50 : 0)
        }
    }

    /// Bans a user, or mutes a user by a power level below the one that sending requires; throws
    /// `unsupported` for a restriction with an end.
    func restrict(
        _ userID: UserID, in url: ChannelURL, as restriction: RestrictionType,
        until end: Timestamp?,
        reason: String
    ) async throws(BackendError) {
        guard end == nil else {
            throw BackendError(.unsupported, "Matrix has no restrictions that end by themselves")
        }
        guard try userID != me else {
            throw BackendError(
                .refused, "\(userID) cannot restrict themselves", detail: .invalidParameterValue)
        }
        switch restriction {
        case .banned: try await act("ban", in: url, on: userID, reason: reason)
        case .muted: try await setPower(of: userID, in: url, to: -1)
        }
    }

    func lift(
        _ restriction: RestrictionType, of userID: UserID, in url: ChannelURL
    ) async throws(BackendError) {
        switch restriction {
        case .banned: try await act("unban", in: url, on: userID)
        case .muted: try await setPower(of: userID, in: url, to: nil)
        }
    }

    private func setPower(
        of user: UserID, in url: ChannelURL, to level: JSONValue?
    ) async throws(BackendError) {
        try await changePower(in: url.rawValue) { (levels) throws(BackendError) in
            try levels.set(["users", user.rawValue], to: level)
        }
    }

    private func changePower(
        in room: String, _ change: (inout JSONValue) throws(BackendError) -> Void
    ) async throws(BackendError) {
        try await changeState("m.room.power_levels", of: ChannelURL(room), change)
    }

    private func changeState(
        _ type: String, of url: ChannelURL,
        _ change: (inout JSONValue) throws(BackendError) -> Void
    ) async throws(BackendError) {
        let old = try await stored(at: ["rooms", url.rawValue, "state", type, ""])
        var new = old
        try change(&new)
        if new != old { try await setState(type, of: url, to: new) }
    }
}

extension JSONValue {
    fileprivate mutating func append(
        _ value: JSONValue, to key: String
    ) throws(BackendError) {
        var list: [JSONValue] = []
        if case .array(let values)? = self[key] { list = values }
        try set([key], to: .array(list + [value]))
    }

    /// Throws `refused` if the object has another key that is equal as a Unicode text.
    fileprivate mutating func set(
        _ path: [String], to value: JSONValue?
    ) throws(BackendError) {
        guard let key = path.first else { return }
        var object: [String: JSONValue] = [:]
        if case .object(let entries) = self { object = entries }
        if let index = object.index(forKey: key),
            !object.keys[index].utf8.elementsEqual(key.utf8)
        {
            throw BackendError(
                .refused, "\(key) and another key are equal as Unicode texts",
                detail: .invalidParameterValue)
        }
        if path.count == 1 {
            object[key] = value
        } else {
            var inner = object[key] ?? [:]
            try inner.set(Array(path.dropFirst()), to: value)
            object[key] = inner
        }
        self = .object(object)
    }
}
