package import JSON
internal import Pages
package import Problems
internal import Texts

/// A document with its properties and actions.
package struct DocumentScreen: Screen {
    package static let path = "/vaults/{id}/documents/{doc}"

    private let vault: VaultFacts
    private let document: DocumentFacts

    package static func calls(_ visit: Visit) -> [APICall] {
        [.get("/v1/vaults/\(visit.id())"), .get("/v1/vaults/\(visit.id())/documents/\(visit.id(1))")]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        vault = VaultFacts(answers[0])
        document = DocumentFacts(answers[1])
    }

    private var address: String { "\(vault.path)/documents/\(document.id)" }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        var body: HTML = "<h1>\(name: document.name)</h1>\n"
        if let preview = DocumentPreview(document.type) {
            body += visit.query.isOn("show") ? shown(preview, words) : ""
        }
        body += visit.link("\(address)/file", words("web.document.save"), .usual)
        if DocumentPreview(document.type) == nil {
            body += "<p class=\"quiet\">\(words("web.document.only_save"))</p>\n"
        } else if !visit.query.isOn("show") {
            body += visit.link("\(address)?show", words("web.document.show"))
        }
        body += facts(words)
        if vault.mayEdit { body += changes(visit) }
        body += visit.back(vault.path, vault.title)
        return ScreenPage(title: document.name, section: .vaults, body: body)
    }

    /// The content in the page: an image, or a text in a frame of its own.
    private func shown(_ preview: DocumentPreview, _ words: Words) -> HTML {
        let label = words("web.document.content", ["name": .name(document.name)])
        guard !preview.isImage else {
            return "<p><img class=\"preview\" src=\"\(address)/preview\" alt=\"\(label)\"></p>\n"
        }
        return "<iframe class=\"preview\" src=\"\(address)/preview\" title=\"\(label)\" sandbox=\"\"></iframe>\n"
    }

    private func facts(_ words: Words) -> HTML {
        func who(_ name: String, _ instant: String) -> HTML {
            words.html(
                "web.document.by", ["name": "\(name: name)", "date": "\(words.date(ofInstant: instant))"])
        }
        return """
            <dl>
            <dt>\(words("web.document.size"))</dt><dd>\(document.size(words))</dd>
            <dt>\(words("web.document.type"))</dt><dd>\(document.type)</dd>
            <dt>\(words("web.document.added_by"))</dt><dd>\(who(document.createdBy, document.createdAt))</dd>
            <dt>\(words("web.document.changed_by"))</dt><dd>\(who(document.updatedBy, document.updatedAt))</dd>
            </dl>
            <details>
            <summary>\(words("web.document.hash"))</summary>
            <p>\(words("web.document.hash_text"))</p>
            <p><code>\(document.hash)</code></p>
            </details>

            """
    }

    private func changes(_ visit: Visit) -> HTML {
        let words = visit.words
        let remove: HTML =
            vault.managesNominees ? visit.link("\(address)/delete", words("web.document.delete"), .destructive) : ""
        return """
            <h2>\(words("web.document.change"))</h2>
            \(visit.form(
                """
                \(visit.field(
                    "name", words("web.document.name"), value: document.name,
                    attributes: "maxlength=\"255\" autocomplete=\"off\""))\
                \(visit.button("rename", words("web.document.rename"), .plain))
                """))\
            \(visit.link("\(address)/replace", words("web.document.replace")))\(remove)
            """
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "rename" else { return nil }
        return Act(
            .send(.patch, "/v1/vaults/\(visit.id())/documents/\(visit.id(1))") { json in
                json.field("name", form.text("name") ?? "")
            }, to: "/vaults/\(visit.id())/documents/\(visit.id(1))", Notice("web.saved"))
    }
}

/// Asks before a document is deleted.
package struct DeleteDocumentScreen: Screen {
    package static let path = "/vaults/{id}/documents/{doc}/delete"

    private let document: DocumentFacts

    package static func calls(_ visit: Visit) -> [APICall] {
        [.get("/v1/vaults/\(visit.id())/documents/\(visit.id(1))")]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        document = DocumentFacts(answers[0])
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.document.delete_title")
        return ScreenPage(
            title: title, section: .vaults,
            body: visit.question(
                "\(title)", words.html("web.document.delete_text", ["name": "\(name: document.name)"]), act: "delete",
                confirm: words("web.document.delete"),
                cancel: "/vaults/\(visit.id())/documents/\(document.id)"))
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "delete" else { return nil }
        return Act(
            .send(.delete, "/v1/vaults/\(visit.id())/documents/\(visit.id(1))"), to: "/vaults/\(visit.id())",
            Notice("web.document.was_deleted"))
    }
}

/// The deleted documents of a vault that can be restored.
package struct DeletedDocumentsScreen: Screen {
    package static let path = "/vaults/{id}/documents/deleted"

    private let documents: [DocumentFacts]
    private let more: HTML

    package static func calls(_ visit: Visit) -> [APICall] {
        [.get("/v1/vaults/\(visit.id())/documents?deleted=true&\(visit.page)")]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        documents = answers[0]["items"]?.elements.map(DocumentFacts.init) ?? []
        more = visit.more(answers[0])
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.document.deleted")
        var rows: HTML = ""
        for document in documents {
            rows += """
                <li><span class="name">\(name: document.name)</span><br>
                <span class="quiet">\(document.size(words)) · \(words.html(
                    "web.document.deleted_by",
                    ["name": "\(name: document.deletedBy)", "moment": "\(words.moment(document.deletedAt ?? ""))"]))</span>
                \(visit.form(
                    """
                    \(visit.hidden("document", document.id))\
                    \(visit.button("restore", words.html("web.document.restore", ["name": "\(name: document.name)"]), .plain))
                    """))</li>

                """
        }
        return ScreenPage(
            title: title, section: .vaults,
            body: """
                <h1>\(title)</h1>
                <p>\(words(documents.isEmpty ? "web.document.none_deleted" : "web.document.deleted_text"))</p>
                <ul class="rows">
                \(rows)</ul>
                \(more)\(visit.back("/vaults/\(visit.id())", "\(words("web.vault.this"))"))
                """)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "restore" else { return nil }
        let document = form.id("document")
        return Act(
            .send(.post, "/v1/vaults/\(visit.id())/documents/\(document)/restore"), doneBefore: [.invalidTransition]
        ) { _ in
            Destination("/vaults/\(visit.id())/documents/\(document)", Notice("web.document.restored"))
        }
    }
}
