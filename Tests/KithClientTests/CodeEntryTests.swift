import KithClient
import Testing

@Suite struct `The entry of a code` {
    @Test(arguments: [
        ("482915", "482915"), ("48 29-15", "482915"), ("a4b8", "48"), ("4829153", "482915"), ("", ""),
        ("٤٨٢٩١٥", ""), ("４８２９１５", ""), ("4²8½2915", "482915"), ("12\u{0}3\n4", "1234"),
    ])
    func `keeps ASCII digits only, and six at most`(typed: String, kept: String) {
        var entry = CodeEntry()
        entry.text = typed
        #expect(entry.text == kept)
        #expect(entry.code == (kept.count == 6 ? kept : nil))
    }

    @Test func `draws six boxes, of which the next one is active`() {
        var entry = CodeEntry()
        #expect(entry.boxes.count == 6)
        #expect(entry.boxes.map(\.isActive) == [true, false, false, false, false, false])
        entry.text = "48"
        #expect(entry.boxes.map(\.digit) == ["4", "8", nil, nil, nil, nil])
        #expect(entry.boxes.map(\.isFilled) == [true, true, false, false, false, false])
        #expect(entry.boxes.filter(\.isActive).map(\.id) == [2])
        entry.text = "482915"
        #expect(entry.boxes.filter(\.isActive).map(\.id) == [5], "the last box stays active")
    }

    @Test func `is focused when it appears, and a tap brings the keyboard back`() {
        var entry = CodeEntry()
        #expect(entry.isFocused)
        entry.isFocused = false
        #expect(entry.boxes.map(\.isActive) == Array(repeating: false, count: 6))
        entry.tap()
        #expect(entry.isFocused && entry.boxes[0].isActive)
    }

    @Test(
        arguments: [
            (" 482915\n", "482915"), ("482915", "482915"), ("\t\r\n482915\u{a0}", "482915"), ("48291", nil),
            ("4829155", nil),
            ("48 29 15", nil), ("code 482915", nil), ("", nil), (nil, nil), ("٤٨٢٩١٥", nil),
        ] as [(String?, String?)])
    func `offers the clipboard's text if it is a code once trimmed`(clipboard: String?, code: String?) {
        #expect(CodeEntry.codeInClipboard(clipboard) == code)
    }

    @Test func `pastes with one tap, and then forgets the code`() {
        var entry = CodeEntry()
        entry.text = "1"
        entry.lookAtClipboard(" 482915 ")
        #expect(entry.clipboardCode == "482915")
        entry.paste()
        #expect(entry.text == "482915")
        #expect(entry.clipboardCode == nil)
        entry.text = "1"
        entry.paste()
        #expect(entry.text == "1", "there is nothing to paste any more")
        entry.lookAtClipboard("482915")
        entry.lookAtClipboard("see you at 9")
        #expect(entry.clipboardCode == nil)
    }

    @Test func `holds six digits at most, whatever comes in`() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("0123456789 -a٣４½\n")
        var entry = CodeEntry()
        for _ in 0..<2_000 {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: entry.text = String((0..<Int.random(in: 0...9)).map { _ in alphabet.randomElement() ?? "0" })
            case 1: entry.text += String(alphabet.randomElement() ?? "0")
            case 2: entry.lookAtClipboard(String((0..<6).map { _ in alphabet.randomElement() ?? "0" }))
            default: entry.paste()
            }
            let isClean = entry.text.count <= 6 && entry.text.utf8.allSatisfy { (48...57).contains($0) }
            #expect(isClean, "\(entry.text)")
            #expect(entry.boxes.compactMap(\.digit).map(String.init).joined() == entry.text)
        }
    }
}
