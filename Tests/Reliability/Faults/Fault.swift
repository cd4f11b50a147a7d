/// A kind of fault.
///
/// It is one row of the table in Docs/Reliability.md.
package enum Fault: String, CaseIterable, Sendable {
    // Faults of the process and of the power.
    case killed, powerLost, tornCacheLog, tornOutboxLog

    // Damage to files that were complete.
    case cutOutboxLog
    case flippedCacheLog, flippedCacheTable, flippedCacheManifest, flippedCacheCurrent
    case flippedOutboxLog, flippedOutboxTable, flippedOutboxManifest, flippedOutboxCurrent
    case contradictoryRows, usedDamagedCache

    // Faults that concern the copies of outgoing files.
    case killedWithFiles, powerLostWithFiles, damagedFiles

    // Operations that the system refuses.
    case fullDisk, readOnlyDisk, deniedFiles, lockedFiles, wrongKey, newerSchema

    // The network.
    case offline, notSent, requestLost, answerLost, throttled, serverFailed, sessionExpired

    // Faults in the server's pages and feed.
    case shortPages, pageCursorsExpired, cutBatches, mixedChannels, truncations, feedCursorExpired
    case repeatedChangelog, changelogExpired, equalTimes, wrongClocks

    // Changes of the server's history.
    case changedMeanwhile, channelLeft, channelMadeAgain, messagesForgotten, serverPutBack

    // A server that violates its contract.
    case noDeduplication, repeatedEvents, repeatedBatches, shuffledEvents, lostEvents
}

extension Fault {
    /// The name of the fault in Docs/Reliability.md.
    package var title: String {
        switch self {
        case .killed: "`kill -9` before each change to the disk"
        case .powerLost: "power lost after each step, with all unsynced writes"
        case .tornCacheLog: "torn log of the cache, at every byte of its tail"
        case .tornOutboxLog: "torn log of the outbox, at every byte of the write in progress"
        case .cutOutboxLog: "the outbox's log cut anywhere: a disk that loses synced data"
        case .flippedCacheLog: "a flipped byte in a log of the cache"
        case .flippedCacheTable: "… in a table of the cache"
        case .flippedCacheManifest: "… in the manifest of the cache"
        case .flippedCacheCurrent: "… in `CURRENT` of the cache"
        case .flippedOutboxLog: "a flipped byte in a log of the outbox"
        case .flippedOutboxTable: "… in a table of the outbox"
        case .flippedOutboxManifest: "… in the manifest of the outbox"
        case .flippedOutboxCurrent: "… in `CURRENT` of the outbox"
        case .contradictoryRows: "rows of the cache that contradict each other"
        case .usedDamagedCache: "a flipped byte in a table of the cache, while messages are sent"
        case .killedWithFiles: "`kill -9` before each change to the disk, while files are sent"
        case .powerLostWithFiles: "power lost before each change to the disk, while a file is sent"
        case .damagedFiles: "a copy of an outgoing file flipped, cut, emptied, extended or missing"
        case .fullDisk: "disk full, from each change on"
        case .readOnlyDisk: "disk read-only, from each change on"
        case .deniedFiles: "permission denied when opening"
        case .lockedFiles: "files locked by another store"
        case .wrongKey: "wrong key"
        case .newerSchema: "files of a newer version"
        case .offline: "no network, repeatedly"
        case .notSent: "half of all requests not sent"
        case .requestLost: "half of all requests lost"
        case .answerLost: "half of all answers lost, after the effect"
        case .throttled: "half of all requests throttled"
        case .serverFailed: "half of all requests answered with a server failure (5xx)"
        case .sessionExpired: "session expired"
        case .shortPages: "short and empty pages, of at most 3 messages"
        case .pageCursorsExpired: "half of all page cursors expired"
        case .cutBatches: "batches of the feed split at any event"
        case .mixedChannels: "events of different channels in any order"
        case .truncations: "only the newest message reported after an absence"
        case .feedCursorExpired: "the feed's cursor expired during an absence"
        case .repeatedChangelog: "changelogs delivered twice, and empty at first"
        case .changelogExpired: "half of all changelog tokens expired"
        case .equalTimes: "server times in whole hours: all messages of an hour have one time"
        case .wrongClocks: "server nodes whose clocks are wrong by half a second"
        case .changedMeanwhile: "edits and deletions during an absence, not all reported"
        case .channelLeft: "a channel left and joined again during an absence"
        case .channelMadeAgain: "a channel deleted and created again during an absence"
        case .messagesForgotten: "messages expired by the server, reported as a range"
        case .serverPutBack: "a server restored from a backup"
        case .noDeduplication: "half of all answers lost, without deduplication by the server"
        case .repeatedEvents: "half of all events delivered twice"
        case .repeatedBatches: "half of all batches delivered again"
        case .shuffledEvents: "events of a channel in any order"
        case .lostEvents: "half of all message events never delivered"
        }
    }

