// Shared by the modules of a page: its texts, its user, and how a page is fetched and replaces the current one.

/** The id of the person whose page this is; null on pages without a sign-in. */
export const user = document.body.dataset.user ?? null;

/** @param {string} id */
export const byID = (id) => document.getElementById(id);

/**
 * The name of a header that tells the server that a page is fetched to bring another up to date, so that it leaves the notice to the next one, and
 * whether somebody sees that page.
 */
const refreshing = "Kith-Refresh";

/** How long an answer may take, in milliseconds. */
const patience = 20_000;

/** @type {any} */
const trusted = /** @type {any} */ (window).trustedTypes;

/**
 * The only way to text that becomes elements or a script (Trusted Types): answers of this site, and its worker. A page has one: while two releases
 * serve, it can load this module from both.
 */
const policy = /** @type {any} */ (window).kithPolicy ??= trusted?.createPolicy("kith", {
  createHTML: (/** @type {string} */ text) => text,
  createScriptURL: (/** @type {string} */ address) => {
    if (!address.startsWith("/worker.js?")) throw new TypeError(`${address} is no worker of this site`);
    return address;
  },
});

/**
 * The address of the worker, as the browser wants it.
 * @param {string} address
 * @returns {string}
 */
export const workerAddress = (address) => policy?.createScriptURL(address) ?? address;

/**
 * Fetches the page that is shown, as it is now. Null if it is no longer the page of the same person.
 * @returns {Promise<Document | null>}
 */
export async function fetchPage() {
  const mode = document.visibilityState === "visible" ? "seen" : "unseen";
  // A fetch without an end would be the last one: the page would stay as it is.
  const end = new AbortController();
  setTimeout(() => end.abort(), patience);
  const answer = await fetch(location.href, { headers: { [refreshing]: mode }, cache: "no-store", signal: end.signal });
  // Too many requests, or a server that is not there now: the next try comes later.
  if (answer.status === 429 || answer.status >= 500) throw new Error(`the page answered ${answer.status}`);
  const text = await answer.text();
  const page = new DOMParser().parseFromString(policy?.createHTML(text) ?? text, "text/html");
  return page.body.dataset.user === document.body.dataset.user ? page : null;
}

/**
 * The time of day of a moment, as the page's reader has it.
 * @param {number} moment in milliseconds since 1970
 */
export function time(moment) {
  const form = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: document.body.dataset.zone };
  return new Intl.DateTimeFormat(document.documentElement.lang, /** @type {any} */ (form)).format(moment);
}

/**
 * A text of the page with the time filled in.
 * @param {string | undefined} text
 * @param {number} moment
 */
export const timed = (text, moment) => (text ?? "").replace("{time}", time(moment));

/**
 * Lets a screen reader say something when it is idle.
 * @param {string} text
 */
export function say(text) {
  const said = byID("said");
  if (said) said.textContent = text;
}

/** How far the server's clock is ahead of this device's, in milliseconds, as the page arrived. */
export function clockOffset() {
  const [arrival] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  const now = Number(document.body.dataset.now);
  return now > 0 && arrival ? now - (performance.timeOrigin + arrival.responseStart) : null;
}

/**
 * A time that the server's clock has passed, in milliseconds since 1970: when it made this page, and what has gone by since, by a clock that nobody sets
 * and that may stand still while the device sleeps. Null on a page that did not come from the server.
 */
export function serverTimeAtLeast() {
  const [arrival] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  const now = Number(document.body.dataset.now);
  return now > 0 && arrival ? Math.round(now + performance.now() - arrival.responseStart) : null;
}

/**
 * Loads the page anew though nobody has asked for it. The server must not take that for somebody's use of Kith, and a navigation has no headers of a
 * module's, so a cookie of some seconds says so.
 */
export function reloadUnasked() {
  document.cookie = "kith_unasked=1; Max-Age=5; Path=/; SameSite=Strict";
  location.reload();
}
