internal import Glibc

/// A system call that failed while a loop was being created.
public struct EventLoopError: Error, CustomStringConvertible {
    /// The name of the system call.
    public let call: String
    /// The `errno` of the call.
    public let code: Int32

    /// The call and the kernel's reason.
    public var description: String { "\(call): \(String(cString: strerror(code)))" }
}
