import Models
import Testing

@testable import EmbeddedServer

@Suite struct ConditionedCursorTests {
    @Test(arguments: ["17", "", "a:b", "s72594_4483_1934"])
    func cursorWithoutAdditionsEqualsTheServersOwn(text: String) throws {
        let cursor = ConditionedCursor(text)
        #expect(cursor.text == text)
        #expect(ConditionedCursor(text: text) == cursor)
    }

    @Test func cursorTextHasAllFields() throws {
        var cursor = ConditionedCursor("a:b~")
        cursor.part = 1
        #expect(cursor.text == "~p1:a:b~")
        cursor.generation = 2
        cursor.isRepeated = true
        cursor.source = .time
        cursor.reported = [10, .max]
        #expect(cursor.text == "~g2,p1,r,stime,ta.ffffffffffffffff:a:b~")
        #expect(ConditionedCursor(text: cursor.text) == cursor)
        cursor.base = nil
        #expect(cursor.text == "~g2,p1,r,stime,ta.ffffffffffffffff")
        #expect(ConditionedCursor(text: cursor.text) == cursor)
    }

    @Test(arguments: ["~", "~p1:x", "~g2,p1,r:"])
    func conditionedCursorWrapsAnyServerCursor(text: String) throws {
        let cursor = ConditionedCursor(text)
        #expect(cursor.text == "~:" + text)
        #expect(ConditionedCursor(text: cursor.text) == cursor)
    }

    @Test(arguments: ["~x:1", "~p:1", "~p-:1", "~gx:1", "~sfood:1", "~t:1", "~tx.y:1", "~11:1"])
    func foreignTextIsNotACursor(text: String) {
        #expect(ConditionedCursor(text: text) == nil)
    }
}
