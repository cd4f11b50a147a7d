@main struct REPL {
    static func main() {}
}
