import Foundation

extension GroupChannelListQuery {
    /// Returns whether a channel passes all filters of the query.
    ///
    /// Filters by member see only the members in `channel`, which the server may list in part.
    /// Filters by nickname ignore the current user, and ``userIDsExactFilter`` includes it
    /// implicitly. If `currentUserID` is `nil`, all members count as others.
    public func belongsTo(_ channel: GroupChannel, currentUserID: UserID? = nil) -> Bool {
        matchesKind(channel) && matchesOwnPart(channel) && matchesNameAndType(channel)
            && matchesMetaData(channel) && matchesMembers(channel, currentUserID)
    }

    private func matchesKind(_ channel: GroupChannel) -> Bool {
        if !includesEmptyChannel && channel.lastMessage == nil { return false }
        if !includesFrozenChannel && channel.isFrozen { return false }
        if let createdBefore, channel.createdAt >= createdBefore { return false }
        if let createdAfter, channel.createdAt <= createdAfter { return false }
        switch publicChannelFilter {
        case .all: return true
        case .publicOnly: return channel.isPublic
        case .privateOnly: return !channel.isPublic
        }
    }

    /// Returns `false` for a public channel that the user only views.
    private func matchesOwnPart(_ channel: GroupChannel) -> Bool {
        if unreadChannelFilter == .unreadMessage && channel.unreadMessageCount == 0 {
            return false
        }
        let matchesHiddenState =
            switch hiddenStateFilter {
            case .all: true
            case .unhiddenOnly: channel.hiddenState == .unhidden
            case .hiddenOnly: channel.hiddenState != .unhidden
            case .hiddenAllowAutoUnhide: channel.hiddenState == .hiddenAllowAutoUnhide
            case .hiddenPreventAutoUnhide: channel.hiddenState == .hiddenPreventAutoUnhide
            }
        guard matchesHiddenState else { return false }
        let state = channel.myMemberState
        switch memberStateFilter {
        case .all: return state != .none && channel.isMember != false
        case .joinedOnly: return state == .joined
        case .invitedOnly: return state == .invited
        }
    }

    private func matchesNameAndType(_ channel: GroupChannel) -> Bool {
        let urls = channelURLsFilter
        if !urls.isEmpty && !urls.contains(channel.url) { return false }
        let types = customTypesFilter
        if !types.isEmpty && !types.contains(channel.customType) { return false }
        if let prefix = customTypeStartsWithFilter,
            !channel.customType.utf8.starts(with: prefix.utf8)
        {
            return false
        }
        if let part = channelNameContainsFilter {
            return channel.name.contains(part, ignoringCase: true)
        }
        return true
    }

    private func matchesMetaData(_ channel: GroupChannel) -> Bool {
        guard let key = metaDataKeyFilter else { return true }
        guard let value = channel.metadata[key] else { return false }
        let values = metaDataValuesFilter
        if !values.isEmpty && !values.contains(value) { return false }
        if let prefix = metaDataValueStartsWithFilter {
            return value.utf8.starts(with: prefix.utf8)
        }
        return true
    }

    private func matchesMembers(_ channel: GroupChannel, _ currentUserID: UserID?) -> Bool {
        let nicknames = [
            nicknameContainsFilter, nicknameStartsWithFilter, nicknameExactMatchFilter, searchQuery,
        ]
        let included = userIDsIncludeFilter
        let exact = userIDsExactFilter
        guard nicknames.contains(where: { $0 != nil }) || !included.isEmpty || !exact.isEmpty
        else { return true }

        let members = channel.members
        let others = members.filter { $0.userID != currentUserID }.map(\.nickname)
        if let part = nicknameContainsFilter,
            !others.contains(where: { $0.contains(part, ignoringCase: true) })
        {
            return false
        }
        if let prefix = nicknameStartsWithFilter?.lowercased(),
            !others.contains(where: { $0.lowercased().utf8.starts(with: prefix.utf8) })
        {
            return false
        }
        if let nickname = nicknameExactMatchFilter, !others.contains(nickname) { return false }
        let ids = Set(members.map(\.userID))
        if !included.isEmpty {
            let isThere =
                switch queryType {
                case .and: included.allSatisfy(ids.contains)
                case .or: included.contains(where: ids.contains)
                }
            guard isThere else { return false }
        }
        if !exact.isEmpty && Set(exact).union(currentUserID.map { [$0] } ?? []) != ids {
            return false
        }
        return matchesSearch(channel, others)
    }

    private func matchesSearch(_ channel: GroupChannel, _ nicknames: [String]) -> Bool {
        guard let part = searchQuery else { return true }
        let fields = searchFields.isEmpty ? SearchField.allCases : searchFields
        return fields.contains { field in
            switch field {
            case .channelName: channel.name.contains(part, ignoringCase: true)
            case .memberNickname: nicknames.contains { $0.contains(part, ignoringCase: true) }
            }
        }
    }
}

extension String {
    /// Ignores case independently of the locale.
    func contains(_ part: String, ignoringCase: Bool) -> Bool {
        part.isEmpty || lowercased().range(of: part.lowercased(), options: .literal) != nil
    }
}
