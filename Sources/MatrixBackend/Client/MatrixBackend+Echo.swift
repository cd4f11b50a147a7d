import Models

extension MatrixBackend {
    private static let longestEchoWait = Duration.seconds(1)

    /// Waits for the feed to report an event of this device, which saves a request for it.
    ///
    /// The server ends the feed's long poll when it accepts the event.
    ///
    /// The method returns without the event if no long poll is in flight, or if it ends without the
    /// event or takes too long.
    func waitForEcho(of id: String) async {
        guard longPolls > 0, eventTimes[id] == nil else { return }
        callCount += 1
        let (number, pause) = (callCount, options.pause)
        let alarm = Task {
            await pause(Self.longestEchoWait)
            endEchoWait(number)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { echoWaits[number] = $0 }
        } onCancel: {
            Task { await self.endEchoWait(number) }
        }
        alarm.cancel()
    }

    func endEchoWaits() {
        for number in echoWaits.keys { endEchoWait(number) }
    }

    private func endEchoWait(_ number: Int) { echoWaits.removeValue(forKey: number)?.resume() }
}
