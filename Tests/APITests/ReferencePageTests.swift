import HTTP
import Testing

@testable import API

@Suite struct `The page with the reference` {
    private let page = text(of: ReferencePage.response)

    @Test func `has a place for every call, value and refusal, each once, and every link in it leads to one`() {
        let places = page.matches(of: /id="([^"]+)"/).map { String($0.1) }
        #expect(Set(places).count == places.count)
        let expected =
            Endpoint.all.map(\.operationID) + ProblemCode.all.map(\.rawValue)
            + OpenAPIDocument.components.map { ReferencePage.anchor($0) }
        #expect(Set(expected).subtracting(places).isEmpty)
        let links = page.matches(of: /href="#([^"]+)"/).map { String($0.1) }
        #expect(Set(links).subtracting(places).isEmpty)
    }

    @Test func `runs nothing and loads nothing`() {
        #expect(!page.contains("<script"))
        #expect(!page.contains(" style="))
        #expect(!page.contains("src="))
        let policy = ReferencePage.response.headers["Content-Security-Policy"] ?? ""
        #expect(policy.contains("default-src 'none'; style-src '\(PageStyle.reference.source)'"))
    }
}
