import Foundation
import Testing

/// Compares the alerts of `deploy/prometheus/kith.rules.yml` with their paragraphs in `deploy/README.md`: whoever is
/// woken by one looks for its name there.
@Suite struct `The alerts in deploy/README.md` {
    /// A name, and whether it is a page.
    struct Alert: Equatable {
        let name: String
        let severity: String
    }

    /// A paragraph of the README.
    struct Paragraph {
        let alert: Alert
        let text: String
    }

    static func rules() throws -> [Alert] {
        let text = try Repository.text("deploy/prometheus/kith.rules.yml")
        return text.matches(of: /- alert: (\w+)\n(?:(?!- alert:)[\s\S])*?severity: (\w+)/).map {
            Alert(name: String($0.1), severity: String($0.2))
        }
    }

    static func paragraphs() throws -> [Paragraph] {
        let readme = try Repository.text("deploy/README.md")
        let start = try #require(readme.range(of: "\n### The alerts\n")).upperBound
        let end = try #require(readme[start...].range(of: "\n### ")).lowerBound
        return readme[start..<end].components(separatedBy: "\n- ").dropFirst().compactMap { text -> Paragraph? in
            guard let head = text.firstMatch(of: #/^\*\*(\w+)\*\* \((page|ticket)\): /#) else {
                Issue.record("this paragraph does not begin with an alert and its severity: \(text)")
                return nil
            }
            let body = String(text[head.range.upperBound...]).replacing(/\s+/, with: " ").trimmingCharacters(
                in: .whitespaces)
            return Paragraph(alert: Alert(name: String(head.1), severity: String(head.2)), text: body)
        }
    }

    @Test func `are those of the rules, in their order and with their severity`() throws {
        let rules = try Self.rules()
        #expect(rules.count >= 36)
        #expect(try Self.paragraphs().map(\.alert) == rules)
    }

    @Test func `each say what it means, what to do first and when to wake somebody`() throws {
        for paragraph in try Self.paragraphs() {
            let parts = paragraph.text.firstMatch(of: /^(.+?) First: (.+?) Wake: (.+)$/)
            let (meaning, first, wake) = (parts?.1 ?? "", parts?.2 ?? "", parts?.3 ?? "")
            #expect(meaning.count > 30 && meaning.hasSuffix("."), "what \(paragraph.alert.name) means")
            #expect(first.count > 20 && first.hasSuffix("."), "what to do first about \(paragraph.alert.name)")
            #expect(wake.count >= 7 && wake.hasSuffix("."), "whom \(paragraph.alert.name) wakes")
            #expect(
                paragraph.alert.severity == "ticket" || wake != "nobody.",
                "\(paragraph.alert.name) is a page for nobody"
            )
        }
    }

    @Test func `name only views and procedures that exist`() throws {
        let sql = try Repository.files(in: "sql").filter { $0.hasSuffix(".sql") }.map(Repository.text).joined()
        for paragraph in try Self.paragraphs() {
            for name in paragraph.text.matches(of: /admin\.(\w+)/).map(\.1) {
                #expect(
                    sql.contains("create view admin.\(name) ") || sql.contains("function admin.\(name)("),
                    "admin.\(name), of which \(paragraph.alert.name) speaks")
            }
        }
    }
}
