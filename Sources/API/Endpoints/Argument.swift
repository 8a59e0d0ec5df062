internal import JSON
internal import OpenAPI

/// An argument of a procedure, and its source in the request.
enum Argument: Sendable {
    /// A segment of the path.
    case path(String, TextFormat)
    /// A query parameter; null if it is absent and not required.
    case query(String, QueryType, String, required: Bool = false)
    /// `limit`, the largest number of items in a list: 1 to 200, by default 50.
    case limit
    /// `limit` of a list that has no default: null if it is absent, so that the answer has all items.
    case optionalLimit
    /// `cursor`, the `next_cursor` of the previous page.
    case cursor(TextFormat)
    /// The whole body.
    case body
    /// One member of the body, as text.
    case member(String)
    /// One member of the body, as a boolean; null if it is absent.
    case flag(String)
    /// The instant at which the server received the request.
    case now
    /// The public URL that the operator configured. Links in answers begin with it.
    case publicURL
    /// The versions that the `If-Match` header allows; null if it allows any.
    case ifMatch
    /// One member of the body, a place, sealed for the caller (K08).
    case place(String)
    /// How a check-in came: app over the API, web from a page of the web client.
    case source
    /// A constant of the endpoint, of a PostgreSQL type.
    case fixed(String, type: String = "text")

    /// The name under which a handler finds the argument; empty for arguments of procedures only.
    var name: String {
        switch self {
        case .path(let name, _), .query(let name, _, _, _), .member(let name), .flag(let name), .place(let name): name
        case .limit, .optionalLimit: "limit"
        case .cursor: "cursor"
        case .now: "now"
        case .body, .publicURL, .ifMatch, .source, .fixed: ""
        }
    }

    /// The type of a query parameter.
    enum QueryType: Sendable {
        case text(TextFormat)
        case line(length: ClosedRange<Int>)
        case oneOf([String])
        /// One of the values of an enumeration.
        case component(JSONComponent)
        /// One or several values of an enumeration, separated by commas. The procedure gets an array.
        case several(JSONComponent)
        case boolean
        case integer(ClosedRange<Int>)
    }

    /// The schema of the value; nil for an argument from neither path nor query.
    var schema: JSONSchema? {
        switch self {
        case .path(_, let format), .cursor(let format), .query(_, .text(let format), _, _):
            .string(format, length: Self.length(of: format))
        case .query(_, .line(let length), _, _): .string(.line, length: length)
        case .query(_, .oneOf(let values), _, _): .oneOf(values)
        case .query(_, .component(let component), _, _): .component(component)
        case .query(_, .several(let component), _, _):
            .array(of: .component(component), count: 1...component.values.count)
        case .query(_, .boolean, _, _): .boolean
        case .query(_, .integer(let bounds), _, _): .integer(bounds)
        case .limit, .optionalLimit: .integer(1...200)
        case .body, .member, .flag, .place, .now, .publicURL, .ifMatch, .source, .fixed: nil
        }
    }

    /// The length that a text in the path or query may have, in characters.
    static func length(of format: TextFormat) -> ClosedRange<Int> {
        if case .opaque = format { 1...TextFormat.longestOpaque } else { format.usualLength }
    }

    /// The PostgreSQL type of the parameter.
    var sqlType: String {
        switch self {
        case .path(_, let format), .cursor(let format), .query(_, .text(let format), _, _): Self.sqlType(of: format)
        case .query(_, .line, _, _), .query(_, .oneOf, _, _), .query(_, .component, _, _), .member, .publicURL, .source:
            "text"
        case .fixed(_, let type): type
        case .query(_, .several, _, _): "text[]"
        case .ifMatch: "uuid[]"
        case .query(_, .boolean, _, _), .flag: "boolean"
        case .limit, .optionalLimit, .query(_, .integer, _, _): "integer"
        case .body, .place: "jsonb"
        case .now: "timestamptz"
        }
    }

    private static func sqlType(of format: TextFormat) -> String {
        switch format {
        case .uuid: "uuid"
        case .date: "date"
        case .instant: "timestamptz"
        case .number: "integer"
        case .timeOfDay, .code, .phone, .writtenPhone, .reportedPhone, .email, .opaque, .encoded, .line, .text,
            .anything:
            "text"
        }
    }
}
