// One stream of events for all tabs of a person. The tab that holds the lock reads it and tells the others; when it closes, another takes over.
import { byID, clockOffset, reloadUnasked, say, timed, user } from "./page.js";
import { age, refresh } from "./regions.js";

/**
 * What the reading tab tells the others: an event, that the stream is open and since when it has missed nothing, or that it is lost. A tab
 * that has just opened asks for what happened since its page was made.
 * @typedef {{ kind: "event", type: string } | { kind: "alive", since: number } | { kind: "lost" } | { kind: "hello", after: number }} Word
 */

/** How long a stream may be silent, in milliseconds. The server says something every 15 seconds. */
const silence = 35_000;
/** How long the tab that reads may say nothing, in milliseconds: it says at least when a try begins, and when it has failed. */
const sleep = silence + 5000;
/** For how long a page may not show what has happened and still be called live, in milliseconds. */
const oldest = 10_000;
/** How often a page that waits for something that no event tells is fetched anew, in milliseconds. */
const waiting = 20_000;
/** How often any page is fetched anew, in milliseconds of the clock: what it shows is of a day, and days end. */
const quarter = 900_000;
/** The pauses before the next try, in milliseconds. */
const pauses = [500, 1000, 2000, 5000, 10_000];
/** The oldest place to go on from, in milliseconds: fetching the page once costs less than many old events. */
const oldestPlace = 600_000;

const name = `kith-stream-${user}`;
const place = `kith-place-${user}`;
const channel = new BroadcastChannel(name);

/** When the page was last known to be live, in milliseconds since 1970. */
let lastSign = performance.timeOrigin;
/** When the tab that reads last said something, or this tab last took its place. */
let lastWord = Date.now();
/** When the page was last fetched because of the time alone, by the server's clock. */
let lastLook = Date.now() + (clockOffset() ?? 0);
/** Up to when the page shows everything, if the stream has missed nothing since then. */
let shown = performance.timeOrigin;
/** Since when the stream has missed nothing. */
let since = Infinity;
let isLive = false;
/** Whether the tab that reads said at last that its stream is open. */
let isOpen = false;
let isReader = false;
/** The number of the last loop that reads: one that has lost the lock must not go on when this tab gets it again. */
let turn = 0;
/** @type {{ at: number, type: string }[]} The last events that this tab has read. */
let recent = [];
/** @type {AbortController | undefined} */
let reading;

/** Follows the events of the page's person. */
export function follow() {
  channel.onmessage = (/** @type {MessageEvent<Word>} */ { data }) => {
    if (data.kind !== "hello") return hear(data);
    if (!isReader) return;
    if (!isOpen) return channel.postMessage({ kind: "lost" });
    for (const { at, type } of recent) if (at > data.after) channel.postMessage({ kind: "event", type });
    channel.postMessage({ kind: "alive", since });
  };
  channel.postMessage({ kind: "hello", after: performance.timeOrigin });
  void lead(false);
  setInterval(watch, 1000);
  document.addEventListener("visibilitychange", watch);
  // The connection of another network never ends by itself.
  for (const change of ["online", "offline"]) addEventListener(change, () => reading?.abort());
}

/**
 * Waits until this tab may read the stream, and reads it. A tab that is seen takes the lock from one that has fallen asleep with it.
 * @param {boolean} steals
 */
async function lead(steals) {
  if (!navigator.locks) return read();
  try {
    await navigator.locks.request(name, { steal: steals }, read);
  } catch {
    // Another tab has taken the lock.
    isReader = false;
    reading?.abort();
    void lead(false);
  }
}

/** Reads the stream for as long as this tab lives. */
async function read() {
  isReader = true;
  turn += 1;
  const mine = turn;
  for (let failures = 0; isReader && turn === mine; failures += 1) {
    reading = new AbortController();
    if (!isLive) tell({ kind: "lost" });
    try {
      if (!(await readOnce(reading, () => (failures = 0)))) return;
      // The server ends a stream now and then. The next one continues where this one ended.
    } catch {
      if (isReader && turn === mine) tell({ kind: "lost" });
    }
    if (!isReader || turn !== mine) return;
    await new Promise((done) => setTimeout(done, pauses[Math.min(failures, pauses.length - 1)]));
  }
}

/**
 * Reads one connection to its end. Returns false if there is nothing more to read, because the sign-in has ended.
 * @param {AbortController} control
 * @param {() => void} opened
 */
