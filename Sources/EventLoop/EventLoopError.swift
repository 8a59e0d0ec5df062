internal import Glibc

/// A call to the kernel that failed while a loop was being made.
public struct EventLoopError: Error, CustomStringConvertible {
    /// The name of the system call.
    public let call: String
    /// Its `errno`.
    public let code: Int32

    /// The call and the kernel's reason.
    public var description: String { "\(call): \(String(cString: strerror(code)))" }
}
