import Foundation
import Scrollback
import ScrollbackInspector

extension Command {
    static let inspecting: [Command] = [
        Command(
            "inspect [PORT | off]",
            "Shows this device in a browser: its cache, outbox and requests, live.",
            notes: [
                "Prints an address on this machine. Open it in a browser; the page can go offline,",
                "fetch, verify, repair, evict and clear, as the commands of these names do.",
            ]
        ) { arguments in
            let device = try arguments.device
            #if Inspector
                return try await inspect(device, arguments.optionalWord)
            #else
                guard try arguments.optionalWord != "off" else { return notInspected(device) }
                throw CommandError.failed(
                    "this build has no inspector: start with make repl, "
                        + "or swift run --traits Inspector scrollback-repl")
            #endif
        }
    ]

    @MainActor private static func notInspected(_ device: Device) -> String {
        "\(device.name) is not inspected"
    }

    #if Inspector
        @MainActor private static func inspect(
            _ device: Device, _ argument: String?
        ) async throws -> String {
            var options = InspectorOptions()
            options.allowsActions = true
            if let argument, argument != "off" {
                guard let port = UInt16(argument) else { throw CommandError.usage }
                options.port = port
            }
            // Without a port in the command, a running inspector keeps its address.
            if argument != nil {
                await device.inspector?.stop()
                device.inspector = nil
            }
            if argument == "off" { return notInspected(device) }
            let inspector = device.inspector ?? Inspector(device.client, options: options)
            try await inspector.listen()
            device.inspector = inspector
            let address = inspector.address?.absoluteString
            return "open \(address ?? "nothing") in a browser on this machine"
        }
    #endif
}
