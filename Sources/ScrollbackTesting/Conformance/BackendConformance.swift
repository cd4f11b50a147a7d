import Models
public import Sync

/// Checks whether a backend fulfills the promises of the protocol `Backend`.
///
/// ```swift
/// let report = await BackendConformance.run(on: subject)
/// print(report)
/// ```
///
/// The checks work with any test framework, and do not sleep: see ``ConformanceSubject/patience``.
/// A check is skipped if a capability or hook is missing; the report gives the reason.
public enum BackendConformance {
    /// All promises, in the order of the protocol's declarations.
    public static var promises: [BackendPromise] { BackendPromise.all }

    /// All checks, at least one for each promise.
    public static let checks: [ConformanceCheck] =
        generalChecks + feedChecks + feedOrderChecks + feedCursorChecks + feedChannelChecks
        + truncationChecks + historyChecks + pageChecks + agreementChecks + pageCursorChecks
        + anchorChecks + arrivalChecks + lookupChecks + searchChecks + threadChecks
        + messageChangeChecks + channelChangeChecks + channelListChecks + contentChecks
        + sendChecks + writeChecks + reactionChecks + fileChecks + receiptChecks
        + managementChecks + ownPartChecks + moderationChecks + roleChecks + openChannelChecks

    private static let attempts = 3

    /// Runs all checks, or those that a filter selects, one after the other.
    ///
    /// The run stops if no device has connected in the first three checks that were not skipped, or
    /// if the subject has fewer than three users for a check. ``ConformanceReport/failure`` then
    /// contains the reason, and also if the filter selects no check.
    public static func run(
        on subject: some ConformanceSubject, only filter: ((ConformanceCheck) -> Bool)? = nil
    ) async -> ConformanceReport {
        var results: [ConformanceResult] = []
        var isReached = false
        for check in checks where filter?(check) ?? true {
            let users: [Credentials]
            switch await subject.checkedUsers(for: check) {
            case .success(let found): users = found
            case .failure(let lack):
                return ConformanceReport(results: results, failure: lack.text)
            }
            let (result, hasConnected) = await check.result(on: subject, users)
            results.append(result)
            isReached = isReached || hasConnected
            let failed = results.filter(\.isFailed)
            if !isReached, failed.count == attempts, case .failed(let seen) = failed[0].outcome {
                return ConformanceReport(
                    results: results,
                    failure: "no user could connect in the first \(attempts) checks: \(seen)")
            }
        }
        return ConformanceReport(
            results: results, failure: results.isEmpty ? "the filter selects no check" : nil)
    }
}
