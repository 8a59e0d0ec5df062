internal import Foundation

/// The values in a call that a provider forwards, by the names that its settings give them.
public struct InboundValues: Sendable {
    private let form: [String: String]
    private let json: [UInt8]?

    /// Reads the fields of a form; of a name that occurs several times, the first counts.
    public init(form: [(name: String, value: String)]) {
        self.form = Dictionary(form.map { ($0.name, $0.value) }) { first, _ in first }
        json = nil
    }

    /// Reads a JSON object; nil if `json` is none.
    public init?(json: [UInt8]) {
        guard (try? JSONSerialization.jsonObject(with: Data(json))) is [String: Any] else { return nil }
        form = [:]
        self.json = json
    }

    /// The value at a name, which in JSON is a path with dots; nil if it is missing.
    public func value(at name: String) -> String? {
        json.map { SMSChannel.value(at: name, in: $0, atMost: 5000) } ?? form[name]
    }
}
