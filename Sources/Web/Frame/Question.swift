internal import Pages
internal import Texts

/// A page that asks before a destructive act: it says what will happen, and has a button that confirms and a link back.
struct Question {
    /// The prefix of the keys: `title`, `message` and `confirm`.
    private let key: String
    private let message: String
    private let values: [String: String]
    private let act: String
    private let cancel: String
    private let section: ScreenPage.Section
    /// Fields that the form carries along.
    private let carried: [String: String]

    /// Creates the question with the texts `key.title`, `key.message` (unless another `message` is given) and
    /// `key.confirm`. `values` are names in them.
    init(
        _ key: String, message: String? = nil, values: [String: String] = [:], act: String, cancel: String,
        section: ScreenPage.Section, carried: [String: String] = [:]
    ) {
        self.key = key
        self.message = message ?? "\(key).message"
        self.values = values
        self.act = act
        self.cancel = cancel
        self.section = section
        self.carried = carried
    }

    func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("\(key).title", values.mapValues { .name($0) })
        let names = values.mapValues { value -> HTML in "\(name: value)" }
        var fields: HTML = ""
        for (name, value) in carried.sorted(by: { $0.key < $1.key }) { fields += visit.hidden(name, value) }
        return ScreenPage(
            title: title, section: section,
            body: """
                <h1>\(words.html("\(key).title", names))</h1>
                <p class="lead">\(words.html(message, names))</p>
                \(visit.form("\(fields)\(visit.button(act, words("\(key).confirm"), .destructive))"))
                <a class="button plain" href="\(cancel)">\(words("button.cancel"))</a>

                """)
    }
}
