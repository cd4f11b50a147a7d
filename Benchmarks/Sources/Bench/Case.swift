import Measuring

/// A piece of code that is timed, for example decoding a message with one library.
struct Case {
    /// The library that is measured.
    enum Kind: String, Encodable {
        case scrollback, protobuf, other
    }

    let name: String
    let kind: Kind
    /// Runs the code as many times as its argument says.
    let run: (Int) -> Void
}

/// The cases for one operation.
///
/// They are the rows of one table.
struct Group {
    let title: String
    /// The operation and the unit of its times.
    let note: String
    let cases: [Case]
}

extension Case {
    /// Creates a case that calls `body` with each input in turn.
    ///
    /// The initializer is inlined, so that the measured time does not include the call of a
    /// closure.
    @inline(__always)
    init<Input, Output>(
        _ name: String, _ kind: Kind, _ inputs: [Input], _ body: @escaping (Input) throws -> Output
    ) {
        self.init(name: name, kind: kind) { count in
            inputs.withUnsafeBufferPointer { inputs in
                var index = 0
                for _ in 0..<count {
                    do {
                        keep(try body(inputs[index]))
                    } catch {
                        fatalError("\(name): \(error)")
                    }
                    index += 1
                    if index == inputs.count { index = 0 }
                }
            }
        }
    }
}
