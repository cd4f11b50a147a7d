extension Command {
    static let importing: [Command] = []
}
