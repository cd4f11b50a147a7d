import Models

extension MessageAnchor {
    var text: String {
        switch self {
        case .newest: "at the newest"
        case .time(let time): "at \(time)"
        case .message(let id): "at message \(id.rawValue)"
        case .cursor: "at a cursor"
        }
    }
}

extension CallName {
    /// The name of ``CoreCall/Connect``.
    public static let connect = CoreCall.Connect.name
    /// The name of ``CoreCall/Feed``.
    public static let feed = CoreCall.Feed.name
    /// The name of ``CoreCall/Messages``.
    public static let messages = CoreCall.Messages.name
    /// The name of ``CoreCall/MessagesOfKinds``.
    public static let messagesOfKinds = CoreCall.MessagesOfKinds.name
    /// The name of ``CoreCall/Replies``.
    public static let replies = CoreCall.Replies.name
    /// The name of ``CoreCall/Lookup``.
    public static let lookup = CoreCall.Lookup.name
    /// The name of ``CoreCall/Reactions``.
    public static let reactions = CoreCall.Reactions.name
    /// The name of ``CoreCall/MessageChanges``.
    public static let messageChanges = CoreCall.MessageChanges.name
    /// The name of ``CoreCall/ChannelChanges``.
    public static let channelChanges = CoreCall.ChannelChanges.name
    /// The name of ``CoreCall/Channels``.
    public static let channels = CoreCall.Channels.name
    /// The name of ``CoreCall/Channel``.
    public static let channel = CoreCall.Channel.name
    /// The name of ``CoreCall/Send``.
    public static let send = CoreCall.Send.name
    /// The name of ``CoreCall/Update``.
    public static let update = CoreCall.Update.name
    /// The name of ``CoreCall/Delete``.
    public static let delete = CoreCall.Delete.name
    /// The name of ``CoreCall/React``.
    public static let react = CoreCall.React.name
    /// The name of ``CoreCall/Upload``.
    public static let upload = CoreCall.Upload.name
    /// The name of ``CoreCall/Download``.
    public static let download = CoreCall.Download.name
}
