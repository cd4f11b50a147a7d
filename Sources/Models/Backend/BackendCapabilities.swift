/// The optional features of a backend.
public struct BackendCapabilities: OptionSet, Hashable, Sendable {
    /// The bit mask.
    public let rawValue: UInt64

    /// Creates a set of capabilities.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    private init(bit: UInt64) { self.init(rawValue: 1 << bit) }

    /// A request that is repeated with the same request ID does not create a second message.
    ///
    /// The server remembers IDs for `Backend.deduplicationPeriod`. Without this capability, the
    /// engine does not retry a message whose acknowledgement was lost.
    public static let deduplicatesRequests = BackendCapabilities(bit: 0)
    /// A message changelog can start at a time.
    public static let messageChangelogByTime = BackendCapabilities(bit: 1)
    /// A channel changelog can start at a time.
    public static let channelChangelogByTime = BackendCapabilities(bit: 2)
    /// The backend can count messages in a range of time.
    public static let counts = BackendCapabilities(bit: 3)
    /// The backend supports reactions.
    public static let reactions = BackendCapabilities(bit: 4)
    /// The backend supports threads: replies to messages, and lists of replies.
    public static let threads = BackendCapabilities(bit: 5)
    /// The backend accepts file uploads.
    public static let files = BackendCapabilities(bit: 6)
    /// The backend reports the time up to which each user has read a channel.
    public static let readReceipts = BackendCapabilities(bit: 7)
    /// The backend reports the time up to which messages were delivered to each user.
    public static let deliveryReceipts = BackendCapabilities(bit: 8)
    /// The backend reports which users are typing.
    public static let typing = BackendCapabilities(bit: 9)
    /// The backend counts unread messages and channels.
    public static let unreadCounts = BackendCapabilities(bit: 10)
    /// Users can create group channels.
    public static let channelCreation = BackendCapabilities(bit: 11)
    /// Invited users can accept or decline an invitation; otherwise, they join at once.
    public static let invitations = BackendCapabilities(bit: 12)
    /// A user can hide channels.
    public static let hiding = BackendCapabilities(bit: 13)
    /// Operators can freeze channels.
    public static let freezing = BackendCapabilities(bit: 14)
    /// A user can reset a channel's history for themselves.
    public static let historyReset = BackendCapabilities(bit: 15)
    /// The backend supports open channels.
    public static let openChannels = BackendCapabilities(bit: 16)
    /// The server also deduplicates the requests of different devices of a user.
    public static let deduplicatesAcrossDevices = BackendCapabilities(bit: 17)
    /// A message can have several files.
    public static let multipleFiles = BackendCapabilities(bit: 18)
    /// Operators can delete channels.
    public static let channelDeletion = BackendCapabilities(bit: 19)
    /// The server can return the existing channel of the same users: see
    /// ``GroupChannelCreateParams/isDistinct``.
    public static let distinctChannels = BackendCapabilities(bit: 20)
    /// A mute or a ban can end at a given time.
    public static let temporaryRestrictions = BackendCapabilities(bit: 21)
    /// Operators can change the properties of a group channel.
    public static let channelUpdates = BackendCapabilities(bit: 22)
    /// Members can invite users to a group channel.
    public static let inviting = BackendCapabilities(bit: 23)
    /// Users can join public group channels.
    public static let joining = BackendCapabilities(bit: 24)
    /// Users can leave group channels.
    public static let leaving = BackendCapabilities(bit: 25)
    /// Operators can mute users.
    public static let muting = BackendCapabilities(bit: 26)
    /// Operators can ban users.
    public static let banning = BackendCapabilities(bit: 27)
    /// Operators can list a channel's muted and banned users.
    public static let restrictionLists = BackendCapabilities(bit: 28)
    /// Operators can appoint other operators.
    public static let roleManagement = BackendCapabilities(bit: 29)
    /// Members can pin messages to a channel.
    public static let pinnedMessages = BackendCapabilities(bit: 30)
    /// A user can mark messages as unread again.
    public static let markingAsUnread = BackendCapabilities(bit: 31)
    /// A user can block other users.
    public static let blocking = BackendCapabilities(bit: 32)
    /// A user can report messages, users and channels to the service.
    public static let reporting = BackendCapabilities(bit: 33)
    /// A message can have a poll.
    public static let polls = BackendCapabilities(bit: 34)
    /// The backend can search the messages of the user's channels.
    public static let messageSearch = BackendCapabilities(bit: 35)
    /// The server returns messages without their reactions, which the engine requests for the
    /// messages that a collection shows.
    public static let separateReactions = BackendCapabilities(bit: 36)
    /// The server can return only the messages of some kinds, such as pictures, but perhaps not for
    /// all kinds or channels.
    public static let kindFilter = BackendCapabilities(bit: 37)
    /// The server lists the messages that mention the user, in all channels.
    public static let mentionList = BackendCapabilities(bit: 38)

    /// Creating and changing group channels, inviting users, joining and leaving.
    public static let channelManagement: BackendCapabilities = [
        .channelCreation, .channelUpdates, .inviting, .joining, .leaving,
    ]
    /// Freezing channels, and muting and banning users for an unlimited time.
    public static let moderation: BackendCapabilities = [.freezing, .muting, .banning]
}

extension RestrictionType {
    package var capability: BackendCapabilities { self == .banned ? .banning : .muting }
}

extension BackendCapabilities: CustomStringConvertible {
    /// The names of the contained capabilities, such as "counts, threads".
    public var description: String {
        BackendCapabilities.names.filter { contains($0.capability) }.map(\.name)
            .joined(separator: ", ")
    }

    /// The capabilities in the order of their bits.
    package static let names: [(capability: BackendCapabilities, name: String)] = [
        (.deduplicatesRequests, "deduplicatesRequests"),
        (.messageChangelogByTime, "messageChangelogByTime"),
        (.channelChangelogByTime, "channelChangelogByTime"),
        (.counts, "counts"), (.reactions, "reactions"), (.threads, "threads"), (.files, "files"),
        (.readReceipts, "readReceipts"), (.deliveryReceipts, "deliveryReceipts"),
        (.typing, "typing"), (.unreadCounts, "unreadCounts"),
        (.channelCreation, "channelCreation"), (.invitations, "invitations"),
        (.hiding, "hiding"), (.freezing, "freezing"), (.historyReset, "historyReset"),
        (.openChannels, "openChannels"),
        (.deduplicatesAcrossDevices, "deduplicatesAcrossDevices"),
        (.multipleFiles, "multipleFiles"), (.channelDeletion, "channelDeletion"),
        (.distinctChannels, "distinctChannels"),
        (.temporaryRestrictions, "temporaryRestrictions"), (.channelUpdates, "channelUpdates"),
        (.inviting, "inviting"), (.joining, "joining"), (.leaving, "leaving"),
        (.muting, "muting"), (.banning, "banning"),
        (.restrictionLists, "restrictionLists"), (.roleManagement, "roleManagement"),
        (.pinnedMessages, "pinnedMessages"), (.markingAsUnread, "markingAsUnread"),
        (.blocking, "blocking"), (.reporting, "reporting"), (.polls, "polls"),
        (.messageSearch, "messageSearch"), (.separateReactions, "separateReactions"),
        (.kindFilter, "kindFilter"), (.mentionList, "mentionList"),
    ]
}
