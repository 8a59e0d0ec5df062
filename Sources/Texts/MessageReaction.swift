internal import Foundation

/// The text message as which a phone sends a reaction to another message, such as `Liked “…”` or `👍 to “…”`. Its quote
/// is nothing that the person has said: Kith's own texts name SOS.
struct MessageReaction {
    /// The text before and after the quote.
    let around: String

    /// The length of the longest beginning, in words.
    private static let longest = 6

    /// Reads a text; nil if it is no reaction.
    init?(_ text: String) {
        let plain = String(
            String.UnicodeScalarView(
                LetterFolding.compatible(text).unicodeScalars.filter { $0.properties.generalCategory != .format }))
        guard let start = plain.firstIndex(where: Self.quotes.contains) else { return nil }
        let words = plain[..<start].lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
        guard (1...Self.longest).contains(words.count), Self.isReaction(words) else { return nil }
        let end = plain.lastIndex(where: Self.quotes.contains).flatMap { $0 > start ? plain.index(after: $0) : nil }
        around = "\(plain[..<start]) \(end.map { plain[$0...] } ?? "")"
    }

    private static func isReaction(_ words: [String]) -> Bool {
        let text = words.joined(separator: " ")
        // Messages in a group may begin with a name. "Karl hat" begins many sentences.
        if text == "hat" || verbs.contains(where: { text == $0 || text.hasSuffix(" \($0)") }) { return true }
        if frames.contains(where: { text.hasPrefix("\($0.first) ") && text.hasSuffix(" \($0.last)") }) { return true }
        let isPicture = words[0].unicodeScalars.allSatisfy { !$0.isASCII && !$0.properties.isAlphabetic }
        return isPicture && words.dropFirst().allSatisfy(prepositions.contains)
    }

    private static let quotes = Set("\"“”„‟«»‘‚")
    private static let verbs: Set<String> = [
        "liked", "loved", "disliked", "laughed at", "emphasized", "emphasised", "questioned", "reacted to", "gefällt",
        "gefällt nicht", "mag", "liebt", "lacht über", "betont", "hebt hervor", "hinterfragt",
    ]
    private static let frames = [
        ("reacted", "to"), ("removed", "from"), ("reagierte", "auf"), ("reagiert", "auf"), ("hat", "auf"),
        ("hat", "von"), ("entfernte", "von"),
    ].map { (first: $0.0, last: $0.1) }
    private static let prepositions: Set<String> = ["to", "zu", "auf", "an", "from", "von"]
}
