// "I'm safe" without a network: the tap is kept on this device first, and then sent.
import { facts, forget, keep, keptBy, remember, send, tolerance, within } from "./outbox.js";
import { byID, clockOffset, reloadUnasked, say, serverTimeAtLeast, timed, user } from "./page.js";
import { endPushes } from "./push.js";
import { refresh } from "./regions.js";

/** How often to try again while something is kept, in milliseconds. */
const pause = 15_000;

const isOffline = "offline" in document.body.dataset;
const channel = new BroadcastChannel("kith-outbox");
/** The person whose check-ins this page keeps: who is signed in, or was last. */
let owner = user;
/** Whether nobody is signed in who could send what is kept, as the last try has found. */
let isSignedOut = false;
/** What is being sent now, so that the next try waits for its end. */
let sending = Promise.resolve(false);
/**
 * The taps of this page: this device's clock then, which people and networks set, and one that only runs on.
 * @type {Map<string, { device: number, steady: number }>}
 */
const taps = new Map();

/**
 * The refused and held check-ins that this page shows: nothing more can be done for them once they have been read.
 * @type {string[]}
 */
let read = [];

/** Makes the buttons of this page keep what they send, and sends what is kept. */
export async function start() {
  const known = await facts();
  const isLeft = await hasLeft(known);
  if (!isLeft) owner ??= known.user;
  const endsPushes = isLeft || known.endsPushes === true;
  if (user || isLeft) {
    const [offset, heardAt] = [clockOffset() ?? known.offset, serverTimeAtLeast() ?? known.heardAt];
    // On a full disk, what was kept before is sent all the same.
    await remember({ user, offset, heardAt, endsPushes }).catch(() => {});
  }
  // Each page tries until one has succeeded.
  if (endsPushes) void endPushes().catch(() => {});
  addEventListener("submit", (event) => void onSubmit(event), true);
  channel.onmessage = () => {
    void show();
    void refresh("*");
  };
  const button = byID("offline-check-in");
  // A person who wanted to call for help is not offered "I'm safe".
  const isForHelp = location.pathname === "/help";
  if (button && owner && !isForHelp) button.hidden = false;
  const unsent = byID("offline-unsent");
  if (unsent && isForHelp) unsent.hidden = false;
  byID("kept-send")?.addEventListener("click", (event) => void tryNow(/** @type {HTMLButtonElement} */ (event.currentTarget)));
  for (const change of ["online", "kith-live"]) addEventListener(change, () => void sendLater());
  document.addEventListener("visibilitychange", () => void sendLater());
  setInterval(() => void sendLater(), pause);
  // Not while something is being sent, whose answer would be lost.
  if (isOffline) addEventListener("online", () => void sendLater().finally(() => reloadUnasked()));
  addEventListener("pagehide", () => read.forEach((key) => void forget(key)));
  await sendLater();
}

/**
 * Whether this browser is no longer that of the person whom it knows: somebody else has signed in, or the server has ended their sign-in as they asked.
 * @param {import("./outbox.js").Facts} known
 */
async function hasLeft(known) {
  if (!known.user || user === known.user || isOffline) return false;
  if (user) return true;
  return known.leaves === true && (await fetch("/live/session", { cache: "no-store" }).catch(() => null))?.status === 401;
}

/** Sends what was kept before, and then shows what that changed. */
async function sendLater() {
  if (await sendNow()) await refresh("*");
}

/**
 * Tries at once because somebody wants to, and says what came of it.
 * @param {HTMLButtonElement} button
 */
async function tryNow(button) {
  const tried = byID("kept-tried");
  button.disabled = true;
  button.dataset.busy = "";
  if (tried) tried.textContent = "";
  const isSent = await sendNow().catch(() => false);
  button.disabled = false;
  delete button.dataset.busy;
  if (isSent) return location.assign("/today");
  if (tried && !isSignedOut) tried.textContent = timed(byID("kept")?.dataset.failed, Date.now() + (clockOffset() ?? 0));
}

