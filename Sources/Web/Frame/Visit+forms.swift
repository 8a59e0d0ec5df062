internal import JSON
package import Pages
internal import Problems

/// The parts of forms.
extension Visit {
    /// A form that sends its fields to the screen's own path, or to that of another screen. It contains buttons made by
    /// ``button(_:_:_:)``.
    package func form(_ content: HTML, to other: String? = nil) -> HTML {
        """
        <form method="post" action="\(other ?? path)">
        <input type="hidden" name="\(FormFields.token)" value="\(token())">
        <input type="hidden" name="\(FormFields.key)" value="\(key)">
        \(content)
        </form>

        """
    }

    /// The idempotency key of the form's act. A refused form gets a new key, because a try may have had an effect, such
    /// as a counted try of a code.
    private var key: String {
        guard let refused, refused.problem == nil, !refused.fields[FormFields.key].isEmpty else { return newKey() }
        return refused.fields[FormFields.key]
    }

    /// A button that carries out the act `name`.
    package func button(_ name: String, _ label: String, _ kind: ButtonKind = .usual) -> HTML {
        "<button class=\"\(kind.rawValue)\" name=\"\(FormFields.act)\" value=\"\(name)\">\(label)</button>\n"
    }

    /// A button that takes back at once what the page before did. It takes no pointer in the first moment, in which a
    /// second tap was meant for that page.
    package func undoing(_ name: String, _ label: String, _ kind: ButtonKind = .plain) -> HTML {
        "<button class=\"\(kind.rawValue) deliberate\" name=\"\(FormFields.act)\" value=\"\(name)\">\(label)</button>\n"
    }

    /// The prominence of a button.
    package enum ButtonKind: String {
        /// The main action of a page.
        case main = "button main"
        case usual = "button"
        case plain = "button plain"
        /// Two acts of which each takes back the other stand beside each other, so that a second tap on one never meets
        /// the other.
        case mainFirst = "button main first"
        case plainSecond = "button plain second"
        /// A destructive act.
        case destructive = "button destructive"
    }

    /// A hidden value of the form.
    package func hidden(_ name: String, _ value: String) -> HTML {
        "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">\n"
    }

    /// A labelled text field. Its value is the text of the refused form, or else `value`. An error is shown below it.
    ///
    /// `attributes` are further attributes of the element, such as `autocomplete`.
    package func field(
        _ name: String, _ label: String, value: String = "", type: String = "text", hint: String? = nil,
        isRequired: Bool = true, attributes: HTML = ""
    ) -> HTML {
        let given = typed(name) ?? value
        let error = error(of: name)
        var described: [String] = []
        if hint != nil { described.append("\(name)-hint") }
        if error != nil { described.append("\(name)-error") }
        var html: HTML = "<label for=\"\(name)\">\(label)</label>\n"
        if let hint { html += "<p class=\"hint\" id=\"\(name)-hint\">\(hint)</p>\n" }
        html += "<input id=\"\(name)\" name=\"\(name)\" type=\"\(type)\" value=\"\(given)\""
        if isRequired { html += " required" }
        if !described.isEmpty { html += " aria-describedby=\"\(described.joined(separator: " "))\"" }
        if error != nil { html += " aria-invalid=\"true\" autofocus" }
        if !attributes.text.isEmpty { html += " \(attributes)" }
        html += ">\n"
        if let error { html += "<p class=\"error\" id=\"\(name)-error\" role=\"alert\">\(error)</p>\n" }
        return html
    }

    /// A labelled text of several lines.
    package func area(_ name: String, _ label: String, value: String = "", limit: Int, hint: String? = nil) -> HTML {
        let error = error(of: name)
        var html: HTML = "<label for=\"\(name)\">\(label)</label>\n"
        if let hint { html += "<p class=\"hint\" id=\"\(name)-hint\">\(hint)</p>\n" }
        html += "<textarea id=\"\(name)\" name=\"\(name)\" rows=\"3\" maxlength=\"\(String(limit))\""
        if hint != nil { html += " aria-describedby=\"\(name)-hint\"" }
        if error != nil { html += " aria-invalid=\"true\" autofocus" }
        // HTML drops a line break directly after the tag.
        html += ">\n\(typed(name) ?? value)</textarea>\n"
        if let error { html += "<p class=\"error\" id=\"\(name)-error\" role=\"alert\">\(error)</p>\n" }
        return html
    }

    /// A labelled check box.
    package func check(_ name: String, _ label: HTML, isOn: Bool = false) -> HTML {
        let isChecked = (refused?.fields ?? step).map { $0.isOn(name) } ?? isOn
        return """
            <label class="check"><input type="checkbox" name="\(name)" value="on"\(isChecked ? " checked" : "" as HTML)> \
            <span>\(label)</span></label>

            """
    }

    /// A labelled choice of one value. `options` are the values and their labels.
    package func choice(_ name: String, _ label: String, _ options: [(value: String, label: String)], value: String)
        -> HTML
    {
        let chosen = typed(name) ?? value
        var html: HTML = "<label for=\"\(name)\">\(label)</label>\n<select id=\"\(name)\" name=\"\(name)\">\n"
        for option in options {
            let mark: HTML = option.value == chosen ? " selected" : ""
            html += "<option value=\"\(option.value)\"\(mark)>\(option.label)</option>\n"
        }
        html += "</select>\n"
        if let error = error(of: name) {
            html += "<p class=\"error\" id=\"\(name)-error\" role=\"alert\">\(error)</p>\n"
        }
        return html
    }

    /// The value of a field of the refused form; nil if there is none.
    package func typed(_ name: String) -> String? {
        guard let fields = refused?.fields ?? step, fields.values(name).first != nil else { return nil }
        return fields[name]
    }

    /// The error of a field of the refused form, by its name.
    package func error(of name: String) -> String? {
        guard let error = refused?.problem?.errors.first(where: { $0.field == name }) else { return nil }
        return words.refusal(error.message)
    }
}
