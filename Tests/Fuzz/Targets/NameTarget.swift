import Foundation
import Models
import Store

extension FuzzTarget {
    /// Two strings from a server that become names of files and directories.
    ///
    /// The input is the length of the first string, the first string, and the second one.
    ///
    /// Each file name must be a single path component, with only characters that every file system
    /// supports. Different strings must have different names, even if case is ignored.
    static let names = FuzzTarget("Names") { input in
        var input = FuzzInput(input)
        let first = String(decoding: input.measured(), as: UTF8.self)
        let second = input.text
        let root = URL(filePath: "/root/of all", directoryHint: .isDirectory)
        for hidesUser in [false, true] {
            func directory(_ application: String, _ user: String) -> String {
                let directory = ChatStore.directory(
                    in: root, applicationID: application, userID: UserID(user), hidesUser: hidesUser
                )
                checkName(directory.path(percentEncoded: false), in: root)
                return directory.path(percentEncoded: false).lowercased()
            }
            let areSame = first.utf8.elementsEqual(second.utf8)
            precondition((directory("a", first) == directory("a", second)) == areSame)
            precondition((directory(first, "a") == directory(second, "a")) == areSame)
        }
        checkCache([first, second])
    }

    /// Checks the two path components that follow a directory in a path.
    private static func checkName(_ path: String, in root: URL) {
        let prefix = root.path(percentEncoded: false)
        precondition(path.hasPrefix(prefix), "\(path) is elsewhere.")
        let components = path.dropFirst(prefix.count).split(
            separator: "/", omittingEmptySubsequences: true)
        precondition(components.count == 2, "\(path) is not where it should be.")
        for component in components {
            precondition(component.utf8.count <= 100, "\(component) is too long.")
            precondition("-_%".contains(component.first ?? "."), "\(component) is no name.")
            precondition(component.utf8.allSatisfy { allowed.contains($0) })
        }
    }

    private static let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789-_%ABCDEF".utf8)

    /// Saves messages of channels with these URLs, and checks where the files are.
    private static func checkCache(_ urls: [String]) {
        let directory = FuzzDirectory()
        let cache = orTrap { try FileCache(directory: directory.url.appending(path: "cache")) }
        for url in urls { orTrap { try cache.save([], in: ChannelURL(url)) } }
        let names = directory.contents.subtracting(["cache", "cache/lock"])
        let areSame = urls[0].utf8.elementsEqual(urls[1].utf8)
        precondition(names.count == (areSame ? 1 : 2), "Channels share a file: \(names)")
        for name in names {
            precondition(name.hasPrefix("cache/") && name.hasSuffix(".messages"))
            let digits = name.dropFirst("cache/".count).dropLast(".messages".count)
            precondition(digits.utf8.count == 64 && digits.allSatisfy(\.isHexDigit))
        }
        let channels = orTrap { try cache.channels() }
        precondition(
            channels.map(\.rawValue).allSatisfy { url in
                urls.contains { $0.utf8.elementsEqual(url.utf8) }
            }, "A file names another channel.")
    }
}
