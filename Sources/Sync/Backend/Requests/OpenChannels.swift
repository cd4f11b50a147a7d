public import Models

/// Returns a page of the open channels, newest first.
public struct ListOpenChannels: PageOfList {
    /// The result.
    public typealias Answer = Page<OpenChannel>

    /// The declaration.
    public static let declaration = CallDeclaration(
        "openChannels", "Returns a page of the open channels, newest first.",
        needs: .openChannels, changesServer: false)

    /// The previous page's cursor.
    public var cursor: PageCursor?

    /// The maximum number of elements.
    public var limit: Int

    /// Creates a request.
    public init(after cursor: PageCursor?, limit: Int) {
        self.cursor = cursor
        self.limit = limit
    }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> ListOpenChannels {
        ListOpenChannels(after: nil, limit: 20)
    }
}

/// Returns an open channel.
public struct FetchOpenChannel: BackendRequest, ChannelCall {
    /// The result.
    public typealias Answer = OpenChannel

    /// The declaration.
    public static let declaration = CallDeclaration(
        "openChannel", "Returns an open channel.", needs: .openChannels, changesServer: false)

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// Creates a request.
    public init(_ channelURL: ChannelURL) { self.channelURL = channelURL }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> FetchOpenChannel {
        FetchOpenChannel(names.channelURL)
    }
}

/// Creates an open channel with the user as operator.
public struct CreateOpenChannel: BackendRequest {
    /// The result.
    public typealias Answer = OpenChannel

    /// The declaration.
    public static let declaration = CallDeclaration(
        "createOpenChannel", "Creates an open channel with the user as operator.",
        needs: .openChannels)

    /// The properties of the channel.
    public var params: OpenChannelCreateParams

    /// Creates a request.
    public init(_ params: OpenChannelCreateParams) { self.params = params }

    /// The channel's name.
    public var subject: String { params.name }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> CreateOpenChannel {
        CreateOpenChannel(OpenChannelCreateParams("Lobby"))
    }
}

/// Enters an open channel.
///
/// Until the user exits, the user can fetch its messages, and the feed reports new ones.
public struct EnterOpenChannel: BackendRequest, ChannelCall {
    /// The result.
    public typealias Answer = OpenChannel

    /// The declaration.
    public static let declaration = CallDeclaration(
        "enter", "Enters an open channel.", needs: .openChannels,
        promises: [
            BackendPromise(
                "open.live",
                "Users in the channel receive the messages that are sent from then on, and none of "
                    + "the earlier ones.")
        ])

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// Creates a request.
    public init(_ channelURL: ChannelURL) { self.channelURL = channelURL }

    /// Stores the channel, and fetches the shown parts of its history.
    public func effect(of answer: OpenChannel) -> CacheEffect { .entered(answer) }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> EnterOpenChannel {
        EnterOpenChannel(names.channelURL)
    }
}

/// Exits an open channel.
///
/// Disconnecting also exits it.
public struct ExitOpenChannel: BackendRequest, ChannelCall {
    /// Nothing.
    public typealias Answer = Void

    /// The declaration.
    public static let declaration = CallDeclaration(
        "exit", "Exits an open channel.", needs: .openChannels)

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// Creates a request.
    public init(_ channelURL: ChannelURL) { self.channelURL = channelURL }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> ExitOpenChannel {
        ExitOpenChannel(names.channelURL)
    }
}
