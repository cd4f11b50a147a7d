import Store

@main struct OnlyStore {
    static func main() {
        let codes: Set<StoreError.Code> = [.closed, .locked, .corruption]
        precondition(codes.contains(.corruption) && !codes.contains(.io))
        print("StoreError.Code \(codes.map(\.description).sorted())")
    }
}
