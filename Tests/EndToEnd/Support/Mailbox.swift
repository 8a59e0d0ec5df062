import Foundation

/// The file into which an installation's worker delivers, instead of phones and mailboxes.
struct Mailbox: Sendable {
    /// A delivered message.
    struct Item: Decodable, Sendable {
        let id: String
        let channel: String
        let address: String
        let subject: String?
        let text: String

        /// The six-digit code in the text; empty if there is none.
        var code: String { text.firstMatch(of: /[0-9]{6}/).map { String($0.output) } ?? "" }
    }

    private let path: String

    init() {
        path = FileManager.default.temporaryDirectory.appending(path: "kith-mailbox-\(UUID().uuidString)").path
    }

    /// The setting that makes a worker deliver here.
    var environment: [String: String] { ["KITH_DELIVERY": "file:\(path)"] }

    /// Everything delivered to `address`, oldest first.
    func items(for address: String) throws -> [Item] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        return try text.split(separator: "\n").map { try JSONDecoder().decode(Item.self, from: Data($0.utf8)) }
            .filter { $0.address == address }
    }

    /// The code of the newest message for `address`.
    func code(for address: String) throws -> String {
        try items(for: address).last?.code ?? ""
    }
}
