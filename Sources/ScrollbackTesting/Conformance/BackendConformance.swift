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

    /// How many checks are tried before a host counts as one that cannot be reached.
    private static let attempts = 3

    /// Runs checks one after the other.
    ///
    /// Where nobody can connect, all of them would fail alike. So if not one device connected in
    /// the first three checks that were not skipped, the others do not run, and the report says why in
    /// ``ConformanceReport/failure``; so it does if the subject names fewer than three users.
    ///
    /// - Parameters:
    ///   - subject: The server, and how to reach it.
    ///   - filter: Which checks; the default, `nil`, is all.
    /// - Returns: What was found.
    public static func run(
        on subject: some ConformanceSubject, only filter: ((ConformanceCheck) -> Bool)? = nil
    ) async -> ConformanceReport {
        if let lack = subject.lack { return ConformanceReport(results: [], failure: lack) }
        var results: [ConformanceResult] = []
        var isReached = false
        for check in checks where filter?(check) ?? true {
            let (result, hasConnected) = await check.result(on: subject)
            results.append(result)
            isReached = isReached || hasConnected
            let failed = results.filter(\.isFailed)
            if !isReached, failed.count == attempts, case .failed(let seen) = failed[0].outcome {
                return ConformanceReport(
                    results: results,
                    failure: "nobody could connect in the first \(attempts) checks: \(seen)")
            }
        }
        return ConformanceReport(results: results)
    }
}
