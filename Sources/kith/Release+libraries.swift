internal import CCurl
internal import CJansson
internal import CLibPQ
internal import CLinux
internal import COpenSSL
internal import CZlib
internal import Foundation

extension Release {
    /// The libraries that this program runs with, and their versions.
    ///
    /// Swift's own are part of the program. The dynamic linker has found the others on this machine, so their versions
    /// are those of the machine: each library is asked itself, or the name of its file where it has no function for it.
    static var libraries: [(name: String, version: String)] {
        let postgres = PQlibVersion()
        return [
            ("Swift", embeddedCompilerVersion),
            ("libpq", "\(postgres / 10_000).\(postgres % 10_000)"),
            ("OpenSSL", String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))),
            // Names the libraries that libcurl uses, too.
            ("libcurl", String(String(cString: curl_version()).trimmingPrefix("libcurl/"))),
            ("zlib", String(cString: zlibVersion())),
            ("jansson", String(cString: jansson_version_str())),
            ("libphonenumber", fileVersion(of: "libphonenumber")),
            ("libprotobuf", fileVersion(of: "libprotobuf")),
            ("libstdc++", fileVersion(of: "libstdc++")),
            ("glibc", String(cString: gnu_get_libc_version())),
        ]
    }

    /// The version in the name of the file that is loaded for a library: `8.12` of `libphonenumber.so.8.12`.
    private static func fileVersion(of library: String) -> String {
        // The file says that it is empty, so FileHandle reads to its end, and String(contentsOfFile:) one page.
        let read = FileHandle(forReadingAtPath: "/proc/self/maps")?.readDataToEndOfFile() ?? Data()
        let maps = String(decoding: read, as: UTF8.self)
        guard let start = maps.firstRange(of: "/\(library).so.")?.upperBound else { return "unknown" }
        return String(maps[start...].prefix { $0 == "." || $0.isNumber })
    }
}
