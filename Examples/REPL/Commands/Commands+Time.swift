import Scrollback

extension Command {
    static let time: [Command] = [
        Command(
            name: "time",
            usage: "MILLISECONDS | DATE",
            summary: "Shows a timestamp as a date in ISO 8601, or such a date as a timestamp.",
            example: "time 1700000000000",
            gives: [.time, .date]
        ) { arguments in
            guard arguments.words.count == 1, let word = arguments.words.first else {
                throw CommandError.usage
            }
            if let milliseconds = Int64(word) {
                let time = Timestamp(milliseconds: milliseconds)
                return .text(time.iso8601, [.time: time, .date: time.iso8601])
            }
            guard let time = Timestamp(iso8601: word) else {
                throw CommandError.failed(
                    "'\(word)' is neither a number nor a date like \(Timestamp.sample.iso8601)"
                )
            }
            return .text("\(time.milliseconds)", [.time: time, .date: time.iso8601])
        }
    ]
}

extension Timestamp {
    fileprivate static let sample: Timestamp = 1_700_000_000_000
}
