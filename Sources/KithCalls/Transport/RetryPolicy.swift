package import Foundation

/// Decides whether and when a call is tried again.
package struct RetryPolicy: Sendable {
    /// How a try ended without an answer.
    package struct Failure {
        let problem: KithProblem
        /// Whether the server can have carried out the request.
        let mayHaveArrived: Bool

        /// Describes a try that ended with `problem`.
        package init(problem: KithProblem, mayHaveArrived: Bool) {
            self.problem = problem
            self.mayHaveArrived = mayHaveArrived
        }
    }

    /// The most tries, the first one included; nil for no end.
    package var tries: Int?
    /// The wait before the second try, in seconds. It doubles with each further one.
    var base: TimeInterval
    /// The longest wait by back-off, in seconds.
    package var longest: TimeInterval
    /// The longest wait that the server may ask for, in seconds. A caller that must wait longer gets the problem.
    package var longestAsked: TimeInterval

    /// Creates a policy; without arguments, that of a call for which somebody waits.
    package init(
        tries: Int? = 4, base: TimeInterval = 0.5, longest: TimeInterval = 10, longestAsked: TimeInterval = 30
    ) {
        self.tries = tries
        self.base = base
        self.longest = longest
        self.longestAsked = longestAsked
    }

    /// For requests that must arrive eventually: it retries without end, and waits as long as the server asks.
    package static let forEver = RetryPolicy(tries: nil, base: 1, longest: 300, longestAsked: .infinity)

    /// The seconds to wait before the next try, after so many; nil if there is none. `isRepeatable` says whether the
    /// server carries out a repeated request only once. `jitter`, from 0 to 1, spreads the clients that lost the same
    /// server.
    package func wait(after failure: Failure, tries: Int, isRepeatable: Bool, jitter: Double) -> TimeInterval? {
        guard failure.problem.retryable, isRepeatable || !failure.mayHaveArrived, tries < self.tries ?? .max else {
            return nil
        }
        let backOff = min(longest, base * pow(2, Double(min(tries, 30) - 1))) * (0.5 + jitter / 2)
        guard let asked = failure.problem.retryAfter else { return backOff }
        return asked > longestAsked ? nil : max(asked, backOff)
    }
}

extension KithCall {
    /// Whether the server carries out a repeated request only once (RFC 9110 §9.2.2), or knows the repeat by its key.
    package var isRepeatable: Bool {
        takesIdempotencyKey || ["GET", "HEAD", "PUT", "DELETE"].contains(method)
    }
}
