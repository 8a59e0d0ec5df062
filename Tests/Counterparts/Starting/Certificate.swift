import ChildProcesses
import Foundation

/// A self-signed certificate for the loopback address, in a folder that is deleted with the object.
public final class Certificate: Sendable {
    /// The path of the certificate in PEM, for clients that trust it.
    public let path: String
    /// The path of the certificate and its key in PEM, for the server.
    public let pathWithKey: String

    private let folder: TemporaryFolder

    /// Creates a certificate with openssl.
    public init() throws {
        folder = try TemporaryFolder()
        path = folder.url.appending(path: "certificate.pem").path
        pathWithKey = folder.url.appending(path: "both.pem").path
        let key = folder.url.appending(path: "key.pem").path
        let openssl = try ChildProcess(
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1", "-keyout", key, "-out", path,
            ], output: .null)
        guard openssl.wait() == 0 else {
            throw Counterpart.Failure(description: "openssl made no certificate")
        }
        let both = try Data(contentsOf: URL(filePath: path)) + Data(contentsOf: URL(filePath: key))
        try both.write(to: URL(filePath: pathWithKey))
    }
}
