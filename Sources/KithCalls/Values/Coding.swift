public import Foundation

extension Kith {
    /// A decoder of answers and events, for an app that keeps them. Its instants are read in the form of RFC 3339.
    public static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let date = Instant.date(text) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is no instant")
            }
            return date
        }
        return decoder
    }

    /// An encoder of the values of the API. Its members have one order, so that equal values have equal texts.
    public static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Instant.text(date))
        }
        return encoder
    }
}
