import CAllocations
import Foundation

// figures check FILE   fails if a call of the store costs more than the file says
// figures write FILE   writes the file

let arguments = CommandLine.arguments
guard arguments.count == 3, ["check", "write"].contains(arguments[1]) else {
    print("usage: figures check FILE | figures write FILE")
    exit(2)
}
allocations_start()
guard allocations_stop() >= 0 else {
    print("Figures are counted with glibc; here is another library, so nothing is checked.")
    exit(0)
}

let figures = try StoreFigures.all()
if arguments[1] == "write" {
    try Baseline.write(figures, to: arguments[2])
    exit(0)
}
let (worse, better) = try Baseline(at: arguments[2]).compare(figures)
for line in better { print("better: \(line)") }
for line in worse { print("worse: \(line)") }
if !better.isEmpty && worse.isEmpty { print("Run make figures-update to record it.") }
if !worse.isEmpty {
    print(
        "The store does more than before. If that is intended, run make figures-update and give "
            + "the reason in the commit.")
    exit(1)
}
print("\(figures.count) calls cost as much as recorded, or less.")
