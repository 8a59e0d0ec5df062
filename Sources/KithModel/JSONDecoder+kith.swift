public import Foundation

extension JSONDecoder {
    /// A decoder for the API's JSON. Instants are RFC 3339 with microseconds.
    public static var kith: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
            return try Date(text, strategy: style)
        }
        return decoder
    }
}
