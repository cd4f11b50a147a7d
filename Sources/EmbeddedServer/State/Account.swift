import Models
import Store

final class Account {
    var user: User
    var accessToken: String?
    var isRevoked = false

    /// The user's group channels, derived from the stored memberships.
    var channels: Set<ChannelNumber> = []
    /// The blocked users, who are stored in rows of their own.
    var blocked: Set<UserID> = []

    init(_ user: User) { self.user = user }

    var userID: UserID { user.userID }

    /// On-disk format, DO NOT CHANGE.
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
