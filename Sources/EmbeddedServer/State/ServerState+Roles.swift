import Models
import Store

extension ServerState {
    func setRole(
        _ role: Role, of userIDs: [UserID], in url: ChannelURL, by userID: UserID
    ) throws(BackendError) {
        let channel = try moderatedChannel(url, by: userID)
        for id in userIDs {
            _ = try account(id)
            guard channel.isOpen || channel.members[id] != nil else {
                throw BackendError(
                    .notFound, "\(id) is not a member of channel \(url)", detail: .notMember)
            }
        }
        let changed = userIDs.filter { channel.isOperator($0) != (role == .operator) }
        guard !changed.isEmpty else { return }
        if channel.isOpen {
            channel.open.operators.removeAll { changed.contains($0.userID) }
            if role == .operator {
                channel.open.operators += changed.compactMap { accounts[$0]?.user }
            }
            store(channel)
        } else {
            for id in changed {
                channel.members[id]?.role = role
                storeMember(id, of: channel)
            }
        }
        append(
            .changed(.members, cause(.eventOperatorUpdated, changed, by: userID)), in: channel)
    }

    func restrictedUsers(
        of url: ChannelURL, as type: RestrictionType, after cursor: PageCursor?, limit: Int,
        by userID: UserID
    ) throws(BackendError) -> Page<RestrictedUser> {
        let channel = try moderatedChannel(url, by: userID)
        let time = now()
        let ids = (channel.restrictions[type] ?? [:]).keys
            .filter { channel.restriction(type, of: $0, at: time) != nil }.sorted()
        return try page(of: ids, after: cursor, limit: limit) {
            restrictedUser($0, type, of: channel)
        }
    }

    private func restrictedUser(
        _ userID: UserID, _ type: RestrictionType, of channel: ServerChannel
    ) -> RestrictedUser? {
        let time = now()
        guard let account = accounts[userID],
            let restriction = channel.restriction(type, of: userID, at: time)
        else { return nil }
        var user = RestrictedUser(person: account.user)
        user.restrictionType = type
        user.restrictionDescription = restriction.reason
        user.endAt = restriction.end ?? Timestamp(milliseconds: -1)
        return user
    }
}
