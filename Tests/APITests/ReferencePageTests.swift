internal import Pages

import HTTP
import JSON
import OpenAPI
import Problems
import Testing

@testable import API

@Suite struct `The reference page` {
    private let page = text(of: ReferencePage(.kith).response())

    @Test func `has one section for each operation, value and refusal, and every link leads to one`() {
        let places = page.matches(of: /id="([^"]+)"/).map { String($0.1) }
        #expect(Set(places).count == places.count)
        let expected =
            Endpoint.all.map(\.operationID) + ProblemCode.all.map(\.rawValue)
            + OpenAPIDocument.kith.components.map { ReferencePage(.kith).anchor($0) }
        #expect(Set(expected).subtracting(places).isEmpty)
        let links = page.matches(of: /href="#([^"]+)"/).map { String($0.1) }
        #expect(Set(links).subtracting(places).isEmpty)
    }

    @Test func `runs no scripts and loads nothing`() {
        #expect(!page.contains("<script"))
        #expect(!page.contains(" style="))
        #expect(!page.contains("src="))
        let policy = ReferencePage(.kith).response().headers["Content-Security-Policy"] ?? ""
        #expect(policy.contains("default-src 'none'; style-src '\(PageStyle.reference.source)'"))
    }
}
