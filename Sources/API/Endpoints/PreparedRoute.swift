internal import HTTP
internal import JSON
internal import Problems
internal import Requests

/// An endpoint prepared for serving, with its statement and its arguments.
///
/// It is a class because every request carries it. A copy of an endpoint would retain each of its members, so the
/// functions that serve requests take the route, and read the members of its endpoint in place.
final class PreparedRoute: Sendable {
    let endpoint: Endpoint
    /// The endpoint's index in ``Endpoint/served``, which identifies it in metrics.
    let index: Int
    /// The call of the endpoint's procedure; nil if a handler does its work.
    let call: ProcedureCall?
    /// Whether the database does not get the body byte for byte: phone numbers reach it in E.164 form, and nothing does
    /// that was ignored.
    let normalizesBody: Bool
    private let arguments: [Argument]
    private let names: [String]

    init(_ endpoint: Endpoint, index: Int) {
        self.endpoint = endpoint
        self.index = index
        normalizesBody = endpoint.isForgiving || endpoint.body?.hasNormalizedTexts ?? false
        switch endpoint.work {
        case .procedure(let procedure):
            arguments = procedure.arguments
            call = ProcedureCall(
                procedure.name, arguments.map(\.sqlType), lane: procedure.lane, checksCaller: procedure.checksCaller,
                mayUseStandby: procedure.mayUseStandby)
        case .handler(_, let given):
            arguments = given
            call = nil
        case .resource, .site:
            arguments = []
            call = nil
        }
        names = arguments.map(\.name)
    }

    /// Reads and validates the call's arguments.
    ///
    /// - Throws: ``Problem`` `validation_failed` with every invalid argument, unless the endpoint forgives them.
    func arguments(
        of request: HTTPRequest, path: [String], document: JSONDocument?, publicURL: String, isFromPage: Bool,
        places: PlaceSealer
    ) throws(Problem) -> Arguments {
        var reader = ArgumentReader(
            request: request, path: path, document: document, normalizesBody: normalizesBody, publicURL: publicURL,
            isFromPage: isFromPage, places: places)
        let values = arguments.map { reader.value(of: $0) }
        if !endpoint.isForgiving { try reader.finish() }
        return Arguments(names: names, values: values)
    }
}