/** @param {SubmitEvent} event */
async function onSubmit(event) {
  const button = event.submitter;
  if (!(event.target instanceof HTMLFormElement) || !(button instanceof HTMLButtonElement)) return;
  if (button.value.startsWith("sign-out") && !(await mayLeave(event, event.target, button))) return;
  if (button.value !== "safe" || !owner) return;
  event.preventDefault();
  const form = new FormData(event.target);
  const [device, steady] = [Date.now(), performance.now()];
  const key = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  button.disabled = true;
  button.dataset.busy = "";
  try {
    const { offset, heardAt } = await facts();
    await keep({
      key, user: owner, device, offset, tappedAt: device + (offset ?? 0), isDoubtful: false,
      since: serverTimeAtLeast() === null ? heardAt : Math.max(serverTimeAtLeast() ?? 0, heardAt ?? 0),
      note: String(form.get("note") ?? ""), shareNote: form.has("share_note"), isRefused: false,
    });
    taps.set(key, { device, steady });
  } catch {
    // A browser that keeps nothing, as some do in private windows, sends the form as without this module.
    button.disabled = false;
    event.target.append(Object.assign(document.createElement("input"), { type: "hidden", name: "act", value: "safe" }));
    event.target.submit();
    return;
  }
  const isSent = await sendNow().catch(() => false);
  button.disabled = false;
  delete button.dataset.busy;
  if (isSent) return location.assign("/today");
  // The person has called for help since this page was made, and is asked first.
  if ((await keptBy(owner)).some((one) => one.key === key && one.isHeld)) {
    await forget(key);
    return location.assign("/help/end");
  }
  const registration = await navigator.serviceWorker?.getRegistration();
  // Background Sync, where it exists, sends it even when every page is closed.
  await /** @type {any} */ (registration)?.sync?.register("check-in").catch(() => {});
  byID("kept")?.focus();
}

/**
 * Asks before a sign-out that leaves check-ins behind. They stay, and are sent after the same person has signed in again.
 * @param {SubmitEvent} event
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement} button
 */
async function mayLeave(event, form, button) {
  if (form.dataset.asked === "yes") return true;
  event.preventDefault();
  const kept = owner ? (await keptBy(owner)).length : 0;
  if (kept > 0 && !confirm(byID("kept")?.dataset.leave)) return false;
  // Without a network nobody signs out.
  await remember({ ...(await facts()), leaves: true }).catch(() => {});
  form.dataset.asked = "yes";
  form.requestSubmit(button);
  return false;
}

/**
 * Sends what is kept. Returns whether something was sent and nothing waits.
 * @returns {Promise<boolean>}
 */
function sendNow() {
  // One failure must not be the last try.
  sending = sending.catch(() => false).then(sendOnce);
  return sending;
}

async function sendOnce() {
  if (!owner || (await keptBy(owner)).length === 0) {
    await show();
    return false;
  }
  try {
    await doubt(owner);
    const { user: signedIn, sent, left } = await within(10_000, send());
    isSignedOut = signedIn !== owner;
    if (sent > 0) channel.postMessage("sent");
    return sent > 0 && left === 0;
  } catch {
    return false;
  } finally {
    await show();
  }
}

/**
 * Marks the taps of this page after which the clock was set back: it was ahead when somebody tapped, and nobody knows by how much.
 * @param {string} person
 */
async function doubt(person) {
  for (const checkIn of await keptBy(person)) {
    const tap = taps.get(checkIn.key);
    const isSetBack = tap && Date.now() - tap.device < performance.now() - tap.steady - tolerance;
    if (isSetBack && !checkIn.isDoubtful && checkIn.claimed === undefined) await keep({ ...checkIn, isDoubtful: true });
  }
}

/** Shows what is kept, or that nothing is. */
async function show() {
  const panel = byID("kept");
  const list = byID("kept-list");
  if (!panel || !list) return;
  const kept = owner ? await keptBy(owner) : [];
  const { refused, held, tapped } = panel.dataset;
  const texts = kept.map((one) => timed(one.isRefused ? refused : one.isHeld ? held : tapped, one.tappedAt));
  const waits = kept.some((one) => !one.isRefused && !one.isHeld);
  const text = byID("kept-text");
  const says = !waits ? "" : isSignedOut ? panel.dataset.signedOut ?? "" : panel.dataset.waits ?? "";
  if (list.textContent !== texts.join("") || text?.textContent !== says) {
    if (text) text.textContent = says;
    list.replaceChildren(...texts.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
    if (texts.length > 0) say(`${panel.querySelector("h2")?.textContent}. ${says} ${texts.join(" ")}`);
  }
  const parts = { "kept-sign-in": waits && isSignedOut, "kept-send": waits && !isSignedOut, "kept-ask": kept.some((one) => one.isHeld) };
  for (const [id, isShown] of Object.entries(parts)) byID(id)?.toggleAttribute("hidden", !isShown);
  panel.hidden = kept.length === 0;
  read = waits ? [] : kept.map(({ key }) => key);
}
