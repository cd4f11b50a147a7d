import Messenger
import Models
import REPL
import Scrollback
import ScrollbackModels
import Store
import Sync

@main struct WithOwnModules {
    static func main() {
        let own = synchronized(Models.Message(text: "the app's own message"))
        let cached = ScrollbackModels.Timestamp(1_700_000_000_000)
        precondition(InitPolicy.cacheOnly.loadsFromCache)
        print("\(title)\(prompt)\(own.text), \(Shop.currency), \(cached)")
    }
}
