import Foundation
import Models
import Store

extension SyncEngine {
    func step(_ input: SyncCore.Input) {
        guard !isClosed else { return }
        core.time = now()
        for action in core.step(input) { perform(action) }
        limitIfDue()
    }

    func change<Result>(
        _ body: (inout SyncCore) throws(SyncError) -> Result
    ) throws(SyncError) -> Result {
        guard !isClosed else { throw SyncError(.closed, "the engine was closed") }
        core.time = now()
        // Plan what the change requires, also after a failure.
        defer { step(.changed) }
        return try body(&core)
    }

    func perform(_ action: SyncCore.Action) {
        activityObservers.report(action, at: core.time)
        switch action {
        case .call(let call, let number): self.call(call, number)
        case .cancel(let number): cancel(number)
        case .wait(let wait, let attempt, let duration):
            self.wait(wait, beforeAttempt: attempt, atLeast: duration)
        case .cancelWait(let wait): waits.removeValue(forKey: wait)?.task.cancelWithoutWaiting()
        case .stopWaiting:
            for wait in waits.values { wait.task.cancelWithoutWaiting() }
            waits = [:]
            renewal.take()?.task.cancelWithoutWaiting()
        case .disconnect: endConnection()
        case .renewSession: renew()
        case .removeFiles(let copies): store.outboxFiles?.remove(copies)
        case .keepFiles(let copies): store.outboxFiles?.removeAll(but: copies)
        case .removeDownloads(let keys): store.downloads?.remove(keys)
        case .emit(let event):
            if case .state(let state) = event { notifyStore(state) }
            eventObservers.notify(event)
        case .reply(let reply, let ticket):
            tickets.removeValue(forKey: ticket)?.resume(returning: .success(reply))
        case .fail(let error, let ticket):
            tickets.removeValue(forKey: ticket)?.resume(returning: .failure(error))
        }
    }

    func call(_ call: any BackendCall, _ number: Int) {
        let (backend, store, ending, meter) = (backend, store, ending, UploadMeter())
        let (limits, now) = (limits.downloads, now)
        // A canceled feed that begins late would take the new connection's first batch, which
        // reports that the feed is live.
        var canceled: [Task<Void, Never>] = []
        if call is CoreCall.Connect { canceled += canceledCalls.values }
        let task = Task { [weak self, canceled] in
            await ending?.value
            for call in canceled { await call.value }
            let answer = await SyncEngine.answer(to: call, backend, store, meter)
            meter.end()
            if let upload = call as? OutboxUpload, case .success(let value) = answer,
                let file = value as? FileInfo
            {
                await upload.keep(as: file, in: store, within: limits, at: now())
            }
            await self?.receive(answer, number)
        }
        calls[number] = RunningCall(task: task, meter: meter)
    }

    static func answer(
        to call: any BackendCall, _ backend: any Backend, _ store: ChatStore, _ meter: UploadMeter
    ) async -> CallResult {
        do throws(BackendError) {
            guard let upload = call as? OutboxUpload else {
                return .success(try await call.make(on: backend))
            }
            let item = upload.item
            // The channel may have changed since. If it cannot be read, the server decides.
            let channel = try? store.groupChannel(item.channelURL)
            if let refusal = channel.flatMap(backend.sendingRefusal) { throw refusal }
            let file = try await upload.make(on: backend, files: store.outboxFiles) { progress in
                meter.report(progress) {
                    // A closed store has no observers.
                    _ = try? store.emit(
                        .uploadProgress(
                            item.requestID, in: item.channelURL,
                            bytes: progress.bytesTransferred,
                            total: progress.bytesInAll ?? progress.bytesTransferred))
                }
            }
            return .success(file)
        } catch {
            return .failure(error)
        }
    }

    func cancel(_ number: Int) {
        guard let call = calls.removeValue(forKey: number) else { return }
        canceledCalls[number] = call.task
        call.cancel()
    }

    func receive(_ answer: CallResult, _ number: Int) {
        canceledCalls[number] = nil
        guard calls.removeValue(forKey: number) != nil else { return }
        activityObservers.report(answer, number, at: now)
        step(.answer(answer, call: number))
    }

    func wait(_ wait: SyncCore.Wait, beforeAttempt attempt: Int, atLeast: Duration?) {
        let delay =
            wait.followsFailure
            ? core.options.backoff.delay(beforeAttempt: attempt, jitter: jitter()) : .zero
        guard let delay else {
            activityObservers.report(wait, attempt, nil, at: core.time)
            return step(.gaveUp(wait))
        }
        let duration = min(max(delay, atLeast ?? .zero), Backoff.longestDelay)
        activityObservers.report(wait, attempt, duration, at: core.time)
        let sleep = sleep
        lastNumber += 1
        let number = lastNumber
        let task = Task { [weak self] in
            // An error means that the wait was canceled.
            guard (try? await sleep(duration)) != nil else { return }
            await self?.finish(wait, number)
        }
        waits.updateValue((number, task), forKey: wait)?.task.cancelWithoutWaiting()
    }

    func finish(_ wait: SyncCore.Wait, _ number: Int) {
        guard waits[wait]?.number == number else { return }
        waits[wait] = nil
        step(.waited(wait))
    }

    func renew() {
        let renewSession = renewSession
        renewal.take()?.task.cancelWithoutWaiting()
        lastNumber += 1
        let number = lastNumber
        let task = Task { [weak self] in
            let credentials = await renewSession()
            await self?.finishRenewal(credentials, number)
        }
        renewal = (number, task)
    }

    func finishRenewal(_ credentials: Credentials?, _ number: Int) {
        // The credentials of a canceled request are for an earlier connection.
        guard renewal?.number == number else { return }
        renewal = nil
        step(.renew(credentials))
    }

    func endConnection() {
        let (backend, before) = (backend, ending)
        ending = Task {
            await before?.value
            await backend.disconnect()
        }
    }

    /// Reports the connection's state through the store, in order with other changes.
    func notifyStore(_ state: SyncState) {
        let connection = state.connection
        guard connection != reportedConnection else { return }
        reportedConnection = connection
        // The call fails only if the store is closed and has no observers.
        _ = try? store.emit(.connection(connection))
    }
}

typealias CallResult = Result<any Sendable, BackendError>

extension CallResult {
    func of<Call: BackendCall>(_ type: Call.Type) -> Result<Call.Answer, BackendError> {
        map { value in
            guard let answer = value as? Call.Answer else {
                preconditionFailure("The answer to \(Call.name) is a \(Swift.type(of: value)).")
            }
            return answer
        }
    }
}
