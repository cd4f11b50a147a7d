import ScrollbackTesting

/// Runs the backend of Docs/Backends.md in a separate package, which can only use what is public.
///
/// `TeamChat` is a link to the directory of the tests, so this is the same code that the page
/// shows.
@main struct OwnBackend {
    static func main() async {
        let report = await BackendConformance.run(on: TeamChatSubject())
        precondition(report.isKept, "\(report)")
        print("\(report)".split(separator: "\n")[0])
    }
}
