import ScrollbackTesting

/// The backend of Docs/Backends.md in a package of its own, which sees what is public alone.
///
/// `TeamChat` is a link, so that it is the very code that the page shows.
@main struct OwnBackend {
    static func main() async {
        let report = await BackendConformance.run(on: TeamChatSubject())
        precondition(report.isKept, "\(report)")
        print("\(report)".split(separator: "\n")[0])
    }
}
