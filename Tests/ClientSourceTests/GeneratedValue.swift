/// A value of the client library, which `make client` generated from a schema of the API.
struct GeneratedValue: Sendable, CustomStringConvertible {
    /// The name of the schema in Swift.
    let name: String
    /// The type of the value.
    let type: any (Codable & Sendable).Type

    init(_ name: String, _ type: any (Codable & Sendable).Type) {
        self.name = name
        self.type = type
    }

    var description: String { name }
}
