#if Logging
    public import Logging
    import Models

    extension ChatClientOptions {
        /// Sends the client's log to a logger of swift-log; replaces ``log``.
        ///
        /// The metadata has the key `channel` if a line is about a channel.
        public mutating func setLogger(_ logger: Logger) {
            log = { line in
                logger.log(
                    level: line.level.ofLogger, "\(line.text)",
                    metadata: line.channelURL.map { ["channel": "\($0.rawValue.oneLine)"] },
                    source: "Scrollback")
            }
        }
    }

    extension ChatClient.LogLine.Level {
        fileprivate var ofLogger: Logger.Level {
            switch self {
            case .debug: .debug
            case .info: .info
            case .warning: .warning
            case .error: .error
            }
        }
    }
#endif
