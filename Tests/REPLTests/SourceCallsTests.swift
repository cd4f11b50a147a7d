import ScrollbackTestSupport
import Testing

@Suite struct SourceCallsTests {
    private func find(
        _ name: String, _ parameters: String?, in source: String
    ) throws -> Bool {
        SourceCalls(in: source).include(
            try PublicSymbols.Member("Store", name, parameters: parameters))
    }

    @Test(arguments: [
        "try store.fetch(of: kinds, in: url, limit: 5)",
        "try store.fetch(\n    of: kinds,\n    in: url,\n    limit: 5,\n)",
        "store?.fetch(of: [1: (2, 3)], in: urls[\"a, b\"](1), limit: { a, b in f(a, b) }(1, 2))",
        #"store.fetch(of: "),\" in:", in: url, limit: 1)"#,
        ##"store.fetch(of: #"a")"#, in: url, limit: 1)"##,
        "store.fetch(of: \"\"\"\n    a \"quote), \n    \"\"\", in: url, limit: 1)",
        #"print("\(try store.fetch(of: "\(kind)", in: url, limit: 1)) of \(url)")"#,
        "store.fetch(of: isA ? b : c, /* no label: ), */ in: url, // )\n limit: 1)",
        "store.other(in: store.fetch(of: kinds, in: url, limit: 1).count)",
    ])
    func callWithAllLabelsIsFound(source: String) throws {
        #expect(
            try find("fetch(of:in:limit:)", "of kinds: Kinds, in url: URL, limit: Int", in: source))
    }

    @Test(arguments: [
        "try store.fetch(of: kinds, in: url)", "try store.fetch(in: url, of: kinds, limit: 5)",
        "try store.fetch(kinds, in: url, limit: 5)", "try store.fetchAll(of: k, in: url, limit: 5)",
        "fetch(of: kinds, in: url, limit: 5)", "// store.fetch(of: kinds, in: url, limit: 5)",
        "/* /* */ store.fetch(of: kinds, in: url, limit: 5) */",
        #"print("store.fetch(of: kinds, in: url, limit: 5)")"#,
        ##"print(#"\(store.fetch(of: kinds, in: url, limit: 5))"#)"##,
        "store.fetch", "store.fetch(of: kinds, in: url, limit: 5, bound: nil)",
    ])
    func anotherCallIsNotFound(source: String) throws {
        #expect(
            try !find("fetch(of:in:limit:)", "of kinds: Kinds, in url: URL, limit: Int", in: source)
        )
    }

    @Test(arguments: [
        ("s.list(a)", true), ("s.list(a, in: b)", true), ("s.list(a, limit: 5)", true),
        ("s.list(a, in: b, limit: 5)", true), ("s.list(in: b)", false), ("s.list()", false),
        ("s.list(a, limit: 5, in: b)", false), ("s.list(a, b)", false),
    ])
    func defaultsMayBeLeftOut(source: String, isFound: Bool) throws {
        let parameters = "_ word: String, in url: Set<A, B> = [:], limit: Int = max(1, 2)"
        #expect(try find("list(_:in:limit:)", parameters, in: source) == isFound)
    }

    @Test(arguments: [
        ("s.write { $0.save(a) }", true), ("s.write({ $0.save(a) })", true),
        ("s.write() { $0.save(a) }", true), ("s.write(durably: true) { b in b.save(a) }", true),
        ("s.write(durably: true)", false), ("s.write", false), ("s.write()", false),
    ])
    func closureMayTrail(source: String, isFound: Bool) throws {
        let parameters = "durably: Bool = false, _ body: (Batch) throws -> Result"
        #expect(try find("write(durably:_:)", parameters, in: source) == isFound)
    }

    @Test func furtherClosuresHaveLabels() throws {
        let parameters = "from a: Int, body: () -> Void, progress: ((Int) -> Void)? = nil"
        for source in [
            "s.run(from: 1) { a } progress: { b }", "s.run(from: 1) { a }",
            "s.run(from: 1, body: f) { b }", "s.run(from: 1, body: f, progress: g)",
        ] {
            #expect(try find("run(from:body:progress:)", parameters, in: source), "\(source)")
        }
        #expect(try !find("run(from:body:progress:)", parameters, in: "s.run(from: 1)"))
    }

    @Test func conditionIsNoClosureOfACall() throws {
        let source = "if list.isEmpty { return }\nwhile s.next(after: a) { }"
        #expect(try find("isEmpty", nil, in: source))
        #expect(try find("next(after:)", "after a: Int", in: source))
    }

    @Test func methodIsNoProperty() throws {
        #expect(try !find("labels", nil, in: "store.labels(of: url)"))
        #expect(try find("labels", nil, in: "rows.map(\\.labels)"))
        #expect(try find("labels", nil, in: #"print("\(store.labels)")"#))
        #expect(try !find("labels", nil, in: "let labels = 1.0; labels + 2"))
        #expect(try !find("labels()", "", in: "store.labels"))
    }

    @Test func parametersAreReadFromADeclaration() throws {
        let member = try PublicSymbols.Member(
            "Store", "read(_:at:body:)",
            parameters:
                "_ a: [Int: (B, C)] = [:], at b: @Sendable (A, B) -> C = { 1 }, body: () -> A")
        #expect(member.name == "Store.read(_:at:body:)")
        #expect(member.parameters?.map(\.hasDefault) == [true, true, false])
        #expect(member.parameters?.map(\.isClosure) == [false, true, true])
        #expect(member.needsClosure)
        #expect(throws: PublicSymbols.Unreadable.self) {
            try PublicSymbols.Member("Store", "read(_:)", parameters: "")
        }
    }
}
