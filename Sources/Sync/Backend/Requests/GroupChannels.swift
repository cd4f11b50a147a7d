public import Models

/// Creates a group channel with the user as member and operator.
public struct CreateChannel: BackendRequest {
    /// The result.
    public typealias Answer = GroupChannel

    /// The declaration.
    public static let declaration = CallDeclaration(
        "createChannel", "Creates a group channel with the user as member and operator.",
        needs: .channelCreation,
        promises: [
            BackendPromise(
                "create.members",
                "Each listed user is a joined or an invited member of the channel."),
            BackendPromise(
                "create.distinct",
                "If the parameters ask for a distinct channel, and one with the same users exists, "
                    + "that channel is returned."),
        ])

    /// The properties of the channel.
    public var params: GroupChannelCreateParams

    /// Creates a request.
    public init(_ params: GroupChannelCreateParams) { self.params = params }

    /// The channel's name.
    public var subject: String { params.name }

    /// Stores the channel.
    public func effect(of answer: GroupChannel) -> CacheEffect { .channel(answer) }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> CreateChannel {
        CreateChannel(GroupChannelCreateParams("Team", userIDs: [names.userID]))
    }
}

/// Changes the name, cover image, data, custom type or metadata of a group channel.
public struct UpdateChannel: BackendRequest, ChannelCall {
    /// The result.
    public typealias Answer = GroupChannel

    /// The declaration.
    public static let declaration = CallDeclaration(
        "updateChannel",
        "Changes the name, cover image, data, custom type or metadata of a group channel.",
        needs: .channelUpdates,
        promises: [
            BackendPromise(
                "updateChannel.absent",
                "Properties that the patch does not contain keep their values.")
        ])

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// The properties to change.
    public var patch: Patch<GroupChannel>

    /// Creates a request.
    public init(_ channelURL: ChannelURL, with patch: Patch<GroupChannel>) {
        self.channelURL = channelURL
        self.patch = patch
    }

    /// Stores the channel.
    public func effect(of answer: GroupChannel) -> CacheEffect { .channel(answer) }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> UpdateChannel {
        var patch = Patch<GroupChannel>()
        patch.set(\.name, to: "New name")
        return UpdateChannel(names.channelURL, with: patch)
    }
}

/// Deletes a group channel with its messages for all members.
public struct DeleteChannel: BackendRequest, ChannelCall {
    /// Nothing.
    public typealias Answer = Void

    /// The declaration.
    public static let declaration = CallDeclaration(
        "deleteChannel", "Deletes a group channel with its messages for all members.",
        needs: .channelDeletion,
        promises: [
            BackendPromise("deleteChannel.gone", "Each member loses the channel.")
        ])

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// Creates a request.
    public init(_ channelURL: ChannelURL) { self.channelURL = channelURL }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> DeleteChannel {
        DeleteChannel(names.channelURL)
    }
}

/// Hides a group channel from the user's list, or shows it again.
public struct HideChannel: BackendRequest, ChannelCall {
    /// Nothing.
    public typealias Answer = Void

    /// The declaration.
    public static let declaration = CallDeclaration(
        "hide", "Hides a group channel from the user's list, or shows it again.", needs: .hiding,
        promises: [
            BackendPromise(
                "hide.state",
                "The channel has the given hidden state. A new message ends `hiddenAllowAutoUnhide` "
                    + "but not `hiddenPreventAutoUnhide`.")
        ])

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// The new state.
    public var state: HiddenState

    /// Creates a request.
    public init(_ channelURL: ChannelURL, until state: HiddenState) {
        self.channelURL = channelURL
        self.state = state
    }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> HideChannel {
        HideChannel(names.channelURL, until: .hiddenPreventAutoUnhide)
    }
}

/// Resets the history of a group channel for this user only, and returns the new lower bound.
public struct ResetMyHistory: BackendRequest, ChannelCall {
    /// The result.
    public typealias Answer = Timestamp

    /// The declaration.
    public static let declaration = CallDeclaration(
        "resetMyHistory",
        "Resets the history of a group channel for this user only, and returns the new lower bound.",
        needs: .historyReset,
        promises: [
            BackendPromise(
                "reset.history",
                "No page, lookup or count of the user contains messages that were created before the "
                    + "lower bound, and the channel has the bound as its `messageOffset`. Other users "
                    + "keep all messages.")
        ])

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// Creates a request.
    public init(of channelURL: ChannelURL) { self.channelURL = channelURL }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> ResetMyHistory {
        ResetMyHistory(of: names.channelURL)
    }
}

/// Pins a message to a group channel, or unpins it.
///
/// The server throws `notFound` if the message does not exist.
public struct SetPinned: MessageRequest, ChannelCall {
    /// Nothing.
    public typealias Answer = Void

    /// The declaration.
    public static let declaration = CallDeclaration(
        "setPinned", "Pins a message to a group channel, or unpins it.", needs: .pinnedMessages,
        promises: [
            BackendPromise(
                "pin.reported",
                "The channel's pinned messages contain the message until it is unpinned or deleted, "
                    + "and the feed reports each change to the members.")
        ])

    /// Whether to pin the message.
    public var isPinned: Bool

    /// The message's ID.
    public var messageID: MessageID

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// The message's epoch.
    public var epoch: ServerEpoch?

    /// Creates a request.
    public init(
        _ isPinned: Bool, _ messageID: MessageID, in channelURL: ChannelURL,
        epoch: ServerEpoch? = nil
    ) {
        self.isPinned = isPinned
        self.messageID = messageID
        self.channelURL = channelURL
        self.epoch = epoch
    }

    /// The named message.
    public var message: (id: MessageID, channelURL: ChannelURL)? { (messageID, channelURL) }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> SetPinned {
        SetPinned(true, names.messageID, in: names.channelURL)
    }
}

/// Freezes a channel, so that only operators can send messages, or unfreezes it.
public struct SetFrozen: BackendRequest, ChannelCall {
    /// Nothing.
    public typealias Answer = Void

    /// The declaration.
    public static let declaration = CallDeclaration(
        "setFrozen",
        "Freezes a channel, so that only operators can send messages, or unfreezes it.",
        needs: .freezing,
        promises: [
            BackendPromise(
                "freeze.refuses",
                "While the channel is frozen, messages of other users are refused with "
                    + "`channelFrozen`.")
        ])

    /// Whether to freeze the channel.
    public var isFrozen: Bool

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// Creates a request.
    public init(_ isFrozen: Bool, for channelURL: ChannelURL) {
        self.isFrozen = isFrozen
        self.channelURL = channelURL
    }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> SetFrozen {
        SetFrozen(true, for: names.channelURL)
    }
}
