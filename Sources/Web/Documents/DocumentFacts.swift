internal import JSON
internal import Pages
internal import Texts

/// A document as the screens show it.
struct DocumentFacts {
    let id: String
    let name: String
    let type: String
    let size: Int
    let hash: String
    let createdAt: String
    let createdBy: String
    let updatedAt: String
    let updatedBy: String
    let deletedAt: String?
    let deletedBy: String

    init(_ facts: JSONValue) {
        func person(_ member: String) -> String { facts[member]?["display_name"]?.string ?? "" }
        id = facts["id"]?.string ?? ""
        name = facts["name"]?.string ?? ""
        type = facts["content_type"]?.string ?? ""
        size = facts["size"]?.integer ?? 0
        hash = facts["sha256"]?.string ?? ""
        createdAt = facts["created_at"]?.string ?? ""
        createdBy = person("created_by")
        updatedAt = facts["updated_at"]?.string ?? ""
        updatedBy = person("updated_by")
        deletedAt = facts["deleted_at"]?.string
        deletedBy = person("deleted_by")
    }

    /// The size in words, rounded up.
    func size(_ words: Words) -> String {
        size < 1 << 20
            ? words("web.document.kilobytes", ["number": .number((size + 1023) >> 10)])
            : words("web.document.megabytes", ["number": .number((size + (1 << 20) - 1) >> 20)])
    }

    func row(in vault: VaultFacts, _ words: Words) -> HTML {
        """
        <li><a href="\(vault.path)/documents/\(id)"><span class="name">\(name: name)</span><br>
        <span class="quiet">\(size(words)) · \(words.html(
            "web.document.changed", ["date": "\(words.shortDate(updatedAt))", "name": "\(name: updatedBy)"]))</span></a></li>

        """
    }
}

/// How a browser shows a document of some type, if it can do so safely. HTML, SVG and other types that can hold scripts
/// are not shown. A PDF is only saved: browsers show none in a sandbox.
package struct DocumentPreview {
    /// The type under which the document is sent.
    package let type: String
    /// Whether it is an image. Otherwise it is a text.
    package let isImage: Bool

    /// Finds the preview of a document by its type; nil if there is none.
    package init?(_ contentType: String) {
        switch contentType.prefix(while: { $0 != ";" && $0 != " " }).lowercased() {
        case let image where ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"].contains(image):
            type = image
            isImage = true
        case "text/plain", "text/csv", "text/markdown":
            type = "text/plain; charset=utf-8"
            isImage = false
        default: return nil
        }
    }
}
