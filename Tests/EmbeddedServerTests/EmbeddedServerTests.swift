import Testing

@testable import EmbeddedServer

@Suite struct EmbeddedServerTests {
}
