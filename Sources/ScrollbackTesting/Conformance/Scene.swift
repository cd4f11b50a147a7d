import Models
import Store
import Sync

/// The devices of the subject's users, and channels that no other check uses.
final class Scene: Sendable {
    let subject: any ConformanceSubject
    private let users: [Credentials]
    let log = CallLog()
    private let state = Locked(State())

    private struct State {
        var devices: [Device] = []
        var hasConnected = false
        var hasStoppedTime = false
    }

    init(_ subject: any ConformanceSubject, _ users: [Credentials]) {
        self.subject = subject
        self.users = users
    }

    /// Throws unless a check can run; `isOfWriting` is true for calls that change messages.
    func require(
        _ capabilities: BackendCapabilities, _ hooks: Set<ConformanceHook>, isOfWriting: Bool
    ) async throws {
        if isOfWriting, subject.isReadOnly {
            throw Skipped(text: "users can only read, according to the subject")
        }
        let missingHooks = hooks.subtracting(subject.hooks).map(\.rawValue).sorted()
        guard missingHooks.isEmpty else {
            throw Skipped(text: "the subject lacks \(missingHooks.joined(separator: ", "))")
        }
        guard !capabilities.isEmpty else { return }
        let all = try await subject.makeBackend(for: users[0]).capabilities
        let missing = capabilities.subtracting(all)
        guard missing.isEmpty else { throw Skipped(text: "the backend lacks \(missing)") }
    }

    /// Returns a time that all clocks have reached when any of them shows `time`.
    func before(_ time: Timestamp) -> Timestamp {
        time.advanced(by: .zero - subject.clockSkew)
    }

    func keeps(_ field: String) -> Bool { !subject.unsupportedFields.contains(field) }

    func write(_ change: ConformanceWrite, as user: Credentials) async throws -> MessageID {
        let id = try await subject.write(change, as: user)
        log.add("— subject: \(user) \(change.summary) → \(id)")
        return id
    }

    func perform(_ hook: ConformanceHook) async throws {
        log.add("— subject: \(hook)")
        if hook == .stopTime { state.withLock { $0.hasStoppedTime = true } }
        try await subject.perform(hook)
    }

    /// Returns a connected device of user 0, 1 or 2.
    func device(_ index: Int) async throws -> Device {
        let device = try await deviceOffline(index)
        _ = try await connect(device)
        return device
    }

    func connect(_ device: Device) async throws -> BackendSession {
        let session = try await device.backend.connect(as: device.user)
        state.withLock { $0.hasConnected = true }
        return session
    }

    var hasConnected: Bool { state.withLock { $0.hasConnected } }

    /// Returns a device that is not connected.
    func deviceOffline(_ index: Int) async throws -> Device {
        let user = users[index]
        let backend = try await subject.makeBackend(for: user)
        return state.withLock { state in
            let before = state.devices.count { $0.user.userID == user.userID }
            let name = before == 0 ? "\(user)" : "\(user) \(before + 1)"
            let device = Device(
                user: user,
                backend: CompleteBackend(base: BackendRecorder(backend, name: name, log: log)),
                scene: self)
            state.devices.append(device)
            return device
        }
    }

    /// Disconnects and releases all devices, which retain the scene, and restarts the server's
    /// clock.
    func end() async -> (any Error)? {
        let (devices, hasStoppedTime) = state.withLock { state in
            let devices = state.devices
            state.devices = []
            return (devices, state.hasStoppedTime)
        }
        for device in devices { await device.backend.base.disconnect() }
        guard hasStoppedTime else { return nil }
        do {
            try await subject.perform(.startTime)
            return nil
        } catch {
            return error
        }
    }

    func pair() async throws -> (Device, Device, ChannelURL) {
        let (alice, bob) = (try await device(0), try await device(1))
        return (alice, bob, try await channel(alice, bob))
    }

    func trio() async throws -> (Device, Device, Device) {
        (try await device(0), try await device(1), try await device(2))
    }

    /// Creates a channel of the users; the first one is its operator.
    func channel(_ devices: Device..., named name: String = "Conformance") async throws
        -> ChannelURL
    {
        let users = devices.map(\.user)
        if let url = try await subject.makeChannel(named: name, for: users) {
            let members = users.map(\.description).joined(separator: ", ")
            log.add("— subject: channel \(url) of \(members)")
            return url
        }
        guard devices[0].can(.channelCreation) else {
            throw Broken(
                text:
                    "the backend cannot create channels, and the subject does not implement makeChannel(named:for:)"
            )
        }
        let params = GroupChannelCreateParams(name, userIDs: users.dropFirst().map(\.userID))
        let url = try await devices[0].backend.perform(CreateChannel(params)).url
        for device in devices.dropFirst() { try await device.accept(url) }
        return url
    }
}

extension ConformanceWrite {
    fileprivate var summary: String {
        switch self {
        case .send(let new, in: let url): "sends \"\(new.text)\" in \(url)"
        case .edit(let id, in: let url, _): "edits \(id) in \(url)"
        case .delete(let id, in: let url): "deletes \(id) in \(url)"
        }
    }
}

func expect(_ condition: Bool, _ seen: @autoclosure () -> String) throws {
    guard condition else { throw Broken(text: seen()) }
}

func expectEqual<Value: Equatable>(_ left: Value, _ right: Value, _ what: String) throws {
    try expect(left == right, "\(what): \(shown(left)) instead of \(shown(right))")
}

func expectFailure(
    _ codes: BackendError.Code..., of what: String, detail: ErrorCode? = nil,
    _ body: () async throws -> Void
) async throws {
    let wanted = codes.map(\.description).joined(separator: " or ")
    do {
        try await body()
    } catch let error as BackendError {
        try expect(codes.contains(error.code), "\(what) threw \(error) instead of \(wanted)")
        if let detail {
            try expect(error.detail == detail, "\(what) threw \(error) without detail \(detail)")
        }
        return
    }
    throw Broken(text: "\(what) succeeded instead of throwing \(wanted)")
}
