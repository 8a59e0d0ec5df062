package import Foundation

/// The calls of the API as values. Each library has those that it makes, generated from the description of the API.
package enum KithCalls {
    private static let decoder = Kith.decoder()
    private static let encoder = Kith.encoder()

    /// `value` as a segment of a path, or as a part of a query.
    package static func segment(_ value: String) -> String {
        value.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    /// `id` as a segment of a path.
    package static func segment(_ id: UUID) -> String { id.uuidString.lowercased() }

    /// The characters that need no encoding anywhere in a URL (RFC 3986, section 2.3).
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    /// The parameters that are set.
    package static func texts(_ pairs: (name: String, value: String?)...) -> [(name: String, value: String)] {
        pairs.compactMap { name, value in value.map { (name, $0) } }
    }

    /// A body of JSON.
    package static func json(_ body: some Encodable) throws -> Data { try encoder.encode(body) }

    /// A body with one JSON text on each line.
    package static func lines(_ body: [some Encodable]) throws -> Data {
        var data = Data()
        for line in body {
            data += try encoder.encode(line)
            data.append(UInt8(ascii: "\n"))
        }
        return data
    }

    /// Reads an answer of JSON.
    package static func json<Answer: Decodable>(_ answer: KithAnswer) throws -> Answer {
        try decoder.decode(Answer.self, from: answer.body)
    }

    /// Reads an answer with one JSON text on each line.
    package static func lines<Line: Decodable>(_ answer: KithAnswer) throws -> [Line] {
        try answer.body.split(separator: UInt8(ascii: "\n")).map { try decoder.decode(Line.self, from: $0) }
    }

    /// An answer that is not JSON.
    package static func content(_ answer: KithAnswer) -> Data { answer.body }

    /// An answer without a body.
    package static func nothing(_ answer: KithAnswer) {}
}

extension Decoder {
    /// The text of the member `name` of an object; nil if there is none.
    package func text(of name: String) throws -> String? {
        try container(keyedBy: MemberName.self).decodeIfPresent(String.self, forKey: MemberName(stringValue: name))
    }
}

/// The name of a member that is known while the program runs.
private struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
