/// The module's name does not conflict with a target of Scrollback.
public let title = "Messenger"
