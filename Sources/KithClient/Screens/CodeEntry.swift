/// The entry of a six-digit code: a value that a screen's one hidden text field writes to, and from which it draws six
/// boxes.
///
/// ```swift
/// var entry = CodeEntry()
/// entry.text = "48 29-15"
/// print(entry.text, entry.isComplete)  // 482915 true
/// ```
public struct CodeEntry: Sendable, Hashable {
    /// What a box shows.
    public struct Box: Sendable, Hashable, Identifiable {
        /// The position, from 0.
        public let id: Int
        /// The digit; nil if the box is empty.
        public let digit: Character?
        /// Whether the next digit goes here. A focused entry highlights this box.
        public let isActive: Bool

        /// Whether the box has a digit.
        public var isFilled: Bool { digit != nil }
    }

    /// The number of digits in a code.
    public static let length = 6

    /// Whether the keyboard is up. It is when the screen appears, and a tap on the boxes brings it back.
    public var isFocused = true

    /// The digits entered so far. Whatever is typed, pasted or filled in automatically, only ASCII digits stay, and no
    /// more than six.
    public var text: String {
        get { digits }
        set { digits = Self.filtered(newValue) }
    }

    /// The code in the clipboard that a paste button offers; nil if there is none.
    public private(set) var clipboardCode: String?

    private var digits = ""

    /// Creates an empty entry with the keyboard up.
    public init() {}

    /// The six boxes.
    public var boxes: [Box] {
        let digits = Array(digits)
        let active = isFocused ? min(digits.count, Self.length - 1) : nil
        return (0..<Self.length).map {
            Box(id: $0, digit: $0 < digits.count ? digits[$0] : nil, isActive: $0 == active)
        }
    }

    /// Whether all six digits are there.
    public var isComplete: Bool { digits.count == Self.length }

    /// The code; nil until it is complete.
    public var code: String? { isComplete ? digits : nil }

    /// Brings the keyboard back: the person tapped the boxes.
    public mutating func tap() {
        isFocused = true
    }

    /// Looks for a code in the clipboard. Call it when the screen appears, with the clipboard's text.
    public mutating func lookAtClipboard(_ text: String?) {
        clipboardCode = Self.codeInClipboard(text)
    }

    /// Enters the code from the clipboard. The paste button goes.
    public mutating func paste() {
        guard let code = clipboardCode else { return }
        digits = code
        clipboardCode = nil
    }

    /// Empties the boxes.
    public mutating func clear() {
        digits = ""
    }

    /// The code that `text` is, once white space and newlines around it are removed.
    ///
    /// - Returns: Six ASCII digits; nil for anything else.
    public static func codeInClipboard(_ text: String?) -> String? {
        guard let text else { return nil }
        let trimmed = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        return trimmed.count == length && filtered(trimmed) == trimmed ? trimmed : nil
    }

    /// The digits of `text`, at most six.
    static func filtered(_ text: String) -> String {
        String(text.filter { $0.isASCII && $0.isNumber }.prefix(length))
    }
}
