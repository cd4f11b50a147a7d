import Testing

@testable import ScrollbackTesting

@Suite struct ScrollbackTestingTests {
}
