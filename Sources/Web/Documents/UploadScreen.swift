package import JSON
internal import Pages
package import Problems
internal import Texts

/// The fields of forms with files.
package enum FileFields {
    /// The files.
    package static let files = "files"
    /// In a query: says that the files of an earlier form were not stored.
    package static let again = "again=1"
    /// How many files were added before the form was shown again.
    package static let added = "added"
}

/// Adds documents to a vault, several at once.
package struct UploadScreen: Screen {
    package static let path = "/vaults/{id}/upload"
    package static let files: FileUse? = .add

    private let vault: VaultFacts

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/vaults/\(visit.id())")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        vault = VaultFacts(answers[0])
        guard vault.mayEdit else { throw Problem(.forbidden, visit.words("access.refused")) }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let title = visit.words("web.document.add")
        return ScreenPage(
            title: title, section: .vaults, showsProblem: visit.refused != nil,
            body: """
                <h1>\(title)</h1>
                \(visit.filesForm(isMultiple: true, button: title))\
                \(visit.back(vault.path, vault.title))
                """)
    }
}

/// Replaces the content of a document.
package struct ReplaceDocumentScreen: Screen {
    package static let path = "/vaults/{id}/documents/{doc}/replace"
    package static let files: FileUse? = .replace

    private let document: DocumentFacts

    package static func calls(_ visit: Visit) -> [APICall] {
        [.get("/v1/vaults/\(visit.id())/documents/\(visit.id(1))")]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        document = DocumentFacts(answers[0])
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.document.replace")
        return ScreenPage(
            title: title, section: .vaults, showsProblem: visit.refused != nil,
            body: """
                <h1>\(title)</h1>
                <p>\(words.html("web.document.replace_text", ["name": "\(name: document.name)"]))</p>
                \(visit.filesForm(isMultiple: false, button: title))\
                \(visit.back("/vaults/\(visit.id())/documents/\(document.id)", "\(name: document.name)"))
                """)
    }
}

extension Visit {
    /// The form with files, and the results of those that were sent before. The token precedes the files, so that the
    /// server can check the form before it stores anything.
    fileprivate func filesForm(isMultiple: Bool, button label: String) -> HTML {
        var problems: HTML = ""
        // A browser lets no page choose its files again.
        let isLost = refused.map { $0.problem == nil } ?? (query["again"] == "1")
        if isLost {
            problems += """
                <p class="alert" role="alert" tabindex="-1" autofocus>\(words("web.document.choose_again"))</p>

                """
        }
        if let refused, let problem = refused.problem {
            let added = Int(refused.fields[FileFields.added]) ?? 0
            if added > 0 {
                problems +=
                    "<p class=\"notice\" role=\"status\">\(words("web.document.added", ["count": .number(added)]))</p>\n"
            }
            for error in problem.errors {
                if error.message.isEmpty {
                    problems +=
                        "<p class=\"alert\" role=\"alert\" id=\"files-error\">\(words("web.document.no_file"))</p>\n"
                } else if error.field.isEmpty {
                    problems += "<p class=\"alert\" role=\"alert\">\(error.message)</p>\n"
                } else {
                    problems += """
                        <p class="alert" role="alert">\(words.html(
                            "web.document.refused", ["name": "\(name: error.field)", "reason": "\(error.message)"]))</p>

                        """
                }
            }
            if problem.errors.isEmpty {
                problems +=
                    """
                    <p class="alert" \
                    role="alert">\(problem.detailForPerson ?? problem.detail ?? problem.code.entry.detail)</p>\n
                    """
            }
        }
        let label2 = words(isMultiple ? "web.document.choose_several" : "web.document.choose")
        return """
            \(problems)<form method="post" action="\(path)" enctype="multipart/form-data" data-upload>
            <input type="hidden" name="\(FormFields.token)" value="\(token())">
            <input type="hidden" name="\(FormFields.key)" value="\(newKey())">
            <label for="files">\(label2)</label>
            <p class="hint" id="files-hint">\(words("web.document.limit"))</p>
            <input id="files" type="file" name="\(FileFields.files)" required\(isMultiple ? " multiple" : "" as HTML) \
            aria-describedby="files-hint">
            <progress max="100" value="0" aria-label="\(label)" hidden></progress>
            <button class="button">\(label)</button>
            </form>

            """
    }
}