    /// The unit in which the page counts the fault.
    package var unit: String {
        switch self {
        case .killed: "kills"
        case .powerLost: "power cuts"
        case .tornCacheLog, .tornOutboxLog, .cutOutboxLog: "cuts"
        case .flippedCacheLog, .flippedCacheTable, .flippedCacheManifest, .flippedCacheCurrent,
            .flippedOutboxLog, .flippedOutboxTable, .flippedOutboxManifest, .flippedOutboxCurrent,
            .usedDamagedCache:
            "flips"
        case .contradictoryRows: "rows"
        case .killedWithFiles: "kills"
        case .powerLostWithFiles: "power cuts"
        case .damagedFiles: "copies"
        case .fullDisk, .readOnlyDisk: "disks"
        case .deniedFiles, .lockedFiles, .wrongKey, .newerSchema: "openings"
        case .notSent, .requestLost, .answerLost, .throttled, .serverFailed, .shortPages,
            .pageCursorsExpired, .cutBatches, .truncations, .repeatedChangelog, .changelogExpired,
            .noDeduplication, .repeatedBatches, .lostEvents:
            "calls"
        default: "rounds"
        }
    }

    /// True if the fault destroys the only copy of outbox items.
    ///
    /// If it does, the device must report each loss. If it does not, no promised item may be lost.
    package var destroysOutboxItems: Bool {
        switch self {
        case .cutOutboxLog, .flippedOutboxLog, .flippedOutboxTable, .flippedOutboxManifest,
            .flippedOutboxCurrent:
            true
        default: false
        }
    }

    /// The suite and the function of the test that injects the fault.
    package var test: String {
        switch self {
        case .killed: "KillTests/sentItemsSurviveTheProcess"
        case .powerLost: "FaultTests/unsyncedWritesAreLostAsASuffix"
        case .tornCacheLog, .tornOutboxLog, .cutOutboxLog: "DamageTests/truncatedFileIsDetected"
        case .flippedCacheLog, .flippedCacheTable, .flippedCacheManifest, .flippedCacheCurrent,
            .flippedOutboxManifest, .flippedOutboxCurrent:
            "DamageTests/flippedBitIsDetected"
        case .flippedOutboxLog, .flippedOutboxTable:
            "RebuiltOutboxTests/rebuiltItemsHaveTheTextsThatWereWritten"
        case .contradictoryRows:
            "ContradictoryRowsTests/contradictoryRowsDoNotBlockAnExpiredCursor"
        case .usedDamagedCache: "DamagedCacheTests/damagedCacheDoesNotStopSendingOrClearing"
        case .killedWithFiles, .powerLostWithFiles:
            "DamagedFilesTests/copiedFileSurvivesAPowerFailure"
        case .damagedFiles: "DamagedFilesTests/itemWithADamagedCopyIsResentWithTheFile"
        case .fullDisk: "DiskTests/outboxItemThatDoesNotFitIsNotStored"
        case .readOnlyDisk: "DiskTests/readOnlyDiskIsAPermissionError"
        case .deniedFiles: "StoreErrorTests/eachSystemErrorHasItsCode"
        case .lockedFiles: "OpeningTests/directoryIsLockedByItsStore"
        case .wrongKey: "EncryptionTests/wrongKeyChangesNothing"
        case .newerSchema: "OpeningTests/filesOfANewerVersionAreNotChanged"
        case .offline: "SyncPageStories/outboxItemIsSentAsThePageShows"
        case .notSent: "ConnectionTests/delaysBetweenAttemptsGrow"
        case .requestLost: "ConnectionTests/transientFailureIsRetriedLater"
        case .answerLost: "SendingTests/lostAnswerCreatesNoSecondMessage"
        case .throttled: "SendingTests/throttledRequestWaits"
        case .serverFailed:
            "SyncPageStories/outboxItemIsSentAsThePageShows"
        case .sessionExpired: "ConnectionTests/repeatedlyExpiredSessionIsRenewedWithGrowingDelays"
        case .shortPages: "PagingTests/incompletePageIsNotTheEndOfTheHistory"
        case .pageCursorsExpired: "PagingTests/incompletePageIsNotTheEndOfTheHistory"
        case .cutBatches, .mixedChannels: "FollowingTests/feedMayRepeatAndReorderEvents"
        case .truncations: "TruncationTests/newestPageDoesNotJoinOlderRanges"
        case .feedCursorExpired: "LossTests/visibleStaleRangeIsFetched"
        case .repeatedChangelog: "TruncationTests/changelogOlderThanTheFeedChangesNothing"
        case .changelogExpired:
            "TruncationTests/withoutAChangelogStoredMessagesAreStaleAndFetchedWhenShown"
        case .equalTimes: "PagingTests/messagesOfOneTimeAreDistinguishedAtPageBounds"
        case .wrongClocks: "PagingTests/clockSkewOfServersLosesNothing"
        case .changedMeanwhile: "TruncationTests/crashAfterAnyAnswerLosesNothing"
        case .channelLeft: "FollowingTests/leavingAChannelRemovesItsMessages"
        case .channelMadeAgain: "FollowingTests/recreatedChannelIsAnotherOne"
        case .messagesForgotten:
            "HistoryChangeTests/expiredRangeRemovesItsMessages"
        case .serverPutBack: "LossTests/cacheEqualsTheRestoredServer"
        case .noDeduplication: "SendingTests/doubtfulItemFailsWithoutDeduplication"
        case .repeatedEvents, .repeatedBatches, .shuffledEvents:
            "FollowingTests/feedMayRepeatAndReorderEvents"
        case .lostEvents: "VerifyingTests/missingMessageIsFoundAndFetched"
        }
    }
}
