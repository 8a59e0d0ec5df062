// Check-ins that are kept on this device until the server has them. Pages and the worker share this module, so it touches no page.

/**
 * When somebody tapped, in milliseconds since 1970: by this device's clock; how far the server's clock was ahead when it was last heard; and a time of the
 * server before which the tap cannot have been. `isDoubtful` says that this device's clock was set back afterwards.
 * @typedef {{ device: number, offset: number | null, since: number | null, isDoubtful: boolean }} Tap
 */

/**
 * A check-in that the server does not have yet. `tappedAt` is what is shown: the moment as far as it was known at the tap. `claimed` is the moment that
 * it was first sent with. Nothing more can be done for one that is refused, or held: it would end a call for help, which the person is asked about first.
 * @typedef {Tap & {
 *   key: string, user: string, tappedAt: number, claimed?: number, note: string, shareNote: boolean, isRefused: boolean, isHeld?: boolean
 * }} KeptCheckIn
 */

/**
 * What is known of the server and of who uses this device: the person who is signed in, and whether they have pressed "Sign out"; whether pushes to
 * somebody who has left must still be ended; how far the server's clock was ahead, and when it said so.
 * @typedef {{ user: string | null, leaves?: boolean, endsPushes?: boolean, offset: number | null, heardAt: number | null }} Facts
 */

/** How long an answer may take, in milliseconds. A network that only seems to be there must not stop the next try. */
const patience = 20_000;

/**
 * The outcome of `work`, or an error when it takes longer than that many milliseconds.
 * @template Value
 * @param {number} limit
 * @param {Promise<Value>} work
 * @returns {Promise<Value>}
 */
export function within(limit, work) {
  return Promise.race([
    work, new Promise((_, reject) => setTimeout(() => reject(new Error("the server takes too long")), limit)),
  ]);
}

/** @type {Promise<IDBDatabase> | undefined} */
let opened;

/** @returns {Promise<IDBDatabase>} */
function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("kith", 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("check-ins", { keyPath: "key" });
      request.result.createObjectStore("facts");
    };
    // A connection that is lost or was never made is made anew by the next request.
    request.onsuccess = () => {
      request.result.onclose = () => (opened = undefined);
      resolve(request.result);
    };
    request.onerror = () => {
      opened = undefined;
      reject(request.error);
    };
  });
  return opened;
}

/**
 * Runs one request on a store, and waits until it is on the disk.
 * @template Value
 * @param {string} store
 * @param {(store: IDBObjectStore) => IDBRequest<Value>} action
 * @param {IDBTransactionMode} mode
 * @returns {Promise<Value>}
 */
async function run(store, action, mode = "readwrite") {
  const transaction = (await database()).transaction(store, mode, { durability: "strict" });
  const request = action(transaction.objectStore(store));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

/** @returns {Promise<Facts>} */
export async function facts() {
  return (await run("facts", (store) => store.get("facts"), "readonly")) ?? { user: null, offset: null, heardAt: null };
}

/** @param {Facts} known */
export const remember = (known) => run("facts", (store) => store.put(known, "facts"));

/**
 * Keeps a check-in. It is on the disk when this returns.
 * @param {KeptCheckIn} checkIn
 */
export const keep = (checkIn) => run("check-ins", (store) => store.put(checkIn));

/** @param {string} key */
export const forget = (key) => run("check-ins", (store) => store.delete(key));

/**
 * The check-ins of a person, the oldest first.
 * @param {string} user
 * @returns {Promise<KeptCheckIn[]>}
 */
export async function keptBy(user) {
  const all = /** @type {KeptCheckIn[]} */ (await run("check-ins", (store) => store.getAll(), "readonly"));
  return all.filter((one) => one.user === user).sort((one, other) => one.tappedAt - other.tappedAt);
}

/**
 * Sends what is kept of the person who is signed in, each once: the tabs and the worker of this browser take turns. Others' check-ins stay.
 * @returns {Promise<{ user: string | null, sent: number, left: number }>} Who is signed in, how many were sent, and how many wait for a network or a
 * server.
 */
export async function send() {
  if (typeof navigator.locks === "undefined") return sendAll();
  return navigator.locks.request("kith-outbox", sendAll);
}

async function sendAll() {
  const answer = await within(patience, fetch("/live/session", { cache: "no-store" }));
  // Nobody is signed in, and no try will help until somebody is.
  if (answer.status === 401) return { user: null, sent: 0, left: 0 };
  if (!answer.ok) throw new Error(`the session answered ${answer.status}`);
  // The form's token is a new one: that of the page on which somebody tapped may have ended overnight.
  /** @type {{ user: string, token: string, now: number }} */
  const session = await answer.json();
  let [sent, left] = [0, 0];
  for (const checkIn of await keptBy(session.user)) {
    if (checkIn.isRefused || checkIn.isHeld) continue;
    const status = await sendOne(checkIn, session);
    if (status === 0) {
      await forget(checkIn.key);
      sent += 1;
    } else if (status === 400 || status === 422) {
      await keep({ ...checkIn, isRefused: true });
    } else if (status === 412) {
      await keep({ ...checkIn, isHeld: true });
    } else {
      left += 1;
    }
  }
  return { user: session.user, sent, left };
}

/** By how much a clock may be off before it is taken for one that was changed, in milliseconds. */
export const tolerance = 60_000;

/**
 * The moment of a tap by the server's clock, which is `now` while this device's is `clock`. People set clocks, and networks correct them: where the
 * clock was changed between the server's last word, the tap and now, the earliest of the possible moments is claimed. Whoever tapped yesterday must not
 * have tapped today. Null if nothing is known.
 * @param {Tap} tap
 * @param {number} now
 * @param {number} clock
 * @returns {number | null}
 */
export function momentOf({ device, offset, since, isDoubtful }, now, clock) {
  const moment = device + Math.min(now - clock, offset ?? Infinity);
  if (isDoubtful || moment > now + tolerance) return since === null ? null : Math.min(since, now);
  return Math.min(Math.max(moment, since ?? -Infinity), now);
}

/**
 * Sends one check-in. Returns 0 if the server has it, and the status of its refusal otherwise.
 * @param {KeptCheckIn} checkIn
 * @param {{ user: string, token: string, now: number }} session
 */
async function sendOne(checkIn, session) {
  const moment = checkIn.claimed ?? momentOf(checkIn, session.now, Date.now());
  // Nobody can say when that was, so the person is asked to check in again.
  if (moment === null) return 422;
  // Each try says the same. Otherwise the server, which may have it although no answer came, would take the next one for another.
  if (checkIn.claimed === undefined) await keep({ ...checkIn, claimed: moment });
  const form = new URLSearchParams({
    act: "safe", form: session.token, key: checkIn.key, for: checkIn.user, tapped_at: new Date(moment).toISOString(),
    note: checkIn.note, ...(checkIn.shareNote ? { share_note: "on" } : {}),
  });
  const answer = await within(patience, fetch("/today", {
    // Nobody need be here when it is sent.
    method: "POST", body: form, redirect: "manual", headers: { "Kith-Refresh": "1" },
  }));
  // The server leads on to Today when it has done what the form says.
  return answer.type === "opaqueredirect" ? 0 : answer.status;
}
