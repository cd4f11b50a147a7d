#if os(Linux)
    import Foundation
    import ScrollbackKilledScenarios
    import ScrollbackTestSupport
    import ScrollbackTesting
    import Store
    import Testing

    /// Tests that the files of a killed process are consistent, and that the next process finishes
    /// the work.
    ///
    /// The process is killed before and after each removal and rename of a file; in the nightly
    /// run, at each step that changes a file.
    @Suite(.timeLimit(.minutes(30))) struct KilledScenarioTests {
        private struct Run {
            let wasKilled: Bool
            /// The steps that the process began, each as a line such as "unlink /path".
            let steps: [String]
        }

        private func run(_ scenario: Scenario, in directory: URL, killedAt step: Int) throws -> Run
        {
            try run(scenario, in: directory, ["\(step)"], isKilled: step > 0)
        }

        private func run(
            _ scenario: Scenario, in directory: URL, _ arguments: [String], isKilled: Bool
        ) throws -> Run {
            let process = Process()
            let output = Pipe()
            process.executableURL = try BuiltProgram.url("ScrollbackKilledProcess")
            process.arguments = [scenario.rawValue, directory.path] + arguments
            process.environment = BuiltProgram.environment
            process.standardOutput = output
            try process.run()
            let watchdog = Watchdog(process)
            let text = String(
                decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            watchdog.cancel()
            let wasKilled = process.terminationReason == .uncaughtSignal
            #expect(!watchdog.hasKilled)
            #expect(wasKilled ? isKilled : process.terminationStatus == 0, "\(scenario): \(text)")
            return Run(wasKilled: wasKilled, steps: text.split(separator: "\n").map(String.init))
        }

        private func copy(_ template: ScratchDirectory) throws -> ScratchDirectory {
            let place = ScratchDirectory(in: ScratchDirectory.memory)
            try FileManager.default.copyItem(at: template.url, to: place.url)
            return place
        }

        @MainActor
        private func prepared(_ scenario: Scenario) async throws -> ScratchDirectory {
            let template = try ScratchDirectory.made(in: ScratchDirectory.memory)
            try await scenario.prepare(in: template.url)
            return template
        }

        @Test(arguments: Scenario.allCases) @MainActor
        func killAtAnyStepLosesNothing(scenario: Scenario) async throws {
            let template = try await prepared(scenario)
            let first = try copy(template)
            let whole = try run(scenario, in: first.url, killedAt: 0)
            let removals = whole.steps.indices.filter { index in
                ["unlink ", "rename "].contains { whole.steps[index].hasPrefix($0) }
            }
            // If the scenario removed nothing, this test would test nothing.
            #expect(!removals.isEmpty)
            let chosen =
                Seeds.isNight
                ? Array(1...whole.steps.count + 1)
                : Set(removals.flatMap { [$0 + 1, $0 + 2] }).sorted()
            for step in chosen {
                let place = try copy(template)
                let run = try run(scenario, in: place.url, killedAt: step)
                let problems = try await scenario.problems(in: place.url)
                #expect(
                    problems == [],
                    "killed: \(run.wasKilled), before step \(step) after \(run.steps.suffix(3))")
            }
        }

        /// Processes replace the cache, until two of them were killed at a random step.
        ///
        /// One of them may find the cache damaged.
        @Test(arguments: Seeds.count(25, atNight: 500), [false, true]) @MainActor
        func randomKillsOfReplacementsLoseNothing(seed: Int, isEncrypted: Bool) async throws {
            let place = try ScratchDirectory.made(in: ScratchDirectory.memory)
            if isEncrypted { try ChatStore(at: place.url, encryptionKey: .first).close() }
            try await Scenario.replacingCache.prepare(in: place.url)
            var random = SeededRandom(seed: seed)
            let damaged = Int.random(in: 0...2, using: &random)
            var (kills, log) = (0, [String]())
            while kills < 2 {
                if kills + 1 == damaged, !log.contains(where: { $0.hasPrefix("damaged") }) {
                    log.append(try damageCache(in: place.url, &random))
                }
                // A process takes about 40 to 65 steps.
                let step = Int.random(in: 1...60, using: &random)
                let run = try run(.replacingCache, in: place.url, killedAt: step)
                if run.wasKilled { kills += 1 }
                log += run.steps.suffix(2)
            }
            let problems = try await Scenario.replacingCache.problems(in: place.url)
            #expect(problems == [], "\(log)")
        }

        /// Overwrites a file of the current cache, and returns its path.
        private func damageCache(in directory: URL, _ random: inout SeededRandom) throws -> String {
            let cache = try currentCache(in: directory)
            let files = try FileManager.default.contentsOfDirectory(atPath: cache.path).sorted()
                .filter { $0 == "CURRENT" || $0.hasPrefix("MANIFEST") || $0.hasSuffix(".ldb") }
            guard let name = files.randomElement(using: &random) else { return "no file" }
            let file = cache.appending(path: name)
            try Data(repeating: 0xFF, count: Data(contentsOf: file).count).write(to: file)
            return "damaged \(file.path)"
        }

        @Test(arguments: Scenario.allCases, [0, 0o777])
        func clientFilesAreAccessibleOnlyToTheirOwner(scenario: Scenario, mask: Int) throws {
            let place = try ScratchDirectory.made(in: ScratchDirectory.memory)
            _ = try run(scenario, in: place.url, ["mask", "\(mask)"], isKilled: false)
            let paths = try FileManager.default.subpathsOfDirectory(atPath: place.path)
            #expect(!paths.isEmpty)
            // Ignore the files that the scenario itself writes.
            for path in paths where path != "original" {
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: place.url.appending(path: path).path)
                let isDirectory = attributes[.type] as? FileAttributeType == .typeDirectory
                let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue
                #expect(mode == (isDirectory ? 0o700 : 0o600), "\(path)")
            }
        }

        /// Checks that a row is flushed to disk before the file that contained it is removed or
        /// renamed.
        ///
        /// Otherwise a power cut could lose the row.
        @Test(arguments: [(Scenario.readingPushes, "unlink ", ".drop", "/cache/")])
        func nothingIsRemovedBeforeItsCopyIsSynced(
            scenario: Scenario, verb: String, removed: String, log: String
        ) async throws {
            let template = try await prepared(scenario)
            let place = try copy(template)
            let steps = try run(scenario, in: place.url, killedAt: 0).steps
            var unsynced: Set<Substring> = []
            var count = 0
            for step in steps {
                let words = step.split(separator: " ", maxSplits: 1)
                let path = words[1]
                // Logs in a directory that is itself being removed need no flush.
                let isMeant = path.contains(log) && path.hasSuffix(".log")
                if isMeant, !path.contains(removed), words[0] == "write" { unsynced.insert(path) }
                if isMeant, ["sync", "unlink"].contains(words[0]) { unsynced.remove(path) }
                if step.hasPrefix(verb), path.hasSuffix(removed) {
                    count += 1
                    #expect(unsynced == [], "at \(step)")
                }
            }
            #expect(count > 0)
        }
    }
#endif
