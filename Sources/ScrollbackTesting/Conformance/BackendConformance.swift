/// Checks whether a backend keeps what the protocol `Backend` promises.
///
/// ```swift
/// let report = await BackendConformance.run(on: subject)
/// print(report)
/// ```
///
/// It is plain Swift, for any test framework. Checks that need what the backend's capabilities leave out,
/// or a hook that the host does not have, are skipped; the report says which, and why. Nothing
/// sleeps: see ``ConformanceSubject/patience``.
public enum BackendConformance {
    /// All that is promised, in the order of the protocol's declarations.
    public static var promises: [BackendPromise] { BackendPromise.all }

    /// Every check; at least one for each promise.
    public static let checks: [ConformanceCheck] =
        generalChecks + feedChecks + feedOrderChecks + feedCursorChecks + feedChannelChecks
        + holeChecks + pageChecks + pageCursorChecks + anchorChecks + lookupChecks + threadChecks
        + messageChangeChecks + channelChangeChecks + channelListChecks + sendChecks + writeChecks
        + reactionChecks + fileChecks + receiptChecks + managementChecks + ownPartChecks
        + moderationChecks + openChannelChecks

    /// Runs checks one after the other.
    ///
    /// - Parameters:
    ///   - subject: The server, and how to reach it.
    ///   - filter: Which checks; the default, `nil`, is all.
    /// - Returns: What was found.
    public static func run(
        on subject: some ConformanceSubject, only filter: ((ConformanceCheck) -> Bool)? = nil
    ) async -> ConformanceReport {
        var results: [ConformanceResult] = []
        for check in checks where filter?(check) ?? true {
            results.append(await check.run(on: subject))
        }
        return ConformanceReport(results: results)
    }
}
