internal import HTTP
internal import JSON
internal import OpenAPI
internal import Postgres
internal import Problems

/// Reads a call's arguments from a request and collects the errors.
struct ArgumentReader {
    private let request: HTTPRequest
    private let document: JSONDocument?
    /// Whether the document is not the body byte for byte.
    private let normalizesBody: Bool
    private let publicURL: String
    private let isFromPage: Bool
    private let places: PlaceSealer
    private var path: ArraySlice<String>
    private let query: [HTTPRequest.Field]
    private var known: Set<String> = []
    private var errors: [FieldError] = []

    /// The requirement of a parameter whose escapes could not be decoded, worded to follow its name.
    static let encoding = "must be UTF-8, percent-encoded and without control characters"

    init(
        request: HTTPRequest, path: [String], document: JSONDocument?, normalizesBody: Bool, publicURL: String,
        isFromPage: Bool, places: PlaceSealer
    ) {
        self.request = request
        self.document = document
        self.normalizesBody = normalizesBody
        self.publicURL = publicURL
        self.isFromPage = isFromPage
        self.places = places
        self.path = path[...]
        query = request.queryText.isEmpty ? [] : request.query
    }

    /// Reads the next argument. Returns null if it is absent or invalid.
    mutating func value(of argument: Argument) -> PostgresValue {
        switch argument {
        case .now: return .instant(request.receivedAt)
        case .publicURL: return .text(publicURL)
        case .ifMatch: return .expectedVersions(of: request)
        case .source: return .text(isFromPage ? "web" : "app")
        case .fixed(let text, _): return .text(text)
        case .body:
            if normalizesBody, let document { return .bytes(document.root.text) }
            return .bytes(request.body.isEmpty ? Array("{}".utf8) : request.body)
        case .member(let name): return document?.root[name]?.string.map(PostgresValue.text) ?? .null
        case .flag(let name): return document?.root[name]?.boolean.map(PostgresValue.bool) ?? .null
        case .place(let name): return document?.root[name].flatMap(places.sealed).map(PostgresValue.bytes) ?? .null
        case .path(let name, let format):
            return checked(path.popFirst() ?? "", name, format)
        case .query(let name, .several(let component), _, let required):
            let texts = parameters(name)
            guard !texts.isEmpty else { return required ? refuse(name, "is required") : .null }
            return several(texts, name, component.values)
        case .query(let name, let type, _, let required):
            guard let text = parameter(name) else { return required ? refuse(name, "is required") : .null }
            return query(text, name, type)
        case .limit: return limit() ?? .int(50)
        case .optionalLimit: return limit() ?? .null
        case .cursor(let format):
            guard let text = parameter("cursor") else { return .null }
            guard format.accepts(text) else { return refuse("cursor", "must be the next_cursor of a page") }
            return .text(text)
        }
    }

    /// Ends the reading.
    ///
    /// - Throws: ``Problem`` `validation_failed` if anything was invalid, including unknown query parameters.
    mutating func finish() throws(Problem) {
        for field in query where !field.isUTF8 || !known.contains(field.name) {
            let message = field.isUTF8 ? "is not a known parameter" : Self.encoding
            errors.append(.init(field: String(field.name.prefix(200)), message: message))
        }
        guard errors.isEmpty else { throw Problem(.validationFailed, errors: errors) }
    }

    private mutating func limit() -> PostgresValue? {
        parameter("limit").map { integer($0, "limit", 1...200) }
    }

    private mutating func integer(_ text: String, _ name: String, _ bounds: ClosedRange<Int>) -> PostgresValue {
        guard let value = Int(text), bounds.contains(value) else {
            return refuse(name, "must be from \(bounds.lowerBound) to \(bounds.upperBound)")
        }
        return .int(value)
    }

    private mutating func query(_ text: String, _ name: String, _ type: Argument.QueryType) -> PostgresValue {
        switch type {
        case .text(let format): return checked(text, name, format)
        case .line(let length): return checked(text, name, .line, length)
        case .oneOf(let values): return chosen(text, name, values)
        case .component(let component): return chosen(text, name, component.values)
        case .several(let component): return several([text], name, component.values)
        case .boolean:
            guard text == "true" || text == "false" else { return refuse(name, "must be true or false") }
            return .bool(text == "true")
        case .integer(let bounds): return integer(text, name, bounds)
        }
    }

    private mutating func chosen(_ text: String, _ name: String, _ values: [String]) -> PostgresValue {
        guard values.contains(text) else { return refuse(name, "must be one of \(values.joined(separator: ", "))") }
        return .text(text)
    }

    /// The array of the values in `texts`. Some generated clients repeat the parameter instead of writing commas.
    private mutating func several(_ texts: [String], _ name: String, _ values: [String]) -> PostgresValue {
        let given = texts.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.map(String.init)
        guard given.count <= values.count, given.allSatisfy({ values.contains($0) }) else {
            return refuse(name, "must be some of \(values.joined(separator: ", ")), separated by commas")
        }
        return .array(given)
    }

    private mutating func parameter(_ name: String) -> String? {
        let given = parameters(name)
        if given.count > 1 { _ = refuse(name, "must be given once") }
        return given.first
    }

    /// The values of a parameter, which may be repeated.
    private mutating func parameters(_ name: String) -> [String] {
        known.insert(name)
        // A value that is not UTF-8 is refused as such. U+FFFD in its place must not be searched for.
        return query.filter { $0.name == name && $0.isUTF8 }.map(\.value)
    }

    private mutating func checked(
        _ text: String, _ name: String, _ format: TextFormat, _ length: ClosedRange<Int>? = nil
    ) -> PostgresValue {
        if let objection = JSONSchema.objection(to: text, format, length ?? Argument.length(of: format)) {
            return refuse(name, objection)
        }
        return .text(format.normalized(text))
    }

    private mutating func refuse(_ name: String, _ message: String) -> PostgresValue {
        errors.append(.init(field: name, message: message))
        return .null
    }
}
