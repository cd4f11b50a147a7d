import Models
import ScrollbackTesting
import Testing

@testable import Store

@Suite struct SortedKeysTests {
    private func key(_ number: Int) -> KeyBytes { ByteWriter.key { $0.integer(UInt32(number)) } }

    private func keys(_ sorted: SortedKeys, from start: KeyBytes? = nil) -> [KeyBytes] {
        var keys: [KeyBytes] = []
        sorted.forEach(from: start) { key in
            keys.append(KeyBytes(key))
            return true
        }
        return keys
    }

    /// The number of keys of each chunk, read through a mirror because it is private.
    private func chunkSizes(_ sorted: SortedKeys) throws -> [Int] {
        let chunks = Mirror(reflecting: sorted).descendant("chunks") as? [PackedKeys]
        return try #require(chunks).map(\.count)
    }

    @Test func emptyListAcceptsInsertsAndRemovals() {
        var sorted = SortedKeys()
        #expect(sorted.count == 0 && keys(sorted).isEmpty && keys(sorted, from: [1]).isEmpty)
        sorted.remove([1])
        sorted.insert([1])
        sorted.insert([1])
        #expect(sorted.count == 1)
        #expect(keys(sorted) == [[1]])
        sorted.remove([1])
        #expect(sorted.count == 0 && keys(sorted).isEmpty)
    }

    @Test(arguments: 0..<8) func theyAgreeWithASortedArray(seed: Int) throws {
        let range = [40, 2_000][seed % 2]
        try expectAgreement((0..<range).map(key), seed: seed)
    }

    /// Many keys are prefixes of others, or differ only after the first bytes.
    @Test(arguments: 0..<8) func keysOfAnyLengthAgreeWithASortedArray(seed: Int) throws {
        var keys: Set<KeyBytes> = []
        for count in 0...20 {
            for first in [0, 7, 0xFF] as [UInt8] {
                let beginning = KeyBytes(repeating: first, count: count)
                keys.insert(beginning)
                for second in [0, 1, 0x80, 0xFF] as [UInt8] {
                    keys.insert(beginning + [second])
                    for third in [0, 7, 0xFF] as [UInt8] {
                        keys.insert(beginning + [second, third])
                        let tail = KeyBytes(repeating: third, count: 300)
                        keys.insert(beginning + [second, 1] + tail)
                    }
                }
            }
        }
        try expectAgreement(keys.sorted { $0.precedes($1) }, seed: seed)
    }

    /// Expects the results of a sorted array for some of these keys, whatever is inserted and
    /// removed.
    private func expectAgreement(_ keys: [KeyBytes], seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let first = Array(keys.shuffled(using: &random).prefix(random.number(below: keys.count)))
        var sorted = SortedKeys(first)
        var naive = Set(first)
        #expect(self.keys(sorted) == first.sorted { $0.precedes($1) })
        for _ in 0..<3_000 {
            let key = random.pick(keys)
            // Three of four steps insert a key, so that the keys grow to several chunks. The loop below
            // removes all of them.
            if random.oneIn(4) {
                sorted.remove(key)
                naive.remove(key)
            } else {
                sorted.insert(key)
                naive.insert(key)
            }
        }
        #expect(try keys.count < 1_000 || chunkSizes(sorted).count > 4)
        for key in naive.shuffled(using: &random) {
            if naive.count % 97 == 0 {
                let expected = naive.sorted { $0.precedes($1) }
                #expect(self.keys(sorted) == expected)
                #expect(sorted.count == expected.count)
                let start = random.pick(keys)
                #expect(self.keys(sorted, from: start) == expected.filter { !$0.precedes(start) })
            }
            sorted.remove(key)
            naive.remove(key)
        }
        #expect(sorted.count == 0 && self.keys(sorted).isEmpty)
    }

    @Test func chunksOfLongKeysHaveFewer() throws {
        let names = (0..<300).map { key($0) + KeyBytes(repeating: 7, count: 10_000) }
        var sorted = SortedKeys(Array(names[..<200]))
        #expect(try chunkSizes(sorted).allSatisfy { 1...4 ~= $0 })
        for name in names.reversed() { sorted.insert(name) }
        #expect(keys(sorted) == names)
        #expect(try chunkSizes(sorted).allSatisfy { 1...6 ~= $0 })
        let longest = key(1_000) + KeyBytes(repeating: 7, count: 100_000)
        sorted.insert(longest)
        for name in names { sorted.remove(name) }
        #expect(keys(sorted) == [longest])
        #expect(try chunkSizes(sorted) == [1])
    }

    @Test func scanStopsWhenTheClosureReturnsFalse() {
        let sorted = SortedKeys((0..<1_000).map(key))
        var seen = 0
        sorted.forEach(from: key(990)) { _ in
            seen += 1
            return seen < 3
        }
        #expect(seen == 3)
    }

    @Test func copyIsNotChangedByLaterInserts() {
        var random = SeededRandom(seed: 7)
        var sorted = SortedKeys((0..<500).map(key))
        var copies: [(copy: SortedKeys, keys: [KeyBytes])] = []
        for _ in 0..<50 {
            copies.append((sorted, keys(sorted)))
            for _ in 0..<40 {
                sorted.remove(key(random.number(below: 1_000)))
                sorted.insert(key(random.number(below: 1_000)))
            }
        }
        for (copy, expected) in copies {
            #expect(keys(copy) == expected)
            #expect(copy.count == expected.count)
        }
    }

    @Test func theyStayFlatHoweverOftenChannelsMoveToTheTop() throws {
        var random = SeededRandom(seed: 1)
        // Channel n has the rank `places[n]`; smaller ranks are nearer to the top.
        var places = Array(1_000_000..<1_010_000)
        var sorted = SortedKeys(places.map(key))
        let chunksAtFirst = try chunkSizes(sorted).count
        for touch in 1...10_000 {
            // Usually one of few channels, as in practice.
            let channel =
                random.oneIn(10) ? random.number(below: 10_000) : random.number(below: 100)
            sorted.remove(key(places[channel]))
            places[channel] = 1_000_000 - touch
            sorted.insert(key(places[channel]))
        }
        #expect(sorted.count == 10_000)
        let sizes = try chunkSizes(sorted)
        #expect(sizes.max() ?? 0 <= 256)
        #expect(sizes.count <= chunksAtFirst * 2)
        #expect(keys(sorted) == places.sorted().map(key))
    }

    @Test func nearlyEmptyChunksAreMerged() throws {
        var sorted = SortedKeys((0..<20_000).map(key))
        for number in 0..<20_000 where number % 128 != 5 { sorted.remove(key(number)) }
        #expect(sorted.count == 157)
        #expect(try chunkSizes(sorted).count <= 4)
        #expect(keys(sorted) == stride(from: 5, to: 20_000, by: 128).map(key))
    }
}

extension SortedKeys {
    fileprivate init(_ keys: [KeyBytes]) {
        var writer = ByteWriter()
        var ends: [Int] = []
        for key in keys {
            writer.raw(key)
            ends.append(writer.count)
        }
        self.init(PackedKeys(writer, ends: ends))
    }

    fileprivate mutating func insert(_ key: KeyBytes) { key.withBytes { insert($0) } }

    fileprivate mutating func remove(_ key: KeyBytes) { key.withBytes { remove($0) } }
}
