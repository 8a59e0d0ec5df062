internal import KithCountries
internal import Pages

/// The page that a browser shows without a network. It has no personal contents: it says first that nobody is told of
/// anything, and whom to call for help (K13), and lets the person who was signed in last say that they are safe, which
/// it keeps on the device until the network returns. To whoever wanted to call for help it offers no "I'm safe".
package enum OfflinePage {
    /// The path of the page.
    package static let path = "/offline"

    /// The page for a visit that is offline.
    package static func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let body: HTML = """
            <div id="offline-help" class="panel bad">
            <p class="lead"><strong>\(words("web.offline.help"))</strong></p>
            \(EmergencyNumber.link(visit))\
            <p id="offline-unsent" hidden>\(words("web.help.unsent_text"))</p>
            </div>
            <h1>\(words("web.offline.heading"))</h1>
            <p class="lead">\(words("web.offline.text"))</p>
            <form id="offline-check-in" method="post" action="\(TodayScreen.path)" hidden>
            <button class="button main big deliberate" name="\(FormFields.act)" value="safe">\(words("web.today.safe"))</button>
            <p class="hint">\(words("web.offline.hint"))</p>
            </form>
            <p><a class="inline" href="\(TodayScreen.path)">\(words("web.offline.again"))</a></p>

            """
        return ScreenPage(title: words("web.offline.heading"), body: body)
    }
}
