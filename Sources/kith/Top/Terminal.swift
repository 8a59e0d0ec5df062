internal import Glibc

/// The terminal of standard output and input, while a screen is shown on it.
struct Terminal {
    private var before = termios()

    /// Shows another screen without a cursor, and passes each key on at once. Nil if standard output or input is no
    /// terminal.
    init?() {
        guard isatty(STDOUT_FILENO) == 1, isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &before) == 0 else {
            return nil
        }
        var keys = before
        keys.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard tcsetattr(STDIN_FILENO, TCSANOW, &keys) == 0 else { return nil }
        write("\u{1b}[?1049h\u{1b}[?25l")
    }

    /// The columns and lines; 80 and 24 if the terminal does not tell.
    static var size: (columns: Int, lines: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Shows `lines` in place of what was there.
    func show(_ lines: [String]) {
        write("\u{1b}[H" + lines.map { $0 + "\u{1b}[K" }.joined(separator: "\r\n") + "\u{1b}[J")
    }

    /// The keys that have been pressed.
    func keys() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        return Array(buffer.prefix(max(count, 0)))
    }

    /// Brings back what was there before.
    func restore() {
        var before = before
        write("\u{1b}[?25h\u{1b}[?1049l")
        tcsetattr(STDIN_FILENO, TCSANOW, &before)
    }

    private func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            bytes = bytes.dropFirst(max(count, 0))
        }
    }
}
