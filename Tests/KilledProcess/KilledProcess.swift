// `KilledProcess scenario directory step` runs a scenario. The process kills itself before the step
// with the number `step`; if it is 0, the scenario runs to its end. A step is a change of the files
// in the directory, and is printed before it is made.
//
// `KilledProcess scenario directory mask NUMBER` prepares and runs the scenario with a given
// umask.

import CScrollbackDiskSteps
import Foundation
import ScrollbackKilledScenarios

@main struct KilledProcess {
    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 5, arguments[3] == "mask",
            let scenario = Scenario(rawValue: arguments[1]), let mask = mode_t(arguments[4])
        {
            umask(mask)
            try await scenario.prepare(in: URL(filePath: arguments[2]))
            return try await scenario.run(in: URL(filePath: arguments[2]))
        }
        guard arguments.count == 4, let scenario = Scenario(rawValue: arguments[1]),
            let step = UInt(arguments[3])
        else {
            FileHandle.standardError.write(Data("usage: scenario directory step\n".utf8))
            exit(2)
        }
        disk_steps_begin(arguments[2], step, STDOUT_FILENO)
        try await scenario.run(in: URL(filePath: arguments[2]))
        disk_steps_end()
    }
}
