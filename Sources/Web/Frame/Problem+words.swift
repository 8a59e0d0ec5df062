package import Problems
internal import Texts

extension Problem {
    /// What a person reads about the problem.
    package func text(in words: Words) -> String { self.words(forPerson: words.texts).detail }
}

extension Words {
    /// The message about a field in the language of the page. The rules word it in English; one that a page has worded
    /// stays as it is.
    package func message(_ english: String) -> String {
        guard !texts.isPlainEnglish, let (key, values) = texts.catalogue.message(english) else { return english }
        return self(key, values.mapValues { .words($0) })
    }

    /// The detail or the message of a refusal within an answer, in the language of the page.
    package func refusal(_ english: String) -> String {
        guard !texts.isPlainEnglish, let (key, values) = texts.catalogue.detail(english) else {
            return message(english)
        }
        return self(key, values.mapValues { .words($0) })
    }
}
