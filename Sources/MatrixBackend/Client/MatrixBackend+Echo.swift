import Models

// Waiting until the feed reports what this device has sent, which saves a request for it.
extension MatrixBackend {
    /// The maximum time for which a call waits for the feed.
    private static let longestEchoWait = Duration.seconds(1)

    /// Waits until the feed has received an event that this device has sent.
    ///
    /// The server ends the long poll of the feed when it accepts the event. The method returns at
    /// once if no long poll is in flight. It returns without the event if the long poll ends
    /// without it, or takes too long.
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

    /// Resumes the calls that wait for the feed.
    func endEchoWaits() {
        for number in echoWaits.keys { endEchoWait(number) }
    }

    private func endEchoWait(_ number: Int) { echoWaits.removeValue(forKey: number)?.resume() }
}
