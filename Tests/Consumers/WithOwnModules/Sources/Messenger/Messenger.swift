/// A name that Scrollback's own targets do not take.
public let title = "Messenger"
