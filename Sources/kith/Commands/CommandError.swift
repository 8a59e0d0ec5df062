internal import Glibc

/// Why a command ends early, in one line that says what to do.
struct CommandError: Error {
    let message: String
    /// The exit status: 64 for wrong usage (EX_USAGE of sysexits), 78 for a wrong configuration (EX_CONFIG), 1
    /// otherwise.
    let status: Int32

    init(_ message: String, status: Int32 = 1) {
        self.message = message
        self.status = status
    }
}

/// Writes a line to standard error.
func standardError(_ line: String, terminator: String = "\n") {
    let text = line + terminator
    _ = text.withCString { write(2, $0, strlen($0)) }
}
