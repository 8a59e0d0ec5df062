package import HTTP
package import JSON
internal import Pages
internal import Problems

/// The API reference as a page. Like the OpenAPI document, it is generated from the served calls.
package struct ReferencePage {
    private let document: OpenAPIDocument

    /// Creates the page of `document`.
    package init(_ document: OpenAPIDocument) {
        self.document = document
    }

    /// The response with the page. Making it takes some milliseconds.
    package func response() -> HTTPResponse {
        Page(title: "Kith API", body: body, style: .reference).response()
    }

    private var body: HTML {
        var body: HTML = """
            <header>
            <h1>Kith API</h1>
            <p>\(OpenAPIDocument.summary)</p>
            <p>For programs: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
            </header>
            \(contents)
            <div class="calls">
            <section aria-labelledby="rules">
            <h2 id="rules">Rules for every call</h2>

            """
        for rule in OpenAPIDocument.generalRules { body += "<p>\(rule)</p>\n" }
        body += "</section>\n"
        for area in document.areas {
            body += "<section aria-labelledby=\"\(anchor(area))\">\n<h2 id=\"\(anchor(area))\">\(area)</h2>\n"
            for operation in document.operations where operation.area == area { body += article(operation) }
            body += "</section>\n"
        }
        body += values
        body += problems
        body += "</div>\n"
        return body
    }

    /// The table of contents. It is beside the calls on a wide screen and before them on a phone.
    private var contents: HTML {
        var contents: HTML = "<nav aria-label=\"Contents\">\n<a href=\"#rules\">Rules for every call</a>\n"
        for area in document.areas {
            contents += "<details><summary>\(area)</summary>\n<ul>\n"
            for operation in document.operations where operation.area == area {
                contents += """
                    <li><a href="#\(operation.operationID)">\(title(operation))</a></li>

                    """
            }
            contents += "</ul></details>\n"
        }
        contents += "<a href=\"#values\">Values</a>\n<a href=\"#problems\">Refusals</a>\n</nav>"
        return contents
    }

    private func title(_ operation: OpenAPIOperation) -> HTML {
        var path: HTML = ""
        // A long path can break before each segment.
        for segment in operation.path.split(separator: "/") { path += "<wbr>/\(String(segment))" }
        return "<b class=\"method\">\(operation.method.rawValue)</b> <code>\(path)</code>"
    }

    private func article(_ operation: OpenAPIOperation) -> HTML {
        let caller =
            switch operation.caller {
            case .anybody: "Anybody"
            case .tenant: "Anybody who names a tenant"
            case .user: "A user, with an access token"
            case .key(let scope): "The tenant's server, with a secret key of the scope \(scope)"
            }
        var article: HTML = """
            <article id="\(operation.operationID)">
            <h3><a href="#\(operation.operationID)">\(title(operation))</a></h3>
            <p>\(operation.summary).</p>

            """
        if let details = operation.details { article += "<p>\(details)</p>\n" }
        article += "<p class=\"quiet\">\(caller).</p>\n"
        let parameters = operation.parameters
        if !parameters.isEmpty {
            article += "<h4>Parameters</h4>\n<dl>\n"
            for parameter in parameters {
                article += field(
                    parameter.name, parameter.schema, required: parameter.required, parameter.summary,
                    note: "in the \(parameter.place)")
            }
            article += "</dl>\n"
        }
        if let body = operation.body {
            let lines = operation.bodyType == .jsonLines ? ", one on each line" : ""
            if case .component = body {
                article += "<h4>Body\(lines)</h4>\n<p>\(words(body)).</p>\n"
            } else if !body.properties.isEmpty {
                article += "<h4>Body\(lines)</h4>\n\(fields(of: body))\(example(of: body))"
            }
        }
        if operation.bodyType == .bytes {
            article += "<h4>Body</h4>\n<p>The content. Content-Type names its type.</p>\n"
        }
        article += "<h4>Answer</h4>\n<p>\(success(operation))</p>\n"
        if let answer = operation.answer, ![.html, .text, .atom, .content].contains(operation.answerType) {
            if case .component = answer {} else { article += "\(fields(of: answer))\(example(of: answer))" }
        }
        let refusals = Set(operation.specificRefusals).sorted {
            ($0.entry.status.rawValue, $0.rawValue) < ($1.entry.status.rawValue, $1.rawValue)
        }
        if !refusals.isEmpty {
            article += "<h4>Specific refusals</h4>\n<p>"
            for (index, code) in refusals.enumerated() {
                if index > 0 { article += ", " }
                article += "\(String(code.entry.status.rawValue)) <a href=\"#\(code.rawValue)\">\(code.rawValue)</a>"
            }
            article += "</p>\n"
        }
        article += "</article>\n"
        return article
    }

    private func success(_ operation: OpenAPIOperation) -> HTML {
        var text: HTML = "\(String(operation.success.rawValue))"
        if let status = operation.successIfThere {
            text += ", or \(String(status.rawValue)) if it already existed"
        }
        if operation.mayRedirect { text += ", or 302 to another address" }
        switch (operation.answer, operation.answerType) {
        case (nil, _): text += ", without a body."
        case (_, .html): text += ": a page."
        case (_, .text): text += ": a text for people."
        case (_, .atom): text += ": a feed."
        case (_, .content): text += ": the content, or 206 with a part of it, or 304."
        case (_, .jsonLines): text += ": one line for each, \(words(operation.answer))."
        case (_, .events): text += ": events, each \(words(operation.answer))."
        case (.component, _): text += ": \(words(operation.answer))."
        case (_, _): text += "."
        }
        return text
    }

    /// The named schemas.
    private var values: HTML {
        var values: HTML = "<section aria-labelledby=\"values\">\n<h2 id=\"values\">Values</h2>\n"
        for component in document.components {
            values += """
                <article id="\(anchor(component))">
                <h3>\(component.name)</h3>
                \(shapes(of: component.schema))\(fields(of: component.schema))\(example(of: component.schema))</article>

                """
        }
        values += "</section>\n"
        return values
    }

    /// The alternatives of a schema that has several.
    private func shapes(of schema: JSONSchema) -> HTML {
        switch schema {
        case .union, .oneOf: "<p>\(words(schema)).</p>\n"
        default: ""
        }
    }

    /// All problem codes.
    private var problems: HTML {
        var problems: HTML = """
            <section aria-labelledby="problems">
            <h2 id="problems">Refusals</h2>
            <p>Each is a <a href="#\(anchor(.problem))">Problem</a>.</p>
            <dl>

            """
        for code in ProblemCode.all {
            problems += """
                <div><dt id="\(code.rawValue)"><code>\(code.rawValue)</code> <span>\(String(code.entry.status.rawValue))</span></dt>
                <dd>\(code.entry.detail)</dd></div>

                """
        }
        problems += "</dl>\n</section>\n"
        return problems
    }

    /// The anchor of an area.
    private func anchor(_ area: String) -> String { "about-" + area.lowercased().replacing(" ", with: "-") }

    /// The anchor of a named schema.
    package func anchor(_ component: JSONComponent) -> String { "value-" + component.name.lowercased() }
}
