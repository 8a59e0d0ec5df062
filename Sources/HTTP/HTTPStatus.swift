/// The status code of a response (RFC 9110 §15). An open set: any code of three digits can be created.
public struct HTTPStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The three digits.
    public let rawValue: Int

    /// Creates a status from its code. Codes below 200 are not final and cannot be sent.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The reason phrase in the first line of a response; empty when there is none.
    var reason: String { Self.reasons[rawValue] ?? "" }

    private static let reasons = [
        200: "OK",
        201: "Created",
        202: "Accepted",
        204: "No Content",
        206: "Partial Content",
        302: "Found",
        303: "See Other",
        304: "Not Modified",
        400: "Bad Request",
        401: "Unauthorized",
        402: "Payment Required",
        403: "Forbidden",
        404: "Not Found",
        405: "Method Not Allowed",
        406: "Not Acceptable",
        408: "Request Timeout",
        409: "Conflict",
        410: "Gone",
        412: "Precondition Failed",
        413: "Content Too Large",
        414: "URI Too Long",
        415: "Unsupported Media Type",
        416: "Range Not Satisfiable",
        417: "Expectation Failed",
        422: "Unprocessable Content",
        423: "Locked",
        429: "Too Many Requests",
        431: "Request Header Fields Too Large",
        500: "Internal Server Error",
        501: "Not Implemented",
        503: "Service Unavailable",
        505: "HTTP Version Not Supported",
        507: "Insufficient Storage",
    ]

    /// Whether a response with this status may have a body (RFC 9110 §6.4.1).
    var hasBody: Bool { self != .noContent && self != .notModified && rawValue >= 200 }

    /// The three digits, as in a log.
    public var description: String { String(rawValue) }

    /// 200
    public static let ok = HTTPStatus(rawValue: 200)
    /// 201
    public static let created = HTTPStatus(rawValue: 201)
    /// 202
    public static let accepted = HTTPStatus(rawValue: 202)
    /// 204
    public static let noContent = HTTPStatus(rawValue: 204)
    /// 206
    public static let partialContent = HTTPStatus(rawValue: 206)
    /// 302
    public static let found = HTTPStatus(rawValue: 302)
    /// 303
    public static let seeOther = HTTPStatus(rawValue: 303)
    /// 304
    public static let notModified = HTTPStatus(rawValue: 304)
    /// 400
    public static let badRequest = HTTPStatus(rawValue: 400)
    /// 401
    public static let unauthorized = HTTPStatus(rawValue: 401)
    /// 402
    public static let paymentRequired = HTTPStatus(rawValue: 402)
    /// 403
    public static let forbidden = HTTPStatus(rawValue: 403)
    /// 404
    public static let notFound = HTTPStatus(rawValue: 404)
    /// 405
    public static let methodNotAllowed = HTTPStatus(rawValue: 405)
    /// 406
    public static let notAcceptable = HTTPStatus(rawValue: 406)
    /// 408
    public static let requestTimeout = HTTPStatus(rawValue: 408)
    /// 409
    public static let conflict = HTTPStatus(rawValue: 409)
    /// 410
    public static let gone = HTTPStatus(rawValue: 410)
    /// 412
    public static let preconditionFailed = HTTPStatus(rawValue: 412)
    /// 413
    public static let contentTooLarge = HTTPStatus(rawValue: 413)
    /// 414
    public static let uriTooLong = HTTPStatus(rawValue: 414)
    /// 415
    public static let unsupportedMediaType = HTTPStatus(rawValue: 415)
    /// 416
    public static let rangeNotSatisfiable = HTTPStatus(rawValue: 416)
    /// 417
    public static let expectationFailed = HTTPStatus(rawValue: 417)
    /// 422
    public static let unprocessableContent = HTTPStatus(rawValue: 422)
    /// 423
    public static let locked = HTTPStatus(rawValue: 423)
    /// 429
    public static let tooManyRequests = HTTPStatus(rawValue: 429)
    /// 431
    public static let headerFieldsTooLarge = HTTPStatus(rawValue: 431)
    /// 500
    public static let internalServerError = HTTPStatus(rawValue: 500)
    /// 501
    public static let notImplemented = HTTPStatus(rawValue: 501)
    /// 503
    public static let serviceUnavailable = HTTPStatus(rawValue: 503)
    /// 505
    public static let httpVersionNotSupported = HTTPStatus(rawValue: 505)
    /// 507
    public static let insufficientStorage = HTTPStatus(rawValue: 507)
}