async function readOnce(control, opened) {
  let timer = 0;
  const wake = () => {
    clearTimeout(timer);
    timer = setTimeout(() => control.abort(), silence);
  };
  wake();
  try {
    const known = position();
    const answer = await fetch("/live/events", {
      headers: known ? { "Last-Event-ID": known.id } : {}, cache: "no-store", signal: control.signal,
    });
    if (answer.status === 401) {
      reloadUnasked();
      return false;
    }
    if (!answer.ok || !answer.body) throw new Error(`the stream answered ${answer.status}`);
    opened();
    since = known ? Math.min(since, known.at) : Date.now();
    // The stream begins where this page ends.
    if (known?.isOwn) shown = Math.max(shown, known.at);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return true;
      wake();
      text += value;
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      blocks.forEach(take);
      tell({ kind: "alive", since });
    }
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Takes one event (HTML Standard, "Server-sent events").
 * @param {string} block
 */
function take(block) {
  /** @type {Record<string, string>} */
  const fields = {};
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).trim();
  }
  if (fields.event) {
    const type = fields.event === "reset" ? "*" : fields.event;
    recent = [...recent.slice(-99), { at: Date.now(), type }];
    tell({ kind: "event", type });
  }
  if (fields.id) localStorage.setItem(place, JSON.stringify({ id: fields.id, at: Date.now() }));
}

/**
 * The place up to which this page shows every event; null if there is none. A page that has heard a stream has heard what came before the place;
 * any other shows it if it was made later. Some pages name their own place.
 * @returns {{ id: string, at: number, isOwn?: boolean } | null}
 */
function position() {
  const own = document.body.dataset.place;
  const [arrival] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  // Whatever other tabs have not heard before this page arrived, they fetch anew.
  if (own && arrival && since === Infinity) return { id: own, at: performance.timeOrigin + arrival.responseStart, isOwn: true };
  const kept = JSON.parse(localStorage.getItem(place) ?? "null");
  if (!kept || Date.now() - kept.at > oldestPlace) return null;
  return since < Infinity || kept.at < performance.timeOrigin ? kept : null;
}

/**
 * Tells all tabs, this one included.
 * @param {Word} word
 */
function tell(word) {
  channel.postMessage(word);
  hear(word);
}

/** @param {Word} word */
function hear(word) {
  lastWord = Date.now();
  if (word.kind === "lost") {
    isOpen = false;
    return setLive(false);
  }
  lastSign = Date.now();
  if (word.kind === "event") return void refresh(word.type);
  if (word.kind !== "alive") return;
  since = word.since;
  if (since > shown) void refresh("*");
  shown = Math.max(shown, since);
  isOpen = true;
  setLive(age() <= oldest);
}

/** Says when the stream has been silent for too long, or the page cannot be fetched, even if nobody told so. */
function watch() {
  const now = Date.now();
  const quiet = now - lastSign;
  setLive(isOpen && quiet <= silence && age() <= oldest);
  // A browser stops tabs that nobody sees, and the stream with them.
  if (now - lastWord > sleep && !isReader && document.visibilityState === "visible" && navigator.locks) {
    lastWord = now;
    void lead(true);
  }
  if (!isLive && quiet > 5000) showState();
  // While the stream is lost, the server may be down, and the page is not fetched either.
  if (!isOpen) return;
  const pause = document.querySelector("[data-waits]") ? waiting : quarter;
  const look = now + (clockOffset() ?? 0);
  if (Math.floor(look / pause) === Math.floor(lastLook / pause)) return;
  lastLook = look;
  // Not everybody at once.
  setTimeout(() => void refresh("*"), Math.random() * Math.min(pause / 4, 20_000));
}

/** @param {boolean} live */
function setLive(live) {
  if (isLive === live) return;
  isLive = live;
  document.body.toggleAttribute("data-is-live", live);
  showState();
  if (live) dispatchEvent(new Event("kith-live"));
}

/** Says that the page is not live, and since when. */
function showState() {
  const bar = byID("stream");
  const text = isLive ? "" : timed(bar?.dataset.lost, Math.min(lastSign, Date.now() - age()) + (clockOffset() ?? 0));
  if (!bar || bar.textContent === text) return;
  if (!text) say(bar.dataset.again ?? "");
  else if (!bar.textContent) say(text);
  bar.textContent = text;
}
