internal import JSON
internal import Pages

/// Parts that many screens have.
extension Visit {
    /// The id in a segment that the screen's path leaves open.
    func id(_ index: Int = 0) -> String { PathID.of(parameters[index]) }

    /// The query of a call for the page of a list that was asked for, after `?`.
    var page: String {
        let cursor = query["after"]
        return PathID.accepts(cursor) ? "limit=50&cursor=\(cursor)" : "limit=50"
    }

    /// A link to the next page of a list; nothing if there is none.
    func more(_ list: JSONValue) -> HTML {
        guard let cursor = list["next_cursor"]?.string else { return "" }
        return "<a class=\"button plain\" href=\"\(path)?after=\(cursor)\">\(words("web.list.more"))</a>\n"
    }

    /// A link that looks like a button.
    func link(_ path: String, _ label: String, _ kind: ButtonKind = .plain) -> HTML {
        "<a class=\"\(kind.rawValue)\" href=\"\(path)\">\(label)</a>\n"
    }

    /// A button that carries out the act `name`, with a name of a person or a thing in its label.
    func button(_ name: String, _ label: HTML, _ kind: ButtonKind = .usual) -> HTML {
        "<button class=\"\(kind.rawValue)\" name=\"\(FormFields.act)\" value=\"\(name)\">\(label)</button>\n"
    }

    /// A link in a list of links.
    func item(_ path: String, _ label: HTML, _ more: HTML = "") -> HTML {
        "<li><a href=\"\(path)\"><span class=\"name\">\(label)</span>\(more)</a></li>\n"
    }

    /// The link at the end of a page to the page above it.
    func back(_ path: String, _ label: HTML) -> HTML {
        "<p class=\"back\"><a class=\"inline\" href=\"\(path)\"><span>\(words.html("web.back", ["name": label]))</span></a></p>\n"
    }

    /// The body of a page that asks before a destructive act.
    func question(
        _ title: HTML, _ message: HTML, act: String, confirm: String, cancel: String, fields: HTML = "",
        kind: ButtonKind = .destructive
    ) -> HTML {
        """
        <h1>\(title)</h1>
        <p class="panel warn lead">\(message)</p>
        \(form("\(fields)\(button(act, confirm, kind))"))\
        \(link(cancel, words("button.cancel")))
        """
    }

    /// A choice of one value, each with a sentence that explains it.
    func radios(
        _ name: String, _ label: String, _ options: [(value: String, label: String, meaning: String)], value: String
    ) -> HTML {
        let chosen = typed(name) ?? value
        var html: HTML = "<fieldset>\n<legend>\(label)</legend>\n"
        for option in options {
            let mark: HTML = option.value == chosen ? " checked" : ""
            let meaning: HTML = option.meaning.isEmpty ? "" : "<br>\n<span class=\"quiet\">\(option.meaning)</span>"
            html += """
                <label class="check"><input type="radio" name="\(name)" value="\(option.value)"\(mark)> \
                <span>\(option.label)\(meaning)</span></label>

                """
        }
        if let error = error(of: name) { html += "<p class=\"error\" role=\"alert\">\(error)</p>\n" }
        return html + "</fieldset>\n"
    }
}
