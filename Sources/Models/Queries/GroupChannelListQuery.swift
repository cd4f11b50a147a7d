/// The filters and the order of a list of the current user's group channels.
///
/// The list contains the channels that pass all filters: by default, all that the user has joined
/// or is invited to, except for hidden channels. It never contains other channels.
public struct GroupChannelListQuery: Record {
    /// The binary form.
    public var fields = RecordFields<GroupChannelListQuery>()

    /// Creates an empty record.
    public init() {}

    /// The number of channels in a page: 20 by default, clamped to 1...10,000.
    public var limit: Int {
        get { self[1, default: 20] }
        set { self[1, default: 20] = newValue }
    }

    /// The order; by default that of the last messages, newest first.
    public var order: GroupChannelListOrder {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// A Boolean value that indicates whether channels without a message are listed.
    public var includesEmptyChannel: Bool {
        get { self[3, default: true] }
        set { self[3, default: true] = newValue }
    }

    /// A Boolean value that indicates whether frozen channels are listed.
    public var includesFrozenChannel: Bool {
        get { self[4, default: true] }
        set { self[4, default: true] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "GroupChannelListQuery",
        [
            Field(1, "limit", \GroupChannelListQuery.limit, default: 20),
            Field(2, "order", \GroupChannelListQuery.order),
            Field(3, "include_empty", \GroupChannelListQuery.includesEmptyChannel, default: true),
            Field(4, "include_frozen", \GroupChannelListQuery.includesFrozenChannel, default: true),
            // Numbers 7 and 12 were filters by kinds of channels. Do not use them again.
            Field(8, "channel_urls", \GroupChannelListQuery.channelURLsFilter),
            Field(9, "name_contains", \GroupChannelListQuery.channelNameContainsFilter),
            Field(10, "custom_types", \GroupChannelListQuery.customTypesFilter),
            Field(11, "custom_type_startswith", \GroupChannelListQuery.customTypeStartsWithFilter),
            Field(13, "public_mode", \GroupChannelListQuery.publicChannelFilter),
            Field(14, "created_before", \GroupChannelListQuery.createdBefore),
            Field(15, "created_after", \GroupChannelListQuery.createdAfter),
            Field(16, "member_state_filter", \GroupChannelListQuery.memberStateFilter),
            Field(17, "unread_filter", \GroupChannelListQuery.unreadChannelFilter),
            Field(18, "hidden_mode", \GroupChannelListQuery.hiddenStateFilter),
            Field(19, "members_nickname_contains", \GroupChannelListQuery.nicknameContainsFilter),
            Field(
                20, "members_nickname_startswith", \GroupChannelListQuery.nicknameStartsWithFilter),
            Field(21, "members_nickname", \GroupChannelListQuery.nicknameExactMatchFilter),
            Field(22, "members_include_in", \GroupChannelListQuery.userIDsIncludeFilter),
            Field(23, "query_type", \GroupChannelListQuery.queryType),
            Field(24, "members_exactly_in", \GroupChannelListQuery.userIDsExactFilter),
            Field(25, "search_query", \GroupChannelListQuery.searchQuery),
            Field(26, "search_fields", \GroupChannelListQuery.searchFields),
            Field(27, "metadata_order_key", \GroupChannelListQuery.metaDataOrderKeyFilter),
            Field(28, "metadata_key", \GroupChannelListQuery.metaDataKeyFilter),
            Field(29, "metadata_values", \GroupChannelListQuery.metaDataValuesFilter),
            Field(
                30, "metadata_value_startswith",
                \GroupChannelListQuery.metaDataValueStartsWithFilter),
            Field(31, "labels", \GroupChannelListQuery.labelsFilter),
            Field(32, "excluded_labels", \GroupChannelListQuery.excludedLabelsFilter),
            Field(33, "label_listed_first", \GroupChannelListQuery.labelListedFirst),
        ])
}

// MARK: Filters on the channel

extension GroupChannelListQuery {
    /// The URLs of the channels to list; empty for all.
    public var channelURLsFilter: [ChannelURL] {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// The text that the channel name must contain, ignoring case.
    public var channelNameContainsFilter: String? {
        get { self[9] }
        set { self[9] = newValue }
    }

    /// The custom types to list; empty for all.
    public var customTypesFilter: [String] {
        get { self[10] }
        set { self[10] = newValue }
    }

    /// The prefix that the custom type must have.
    public var customTypeStartsWithFilter: String? {
        get { self[11] }
        set { self[11] = newValue }
    }

    /// The filter by whether any user may join.
    public var publicChannelFilter: PublicChannelFilter {
        get { self[13] }
        set { self[13] = newValue }
    }

    /// The exclusive upper bound of the creation time.
    public var createdBefore: Timestamp? {
        get { self[14] }
        set { self[14] = newValue }
    }

    /// The exclusive lower bound of the creation time.
    public var createdAfter: Timestamp? {
        get { self[15] }
        set { self[15] = newValue }
    }
}

// MARK: Filters on the current user's part in it

extension GroupChannelListQuery {
    /// The filter by the current user's membership.
    public var memberStateFilter: MemberStateFilter {
        get { self[16] }
        set { self[16] = newValue }
    }

    /// The filter by unread messages.
    public var unreadChannelFilter: UnreadChannelFilter {
        get { self[17] }
        set { self[17] = newValue }
    }

    /// The filter by hidden state.
    public var hiddenStateFilter: HiddenStateFilter {
        get { self[18] }
        set { self[18] = newValue }
    }
}

// MARK: Filters on the members

extension GroupChannelListQuery {
    /// The text that the nickname of another member must contain, ignoring case.
    public var nicknameContainsFilter: String? {
        get { self[19] }
        set { self[19] = newValue }
    }

    /// The prefix that the nickname of another member must have, ignoring case.
    public var nicknameStartsWithFilter: String? {
        get { self[20] }
        set { self[20] = newValue }
    }

    /// The nickname that another member must have, with the same case.
    public var nicknameExactMatchFilter: String? {
        get { self[21] }
        set { self[21] = newValue }
    }

    /// The users who must be members, all or one as ``queryType`` says; empty for no filter.
    public var userIDsIncludeFilter: [UserID] {
        get { self[22] }
        set { self[22] = newValue }
    }

    /// The way in which ``userIDsIncludeFilter`` combines users.
    public var queryType: QueryType {
        get { self[23] }
        set { self[23] = newValue }
    }

    /// The users who, with the current user, must be exactly the members; empty for no filter.
    public var userIDsExactFilter: [UserID] {
        get { self[24] }
        set { self[24] = newValue }
    }
}

// MARK: Search

extension GroupChannelListQuery {
    /// The text that one of the ``searchFields`` must contain, ignoring case.
    public var searchQuery: String? {
        get { self[25] }
        set { self[25] = newValue }
    }

    /// The properties to search for ``searchQuery``; empty for all.
    public var searchFields: [SearchField] {
        get { self[26] }
        set { self[26] = newValue }
    }
}

// MARK: Filters on metadata

extension GroupChannelListQuery {
    /// The metadata key whose values order the list for `metaDataValueAlphabetical`.
    public var metaDataOrderKeyFilter: String? {
        get { self[27] }
        set { self[27] = newValue }
    }

    /// The key that a channel's metadata must contain.
    public var metaDataKeyFilter: String? {
        get { self[28] }
        set { self[28] = newValue }
    }

    /// The allowed values of ``metaDataKeyFilter``; empty for any.
    public var metaDataValuesFilter: [String] {
        get { self[29] }
        set { self[29] = newValue }
    }

    /// The prefix of the value of ``metaDataKeyFilter``.
    public var metaDataValueStartsWithFilter: String? {
        get { self[30] }
        set { self[30] = newValue }
    }
}

// MARK: Local labels

extension GroupChannelListQuery {
    /// The local labels of which a channel must have at least one; empty for no filter.
    ///
    /// Labels and the properties that concern them stay on this device.
    public var labelsFilter: [String] {
        get { self[31] }
        set { self[31] = newValue }
    }

    /// The local labels of which a channel must have none, such as "archived".
    public var excludedLabelsFilter: [String] {
        get { self[32] }
        set { self[32] = newValue }
    }

    /// The local label whose channels are listed first, such as "pinned".
    ///
    /// These channels are ordered by their local sort keys, then by ``order``, as all others are.
    /// ``precedes(_:_:)`` ignores labels.
    public var labelListedFirst: String? {
        get { self[33] }
        set { self[33] = newValue }
    }

    package var usesLabels: Bool {
        !labelsFilter.isEmpty || !excludedLabelsFilter.isEmpty || labelListedFirst != nil
    }

    package var withoutLabels: GroupChannelListQuery {
        var query = self
        (query.labelsFilter, query.excludedLabelsFilter) = ([], [])
        query.labelListedFirst = nil
        return query
    }
}

extension GroupChannelListQuery: SingularValue {}
