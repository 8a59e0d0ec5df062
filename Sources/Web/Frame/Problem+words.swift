package import Problems

extension Problem {
    /// What a person reads about the problem.
    package func text(in words: Words) -> String {
        detailForPerson ?? detail ?? words("problem.\(code.rawValue).detail")
    }
}
