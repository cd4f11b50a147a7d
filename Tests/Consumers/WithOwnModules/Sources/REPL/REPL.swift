/// A name that Scrollback's own targets do not take.
public let prompt = "> "
