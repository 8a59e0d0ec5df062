internal import Crypto
internal import Foundation

/// A page's style sheet. It uses the system's font and colour scheme, and text of any size.
package struct PageStyle: Sendable {
    package let sheet: HTML
    /// The style sheet as a source for a Content-Security-Policy (CSP Level 3, section 2.3.1).
    package let source: String

    package init(_ sheet: HTML) {
        self.sheet = sheet
        source = "sha256-" + Data(sha256(sheet.text.utf8)).base64EncodedString()
    }

    /// A single column. Text colours have a contrast of at least 7:1 in both schemes (WCAG 2.2, 1.4.6).
    package static let plain = PageStyle(
        """
        :root{color-scheme:light dark;--ground:#fff;--text:#1b1f24;--quiet:#454c54;--panel:#eef2f7;--accent:#0842a0;\
        --on-accent:#fff;--alarm:#8c1d18}\
        @media (prefers-color-scheme:dark){:root{--ground:#14171a;--text:#eceff1;--quiet:#bcc3ca;--panel:#22272d;\
        --accent:#a8c7fa;--on-accent:#062e6f;--alarm:#f2b8b5}}\
        *{box-sizing:border-box}\
        body{margin:0;background:var(--ground);color:var(--text);font:1.0625rem/1.5 system-ui,sans-serif}\
        main{max-width:34rem;margin:0 auto;padding:2rem 1.25rem 3rem;overflow-wrap:anywhere}\
        h1{font-size:1.75rem;line-height:1.2;margin:0 0 .75rem}\
        h2{font-size:1rem;font-weight:600;margin:0;color:var(--quiet)}\
        main>h2{margin:2rem 0 .75rem}\
        p{margin:0 0 1rem}\
        a{color:var(--accent)}\
        .brand{font-weight:700;margin:0 0 1.5rem}\
        .brand img{width:2rem;height:2rem;border-radius:.375rem;background:#fff;vertical-align:middle;\
        margin:-.375rem 0;margin-inline-end:.5rem}\
        .panel{background:var(--panel);border-radius:1rem;padding:1.25rem 1rem;margin:1.5rem 0;text-align:center}\
        .panel p:last-child{margin-bottom:0}\
        .code{font-size:clamp(2.25rem,13vw,4rem);line-height:1.2;font-weight:700;margin:.25rem 0 0;\
        font-variant-numeric:tabular-nums;user-select:all;-webkit-user-select:all}\
        .code span{display:inline-block;padding:0 .06em}\
        .code span:nth-child(4){margin-left:.3em}\
        ol{padding-left:1.5rem;margin:0 0 1.5rem}\
        li{margin:0 0 .5rem}\
        .button{display:block;background:var(--accent);color:var(--on-accent);text-align:center;text-decoration:none;\
        font-weight:600;padding:.875rem 1rem;border-radius:.75rem;margin:0 0 1rem}\
        label{display:block;font-weight:600;margin:0 0 .375rem}\
        input{width:100%;font:inherit;color:inherit;background:var(--ground);border:2px solid var(--quiet);\
        border-radius:.75rem;padding:.75rem 1rem;margin:0 0 1rem}\
        button{width:100%;min-height:3rem;font:inherit;font-weight:600;border:0;cursor:pointer}\
        button.plain{background:none;color:var(--accent);border:2px solid;border-radius:.75rem;padding:.75rem 1rem;\
        margin:0 0 1rem}\
        button.first{width:calc(55% - .5rem)}\
        button.second{width:calc(45% - .5rem)}\
        button.second{margin-inline-start:auto;display:block;animation:second .8s}\
        @keyframes second{from,99%{pointer-events:none}to{pointer-events:auto}}\
        details{margin:0 0 1rem}\
        summary{cursor:pointer;color:var(--accent);padding:.75rem 0}\
        .notice{border-left:4px solid var(--alarm);color:var(--alarm);font-weight:600;padding:.25rem 0 .25rem .875rem;\
        margin:0 0 1.5rem}\
        .day{display:flex;gap:1rem;align-items:center;border-radius:1rem;padding:1rem;margin:0 0 1rem;background:var(--panel)}\
        .day h1{margin:0}\
        .day.bad{color:var(--alarm);outline:2px solid}\
        .shape{fill:currentColor;width:clamp(3rem,4rem,20vw);flex:none}\
        .lead{font-size:1.25rem}\
        .button.big{font-size:1.5rem;min-height:5rem}\
        .button.destructive{background:none;color:var(--alarm);border:2px solid}\
        .card{font-size:1.25rem;font-weight:700;margin:0}\
        :is(a,input,button,summary):focus-visible{outline:3px solid var(--text);outline-offset:3px}\
        .quiet{color:var(--quiet);font-size:.9375rem}
        """)
}
