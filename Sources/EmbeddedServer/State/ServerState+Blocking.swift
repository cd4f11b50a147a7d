public import Models
import Store

extension ServerState {
    func setBlocked(
        _ isBlocked: Bool, _ blockedID: UserID, by userID: UserID
    ) throws(BackendError) {
        let account = try account(userID)
        _ = try self.account(blockedID)
        guard blockedID != userID else {
            throw BackendError(
                .refused, "\(userID) cannot block themselves", detail: .notAuthorized)
        }
        if isBlocked {
            account.blocked.insert(blockedID)
            database.put({ $0.block(userID, blockedID) }, { _ in })
        } else {
            account.blocked.remove(blockedID)
            database.remove { $0.block(userID, blockedID) }
        }
    }

    func blockedUsers(
        after cursor: PageCursor?, limit: Int, by userID: UserID
    ) throws(BackendError) -> Page<User> {
        let ids = try account(userID).blocked.sorted()
        return try page(of: ids, after: cursor, limit: limit) { accounts[$0]?.user }
    }

    func checkIsNotBlocked(_ inviter: UserID, by userID: UserID) throws(BackendError) {
        guard accounts[userID]?.blocked.contains(inviter) ?? false else { return }
        throw BackendError(
            .refused, "\(inviter) cannot invite \(userID)", detail: .notAuthorized)
    }

    // MARK: Reports

    func file(_ report: ModerationReport, by userID: UserID) throws(BackendError) {
        switch report.subject {
        case .message(let id, in: let url):
            _ = try visibleMessage(id, in: try readableChannel(url, for: userID), for: userID)
        case .user(let id): _ = try account(id)
        case .channel(let url): _ = try readableChannel(url, for: userID)
        }
        let filed = FiledReport(reporter: userID, createdAt: now(), report: report)
        reports.append(filed)
        database.put({ $0.report(UInt64(reports.count)) }, filed.write)
    }
}

/// A report with its author and time.
public struct FiledReport: Hashable, Sendable {
    /// The user who made the report.
    public let reporter: UserID

    /// The time of the report on the server's clock.
    public let createdAt: Timestamp

    /// The report.
    public let report: ModerationReport
}

extension FiledReport {
    /// On-disk format, DO NOT CHANGE.
    func write(to writer: inout ByteWriter) {
        writer.timestamp(createdAt)
        writer.measured(reporter.rawValue)
        writer.measured(report.category.rawValue)
        switch report.subject {
        case .message(let id, in: let url):
            writer.byte(0)
            writer.measured(id.rawValue)
            writer.measured(url.rawValue)
        case .user(let id):
            writer.byte(1)
            writer.measured(id.rawValue)
        case .channel(let url):
            writer.byte(2)
            writer.measured(url.rawValue)
        }
        writer.text(report.comment)
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        createdAt = try reader.timestamp()
        reporter = UserID(try reader.measured())
        guard let category = ModerationReport.Category(rawValue: try reader.measured()) else {
            throw reader.damage("a category")
        }
        let subject: ModerationReport.Subject
        switch try reader.byte() {
        case 0:
            let id = MessageID(try reader.measured())
            subject = .message(id, in: ChannelURL(try reader.measured()))
        case 1: subject = .user(UserID(try reader.measured()))
        case 2: subject = .channel(ChannelURL(try reader.measured()))
        default: throw reader.damage("the subject of a report")
        }
        report = ModerationReport(subject, as: category, comment: try reader.text())
    }
}
