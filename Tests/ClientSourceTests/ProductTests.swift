import ClientSource
import Foundation
import OpenAPI
import Testing

@testable import API

/// The source of the libraries, held to who may make each call.
@Suite struct `The two libraries` {
    private let files = ClientSource(.kith).files

    private func source(_ product: Product) -> String { files[product, default: [:]].values.joined(separator: "\n") }

    @Test func `have each call that needs a secret key in KithServer, and each of a person in KithClient`() {
        let (app, server) = (source(.client), source(.server))
        let functions = server.lowercased()
        for operation in OpenAPIDocument.kith.operations {
            let text = "operationID: \"\(operation.operationID)\""
            switch operation.caller {
            case .key:
                #expect(!app.contains(text), "KithClient makes \(operation.operationID)")
                #expect(server.contains(text), "KithServer does not make \(operation.operationID)")
                // Swift writes some words in capitals.
                #expect(functions.contains("public func \(operation.operationID)(".lowercased()))
            case .user: #expect(!server.contains(text), "KithServer makes \(operation.operationID)")
            case .anybody, .tenant: #expect(!app.contains(text) || !server.contains(text), "\(operation.operationID)")
            }
        }
        #expect(!source(.calls).contains("operationID"))
    }

    @Test func `have each type once`() {
        var names: [Substring] = []
        for folder in files.values {
            for file in folder.keys where !file.contains("+") { names.append(file.split(separator: "/").last ?? "") }
        }
        #expect(names.count > 300)
        #expect(Set(names).count == names.count)
    }

    @Test func `have no type that nothing of theirs uses`() throws {
        for product in Product.allCases {
            for (file, _) in files[product, default: [:]] where !file.contains("+") {
                let name = try #require(file.split(separator: "/").last?.split(separator: ".").first)
                // Written by hand: what reads a request to a webhook, the answer to a check-in, and the stream.
                if ["WebhookBatch", "CheckIn", "StreamEvent"].contains(name) { continue }
                // Unicode has no boundary of words within `Kith.User`.
                let mention = try Regex("[^A-Za-z0-9]\(name)[^A-Za-z0-9]")
                // A type below both libraries must serve each of them, also by way of another type below.
                let places: [[Product]] =
                    product == .calls ? [[.calls, .client], [.calls, .server]] : [[product]]
                for products in places {
                    let isUsed = products.contains { place in
                        files[place, default: [:]].contains { $0.key != file && $0.value.contains(mention) }
                    }
                    #expect(isUsed, "nothing of \(products) uses \(name)")
                }
            }
        }
    }
}
