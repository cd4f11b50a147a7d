#if Inspector
    import FlyingFox
    import FlyingSocks
    import Foundation

    /// A headless Chromium.
    ///
    /// The tests control it through ChromeDriver with the WebDriver protocol.
    @MainActor
    final class Browser {
        private let driver: Process
        private let session: URL

        /// A failure that the browser reports, such as a condition that was not fulfilled in time.
        struct Failure: Error, CustomStringConvertible {
            let description: String
        }

        /// Starts a browser.
        ///
        /// In it, the host name `evil.example` resolves to this machine.
        init() async throws {
            driver = Process()
            driver.executableURL = URL(filePath: "/usr/bin/env")
            driver.arguments = ["chromedriver", "--port=0"]
            driver.environment = ProcessInfo.processInfo.environment.merging(["TZ": "UTC"]) { $1 }
            let output = Pipe()
            driver.standardOutput = output
            driver.standardError = FileHandle.nullDevice
            try driver.run()
            var text = ""
            while !text.contains("successfully on port") {
                let data = output.fileHandleForReading.availableData
                if data.isEmpty { throw Failure(description: "chromedriver ended: \(text)") }
                text += String(decoding: data, as: UTF8.self)
            }
            let end = text.components(separatedBy: "successfully on port ")[1]
            let port = String(end.prefix { $0.isNumber })
            let root = URL(string: "http://127.0.0.1:\(port)/session")!
            let options: [String: Any] = [
                "args": [
                    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                    "--force-color-profile=srgb", "--lang=en",
                    "--host-resolver-rules=MAP evil.example 127.0.0.1",
                ]
            ]
            let capabilities = [
                "alwaysMatch": ["browserName": "chrome", "goog:chromeOptions": options]
            ]
            let value = try await Browser.request(
                root, "POST", ["capabilities": capabilities])
            guard let id = (value as? [String: Any])?["sessionId"] as? String else {
                throw Failure(description: "no session: \(String(describing: value))")
            }
            session = root.appending(path: id)
            try await send("timeouts", ["script": 20_000, "pageLoad": 60_000])
        }

        func close() async {
            _ = try? await Browser.request(session, "DELETE", nil)
            // SIGTERM does not end the driver. `waitUntilExit` is not used, because it must run on
            // the thread that started the process, and that thread is unknown.
            kill(driver.processIdentifier, SIGKILL)
        }

        // MARK: Pages

        func open(_ address: URL) async throws {
            try await send("url", ["url": address.absoluteString])
        }

        /// Sets the size of the page in points, and whether its colors are dark.
        func resize(width: Int, height: Int, isDark: Bool = false) async throws {
            try await command(
                "Emulation.setDeviceMetricsOverride",
                ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
            try await command(
                "Emulation.setEmulatedMedia",
                [
                    "features": [
                        ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]
                    ]
                ])
        }

        /// Runs the body of a JavaScript function.
        @discardableResult
        func run(_ script: String, _ arguments: [Any] = []) async throws -> Any? {
            try await send("execute/sync", ["script": script, "args": arguments])
        }

        /// Waits until a JavaScript expression is true.
        func wait(for expression: String) async throws {
            let script = """
                const done = arguments[0];
                (function check() {
                    let value = null;
                    try { value = \(expression); } catch (error) { value = null; }
                    if (value) done(true); else setTimeout(check, 10);
                })();
                """
            do {
                try await send("execute/async", ["script": script, "args": [Any]()])
            } catch {
                let text = try await run("return document.body.innerText.slice(0, 1500)")
                throw Failure(
                    description: "\(expression) did not become true: \(error)\n"
                        + "\(String(describing: text))")
            }
        }

        func text(of selector: String) async throws -> String {
            let value = try await run(
                "return document.querySelector(arguments[0])?.textContent ?? ''", [selector])
            return value as? String ?? ""
        }

        func click(_ selector: String) async throws {
            try await run("document.querySelector(arguments[0]).click()", [selector])
        }

        /// Presses a key, such as "Enter" or "a", in the focused element.
        func press(_ key: String) async throws {
            let codes = [
                "ArrowDown": "\u{E015}", "ArrowUp": "\u{E013}", "Enter": "\u{E007}",
                "Escape": "\u{E00C}", "End": "\u{E010}", "Home": "\u{E011}", "Tab": "\u{E004}",
            ]
            let value = codes[key] ?? key
            try await send(
                "actions",
                [
                    "actions": [
                        [
                            "type": "key", "id": "keys",
                            "actions": [
                                ["type": "keyDown", "value": value],
                                ["type": "keyUp", "value": value],
                            ],
                        ]
                    ]
                ])
        }

        /// Returns the page as a PNG.
        func screenshot() async throws -> Data {
            let value = try await Browser.request(
                session.appending(path: "screenshot"), "GET", nil)
            return (value as? String).flatMap { Data(base64Encoded: $0) } ?? Data()
        }

        // MARK: WebDriver

        private func command(_ name: String, _ parameters: [String: Any]) async throws {
            try await send("goog/cdp/execute", ["cmd": name, "params": parameters])
        }

        @discardableResult
        private func send(_ path: String, _ body: [String: Any]) async throws -> Any? {
            try await Browser.request(session.appending(path: path), "POST", body)
        }

        private static func request(
            _ url: URL, _ method: String, _ body: [String: Any]?
        ) async throws -> Any? {
            // This client is used because ChromeDriver sends headers that URLSession on Linux
            // cannot read.
            let port = UInt16(url.port ?? 0)
            var headers = HTTPHeaders()
            headers[.host] = "127.0.0.1:\(port)"
            headers[.contentType] = "application/json"
            let body = try body.map { try JSONSerialization.data(withJSONObject: $0) } ?? Data()
            let request = HTTPRequest(
                method: HTTPMethod(method), version: .http11, path: url.path(), query: [],
                headers: headers, body: HTTPBodySequence(data: body))
            var client = HTTPClient()
            let response = try await client.sendHTTPRequest(
                request, to: .inet(ip4: "127.0.0.1", port: port))
            let answer =
                try JSONSerialization.jsonObject(with: try await response.bodyData)
                as? [String: Any]
            guard response.statusCode.code == 200 else {
                let value = answer?["value"] as? [String: Any]
                throw Failure(
                    description:
                        "\(value?["error"] ?? "failed"): \(value?["message"] ?? "no message")")
            }
            return answer?["value"]
        }
    }
#endif
