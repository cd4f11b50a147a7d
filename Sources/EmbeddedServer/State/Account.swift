import Models
import Store

final class Account {
    var user: User
    /// The token that the user needs to connect; `nil` if none is required.
    var accessToken: String?
    /// A Boolean value that indicates whether the user may no longer connect.
    var isRevoked = false

    /// The group channels of the user, derived from the stored memberships.
    var channels: Set<ChannelNumber> = []
    /// The users whom the user has blocked.
    ///
    /// They are stored in rows of their own.
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
