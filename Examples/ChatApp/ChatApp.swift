// The app of the README and of Docs/GettingStarted.md, for iPhone and Mac.

#if canImport(SwiftUI)
    import EmbeddedServer
    import Scrollback
    import SwiftUI

    @main
    struct ChatApp: App {
        @State private var client: ChatClient?
        @State private var messages: MessageCollection?
        @State private var text = ""

        var body: some Scene {
            WindowGroup {
                VStack {
                    List(messages?.items ?? []) { item in
                        Text(item.message?.text ?? "…")  // a gap has no message
                    }
                    TextField("Message", text: $text).onSubmit { send() }
                }
                .task { await open() }
            }
        }

        private func open() async {
            do {
                let server = try EmbeddedServer.inMemory()  // replace this with your own Backend
                try server.createChannel(
                    GroupChannelCreateParams("General", url: "general"), by: "alice")
                let client = ChatClient(backend: server.client())
                self.client = client
                try await client.open(as: "alice")  // opens the cache, without a network
                let messages = try client.makeMessageCollection(of: "general")
                messages.start()  // messages.items already has the cached rows
                self.messages = messages
                try await client.connect(as: Credentials("alice"))
            } catch {
                print(error)  // show the error to the user
            }
        }

        private func send() {
            guard let messages else { return }
            let message = text
            text = ""
            Task { try await messages.send(message) }  // is on disk when the call returns
        }
    }
#else
    @main
    enum ChatApp {
        static func main() { print("This example needs SwiftUI.") }
    }
#endif
