internal import Foundation

/// The manual pages, in the macros of man(7). They are written from the tables of commands and variables.
enum ManualPage {
    /// kith(1).
    static func commands(_ commands: [Command]) -> String {
        let entries = commands.flatMap { command in
            command.forms.enumerated().map { index, form in
                let call = (["kith", command.name] + (form.text.isEmpty ? [] : [form.text])).joined(separator: " ")
                return ".TP\n.B \(escaped(call))" + (index == command.forms.count - 1 ? "" : "\n.PD 0")
            } + [escaped(command.summary) + "\n.PD"]
        }
        return """
            .TH KITH 1 "" "Kith \(Release.version)" "User Commands"
            .SH NAME
            kith \\- backend of apps in which people look after one another
            .SH SYNOPSIS
            .B kith
            .I command
            .RI [ arguments ]
            .RB [ \\-\\-env\\-file
            .IR file ]
            .SH DESCRIPTION
            Kith serves an HTTP API from a PostgreSQL database.
            .B kith serve
            answers requests, and
            .B kith worker
            makes pings and sends messages.
            Run as many of each as you like.
            The other commands are for the operator.
            .SH COMMANDS
            \(entries.joined(separator: "\n"))
            .SH OPTIONS
            .TP
            .BI \\-\\-env\\-file " file"
            Reads variables from a file of
            .IR NAME = value
            lines, which
            .BR kith.env (5)
            describes.
            Every command takes this option.
            Variables of the environment take precedence.
            .TP
            .BR \\-h ", " \\-\\-help
            Lists the commands.
            .TP
            .B \\-\\-version
            Prints the release and the commit, like
            .BR "kith version" .
            .SH EXIT STATUS
            .TP
            .B 0
            The command succeeded.
            .TP
            .B 1
            The command failed.
            One line on standard error says why.
            .TP
            .B 64
            The arguments are wrong (EX_USAGE).
            .TP
            .B 78
            The configuration is wrong (EX_CONFIG).
            .SH FILES
            .TP
            .I /etc/kith/kith.env
            The variables of the package's servers and workers.
            .TP
            .I /etc/kith/owner.env
            The variables of the package's migration, and of the operator's commands.
            Its absence means that this machine does not migrate the database.
            .SH SEE ALSO
            .BR kith.env (5),
            .BR psql (1),
            .BR systemctl (1)
            """
    }

    /// kith.env(5).
    static func variables(_ variables: [(name: String, meaning: String)]) -> String {
        """
        .TH KITH.ENV 5 "" "Kith \(Release.version)" "File Formats"
        .SH NAME
        kith.env \\- variables that configure Kith
        .SH DESCRIPTION
        .BR kith (1)
        reads variables from its environment, and from the file that
        .B \\-\\-env\\-file
        names.
        The environment takes precedence.
        .PP
        Each line of the file is
        .IR NAME = value .
        A pair of quotes around a value is removed.
        Blank lines, and lines that begin with
        .BR # ,
        are skipped.
        An empty value counts as none.
        .PP
        A wrong value stops every command with one line that names the variable.
        So does a name that begins with KITH_ and is not listed here.
        .SH VARIABLES
        \(variables.map { ".TP\n.B \(escaped($0.name))\n\(escaped(sentence($0.meaning)))" }.joined(separator: "\n"))
        .SH EXAMPLE
        .nf
        KITH_DATABASE_URL=postgresql://kith_api:secret@db.example.com/kith
        KITH_WORKER_DATABASE_URL=postgresql://kith_worker:secret@db.example.com/kith
        KITH_MASTER_KEY_FILE=/etc/kith/master.key
        KITH_PUBLIC_URL=https://kith.example.com
        .fi
        .SH FILES
        .TP
        .I /etc/kith/kith.env
        The variables of the package's servers and workers.
        .TP
        .I /etc/kith/owner.env
        The variables of the package's migration, and of the operator's commands.
        .TP
        .IR /etc/kith/serve\\-NAME.env ", " /etc/kith/worker\\-NAME.env
        Variables of one instance, such as kith\\-serve@NAME, which take precedence over kith.env.
        .SH SEE ALSO
        .BR kith (1)
        """
    }

    /// The text with the characters that roff would interpret escaped, and in bold what stands between backticks.
    private static func escaped(_ text: String) -> String {
        let plain = text.replacingOccurrences(of: "\\", with: "\\e").replacingOccurrences(of: "-", with: "\\-")
            .replacingOccurrences(of: "…", with: "...").replacingOccurrences(of: "'", with: "\\(aq")
        let parts = plain.split(separator: "`", omittingEmptySubsequences: false)
        let bold = parts.enumerated().map { $0.offset % 2 == 1 ? "\\fB\($0.element)\\fR" : String($0.element) }.joined()
        return bold.hasPrefix(".") ? "\\&\(bold)" : bold
    }

    private static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + "."
    }
}
