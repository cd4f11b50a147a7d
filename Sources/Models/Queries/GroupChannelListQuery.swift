/// Which of the current user's group channels to list, and in which order.
///
/// Each filter narrows the list, and one that is left as it is lets every channel pass. But three
/// kinds are listed only when asked for, or never: hidden channels, channels that carry
/// notifications, and channels that one is neither a member of nor invited to.
public struct GroupChannelListQuery: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<GroupChannelListQuery>()

    /// Creates a record without any field.
    public init() {}

    /// How many channels a page has.
    public var limit: Int {
        get { self[1, default: 20] }
        set { self[1, default: 20] = newValue }
    }

    /// The order of the list.
    public var order: GroupChannelListOrder {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// Whether channels without a message are listed.
    public var includesEmptyChannel: Bool {
        get { self[3, default: true] }
        set { self[3, default: true] = newValue }
    }

    /// Whether frozen channels are listed.
    public var includesFrozenChannel: Bool {
        get { self[4, default: true] }
        set { self[4, default: true] = newValue }
    }

    /// Whether channels come with their members.
    public var includesMemberList: Bool {
        get { self[5, default: true] }
        set { self[5, default: true] = newValue }
    }

    /// Whether channels come with their metadata.
    public var includesMetaData: Bool {
        get { self[6, default: true] }
        set { self[6, default: true] = newValue }
    }

    /// Whether channels that carry notifications are listed.
    public var includesChatNotification: Bool {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "GroupChannelListQuery",
        [
            Field(1, "limit", \GroupChannelListQuery.limit, default: 20),
            Field(2, "order", \GroupChannelListQuery.order),
            Field(3, "include_empty", \GroupChannelListQuery.includesEmptyChannel, default: true),
            Field(4, "include_frozen", \GroupChannelListQuery.includesFrozenChannel, default: true),
            Field(5, "include_member", \GroupChannelListQuery.includesMemberList, default: true),
            Field(6, "include_metadata", \GroupChannelListQuery.includesMetaData, default: true),
            Field(7, "include_chat_notification", \GroupChannelListQuery.includesChatNotification),
            Field(8, "channel_urls", \GroupChannelListQuery.channelURLsFilter),
            Field(9, "name_contains", \GroupChannelListQuery.channelNameContainsFilter),
            Field(10, "custom_types", \GroupChannelListQuery.customTypesFilter),
            Field(11, "custom_type_startswith", \GroupChannelListQuery.customTypeStartsWithFilter),
            Field(12, "super_mode", \GroupChannelListQuery.superChannelFilter),
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
        ])
}

// MARK: Filters on the channel

extension GroupChannelListQuery {
    /// The channels that are listed; empty for all.
    public var channelURLsFilter: [ChannelURL] {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// What the name must contain, whatever the case of letters.
    public var channelNameContainsFilter: String? {
        get { self[9] }
        set { self[9] = newValue }
    }

    /// The custom types that are listed; empty for all.
    public var customTypesFilter: [String] {
        get { self[10] }
        set { self[10] = newValue }
    }

    /// What the custom type must begin with.
    public var customTypeStartsWithFilter: String? {
        get { self[11] }
        set { self[11] = newValue }
    }

    /// Whether supergroups are listed.
    public var superChannelFilter: SuperChannelFilter {
        get { self[12] }
        set { self[12] = newValue }
    }

    /// Whether public channels are listed.
    public var publicChannelFilter: PublicChannelFilter {
        get { self[13] }
        set { self[13] = newValue }
    }

    /// Before when a channel must have been created; that time not included.
    public var createdBefore: Timestamp? {
        get { self[14] }
        set { self[14] = newValue }
    }

    /// After when a channel must have been created; that time not included.
    public var createdAfter: Timestamp? {
        get { self[15] }
        set { self[15] = newValue }
    }
}

// MARK: Filters on the current user's part in it

extension GroupChannelListQuery {
    /// Whether channels one has joined, or is invited to, are listed.
    public var memberStateFilter: MemberStateFilter {
        get { self[16] }
        set { self[16] = newValue }
    }

    /// Whether only channels with unread messages are listed.
    public var unreadChannelFilter: UnreadChannelFilter {
        get { self[17] }
        set { self[17] = newValue }
    }

    /// Whether hidden channels are listed.
    public var hiddenStateFilter: HiddenStateFilter {
        get { self[18] }
        set { self[18] = newValue }
    }
}

// MARK: Filters on the members

extension GroupChannelListQuery {
    /// What another member's nickname must contain, whatever the case of letters.
    public var nicknameContainsFilter: String? {
        get { self[19] }
        set { self[19] = newValue }
    }

    /// What another member's nickname must begin with, whatever the case of letters.
    public var nicknameStartsWithFilter: String? {
        get { self[20] }
        set { self[20] = newValue }
    }

    /// What another member's nickname must be, letter for letter.
    public var nicknameExactMatchFilter: String? {
        get { self[21] }
        set { self[21] = newValue }
    }

    /// Who must be a member: all of them, or any, as ``queryType`` says; empty for no
    /// matter who.
    public var userIDsIncludeFilter: [UserID] {
        get { self[22] }
        set { self[22] = newValue }
    }

    /// Whether all users of ``userIDsIncludeFilter`` must be members, or any.
    public var queryType: QueryType {
        get { self[23] }
        set { self[23] = newValue }
    }

    /// Who must be the members, all of them and nobody else; the current user is implied.
    public var userIDsExactFilter: [UserID] {
        get { self[24] }
        set { self[24] = newValue }
    }
}

// MARK: Search

extension GroupChannelListQuery {
    /// What one of the ``searchFields`` must contain, whatever the case of letters.
    public var searchQuery: String? {
        get { self[25] }
        set { self[25] = newValue }
    }

    /// Where ``searchQuery`` is looked for; empty for everywhere.
    public var searchFields: [SearchField] {
        get { self[26] }
        set { self[26] = newValue }
    }
}

// MARK: Filters on metadata

extension GroupChannelListQuery {
    /// By whose value the order `metaDataValueAlphabetical` goes.
    public var metaDataOrderKeyFilter: String? {
        get { self[27] }
        set { self[27] = newValue }
    }

    /// The key that the metadata must have.
    public var metaDataKeyFilter: String? {
        get { self[28] }
        set { self[28] = newValue }
    }

    /// The values that ``metaDataKeyFilter`` may have; empty for any.
    public var metaDataValuesFilter: [String] {
        get { self[29] }
        set { self[29] = newValue }
    }

    /// What the value of ``metaDataKeyFilter`` must begin with.
    public var metaDataValueStartsWithFilter: String? {
        get { self[30] }
        set { self[30] = newValue }
    }
}

extension GroupChannelListQuery: SingularValue {}
