import Foundation

// EmbedTool ROOT OUTPUT FILE... writes OUTPUT, a Swift source with the path (relative to ROOT) and the text of each
// FILE. A raw string literal with many `#` carries SQL unchanged. The tool refuses a file that could end the literal.
//
// A picture (PNG) is embedded as its base64.
//
// EmbedTool --commit-of FOLDER --compiler SWIFTC OUTPUT writes OUTPUT, a Swift source with the name of the commit that
// is checked out in FOLDER, and the version of the compiler, whose libraries are linked statically.

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
    let usage = "usage: EmbedTool ROOT OUTPUT FILE... | --commit-of FOLDER --compiler SWIFTC OUTPUT\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(64)
}
if arguments[1] == "--commit-of", arguments.count == 6 {
    let commit = CheckedOutCommit.name(in: URL(filePath: arguments[2], directoryHint: .isDirectory)).filter(
        \.isHexDigit)
    try """
    /// The commit that this was built from; empty where the build could not tell.\nlet embeddedCommit = \
    "\(commit)"
    /// The version of the Swift compiler and of its libraries: `6.3.1`.
    let embeddedCompilerVersion = "\(try CompilerVersion.of(arguments[4]))"\n
    """
    .write(toFile: arguments[5], atomically: true, encoding: .utf8)
    exit(0)
}
let root = arguments[1]
let fence = "####"
var source =
    """
    /// The embedded files, by path below their folder, in path order.\nlet embeddedFiles: [(path: String, text: \
    String)] = [\n
    """
for path in arguments.dropFirst(3) {
    let text =
        path.hasSuffix(".png")
        ? try Data(contentsOf: URL(filePath: path)).base64EncodedString()
        : try String(contentsOfFile: path, encoding: .utf8)
    guard !text.contains("\"\"\"" + fence), !text.contains("\\" + fence) else {
        FileHandle.standardError.write(Data("\(path): contains the fence of a Swift raw string\n".utf8))
        exit(65)
    }
    let relative = path.dropFirst(root.count).drop { $0 == "/" }
    source += "    (\"\(relative)\", \(fence)\"\"\"\n\(text)\n\"\"\"\(fence)),\n"
}
source += "]\n"
try source.write(toFile: arguments[2], atomically: true, encoding: .utf8)
