import Models

/// The part of a key in the index of kinds that says of which kind the message is.
///
/// A message has a row for each of its kinds, and one for each user whom it mentions. On-disk
/// format, DO NOT CHANGE: a new format, or another decision of ``/Models/Message/kinds``, needs a
/// new number in ``format``. A cache of another format is replaced.
struct KindKey: Hashable {
    static let format: UInt8 = 1
    /// With more mentioned users, a message is indexed as if it mentioned all; reads check it.
    private static let maximumUserCount = 16
    private static let mention: UInt8 = 6

    let bit: UInt8
    /// The mentioned user: empty for all users of the channel; `nil` for a kind that is not a
    /// mention.
    let userID: UserID?

    private init(bit: UInt8, userID: UserID? = nil) {
        self.bit = bit
        self.userID = userID
    }

    static func all(of message: Message) -> [KindKey] {
        let kinds = message.kinds
        if kinds.isEmpty { return [] }
        return keys(of: kinds) {
            let users = message.namedUserIDs
            let areIndexed =
                message.mentionType != .channel && users.count <= maximumUserCount
                && users.allSatisfy { $0.rawValue.utf8.count <= Limits.nameSize }
            return areIndexed ? users : [""]
        }
    }

    /// Returns the keys for kinds, with mentions of a user and of all users.
    static func all(of kinds: MessageKinds, for userID: UserID?) -> [KindKey] {
        keys(of: kinds) { [userID ?? "", ""] }
    }

    private static func keys(of kinds: MessageKinds, users: () -> Set<UserID>) -> [KindKey] {
        (0..<UInt8(UInt8.bitWidth)).filter { kinds.rawValue & 1 << $0 != 0 }.flatMap { bit in
            bit == mention
                ? users().map { KindKey(bit: bit, userID: $0) } : [KindKey(bit: bit)]
        }
    }
}

extension KindKey {
    func write(to writer: inout ByteWriter) {
        writer.byte(bit)
        if let userID { writer.measured(userID.rawValue) }
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        bit = try KindKey.bit(&reader)
        userID = bit == KindKey.mention ? UserID(try reader.measured()) : nil
    }

    static func bit(_ reader: inout ByteReader) throws(ByteReader.Damage) -> UInt8 {
        let offset = reader.offset
        let bit = try reader.byte()
        guard bit < UInt8.bitWidth else {
            throw ByteReader.Damage(offset: offset, expected: "a kind of message")
        }
        return bit
    }
}

extension KindKey: CustomStringConvertible {
    var description: String {
        let name = MessageKinds.names[Int(bit)].name
        guard let userID else { return name }
        return userID.rawValue.isEmpty ? "\(name) of all" : "\(name) of \(userID)"
    }
}

// MARK: Rows

extension ByteWriter {
    mutating func kindPrefix(_ channel: ChannelNumber, _ kind: KindKey) {
        table(.kind, channel)
        kind.write(to: &self)
    }

    mutating func kindKey(_ channel: ChannelNumber, _ kind: KindKey, _ position: Position) {
        kindPrefix(channel, kind)
        descending { $0.position(position) }
    }
}

extension Batch {
    /// Replaces the rows of a message's earlier version by those of the new one; either may be
    /// `nil`.
    func updateKinds(
        from old: StoredMessage?, to message: Message?, at position: Position,
        _ number: ChannelNumber
    ) {
        let oldKinds = old.map { KindKey.all(of: $0.message) } ?? []
        let kinds = message.map { KindKey.all(of: $0) } ?? []
        if let old {
            for kind in oldKinds where old.position != position || !kinds.contains(kind) {
                rows.cache.remove { $0.kindKey(number, kind, old.position) }
            }
        }
        for kind in kinds where old?.position != position || !oldKinds.contains(kind) {
            rows.cache.put { $0.kindKey(number, kind, position) }
        }
    }
}

// MARK: The format

extension LevelDB {
    func setKindFormat() throws(StoreError) {
        let overlay = Overlay()
        // The second byte once said that all messages are indexed.
        overlay.put({ $0.schemaKey(.kindFormat) }, { $0.raw([KindKey.format, 1]) })
        try write(overlay, isDurable: false)
    }
}
