package import HTTP

extension Problem {
    /// No endpoint has the request's path.
    package static var unknownPath: Problem {
        var problem = Problem(.notFound, "There is no such path; /openapi.json lists them.")
        problem.detailForPerson = "There is no page at this address. Please check the link that brought you here."
        return problem
    }

    /// The path has endpoints with `methods` only.
    package static func methodNotAllowed(_ methods: [HTTPMethod]) -> Problem {
        var problem = Problem(.methodNotAllowed)
        problem.allow = methods
        problem.detailForPerson = "This address is for apps and servers, and cannot be opened like this."
        return problem
    }
}
