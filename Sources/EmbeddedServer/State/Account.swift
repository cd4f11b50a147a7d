import Models
import Store

/// A user whom the server knows.
final class Account {
    var user: User
    /// What proves that it is they; `nil` if nothing has to.
    var accessToken: String?
    /// Whether the user is let in no more.
    var isRevoked = false

    /// The group channels that the user has a part in.
    ///
    /// Not stored: the memberships say so.
    var channels: Set<ChannelNumber> = []
    /// How much is unread in all of them; `nil` until somebody asks.
    var unread: Unread?

    init(_ user: User) { self.user = user }

    var userID: UserID { user.userID }

    /// DO NOT CHANGE: on people's disks.
    func write(to writer: inout ByteWriter) {
        writer.byte(isRevoked ? 1 : 0)
        writer.measured(accessToken ?? "")
        writer.record(user)
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        isRevoked = try reader.byte() != 0
        accessToken = try reader.optionalName()
        user = try reader.record("a user")
    }
}
