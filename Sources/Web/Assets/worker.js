// The service worker: it opens a page without a network, sends kept check-ins when the network returns, and shows pushes. It keeps files that are
// the same for everybody and one page that shows nothing private; no page of a person is kept.
import { send } from "./outbox.js";

/**
 * An event of Background Sync (WICG), which TypeScript does not know.
 * @typedef {ExtendableEvent & { tag: string }} SyncEvent
 */
const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

const cacheName = "kith";
/** The page that is shown without a network, in the language and with the brand of whoever signed in last on this device. */
const offlinePage = `/offline${worker.location.search}`;

worker.addEventListener("install", (event) => event.waitUntil(install()));
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));

async function install() {
  const page = await fetch(offlinePage, { cache: "no-store" });
  if (!page.ok) throw new Error(`the offline page answered ${page.status}`);
  const files = [...new Set((await page.clone().text()).match(/\/assets\/[\w.-]+/g))];
  const cache = await caches.open(cacheName);
  await Promise.all(files.map(async (file) => (await cache.match(file)) ?? keep(cache, file)));
  await cache.put("/offline", page);
  for (const { url } of await cache.keys()) {
    const { pathname } = new URL(url);
    if (pathname !== "/offline" && !files.includes(pathname)) await cache.delete(url);
  }
  await worker.skipWaiting();
}

/**
 * Keeps a file. While two releases serve, the address of one may be answered with the other's file, which must not be kept under it.
 * @param {Cache} cache
 * @param {string} file
 */
async function keep(cache, file) {
  const answer = await fetch(file);
  if (!answer.ok) throw new Error(`${file} answered ${answer.status}`);
  if (answer.headers.get("Cache-Control") !== "no-store") await cache.put(file, answer);
}

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== worker.location.origin) return;
  if (request.method === "POST" && request.mode === "navigate" && pathname === "/help") event.respondWith(callForHelp(request));
  if (request.method !== "GET") return;
  if (request.mode === "navigate") event.respondWith(open(request));
  else if (pathname.startsWith("/assets/")) event.respondWith(file(request));
});

/** @param {Request} request */
async function open(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match("/offline");
    if (!kept) throw error;
    return kept;
  }
}

/**
 * Sends a call for help once. Where that fails, the page that follows says that nobody has been told. A later load of it is a GET, so that no call is
 * sent by itself.
 * @param {Request} request
 */
async function callForHelp(request) {
  try {
    const answer = await fetch(request);
    // A proxy in front of the server, which cannot reach it, says nothing of that.
    if (answer.status !== 502 && answer.status !== 504) return answer;
  } catch {
    // No network.
  }
  return Response.redirect("/help?unsent=1", 303);
}

/** @param {Request} request */
const file = async (request) => (await caches.match(request)) ?? fetch(request);

worker.addEventListener("sync", (event) => {
  const { tag, waitUntil } = /** @type {SyncEvent} */ (event);
  if (tag === "check-in") waitUntil.call(event, sendKept());
});

async function sendKept() {
  const { sent, left } = await send();
  if (sent > 0) new BroadcastChannel("kith-outbox").postMessage("sent");
  // The browser tries again later.
  if (left > 0) throw new Error("check-ins are left");
}

worker.addEventListener("push", (event) => {
  /** @type {{ title?: string, body?: string, data?: Record<string, unknown> }} */
  const { title, body, data } = event.data?.json() ?? {};
  event.waitUntil(worker.registration.showNotification(title ?? "", { body, data }));
});

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { about } = event.notification.data ?? {};
  // The server says where that is.
  const isNamed = /^[a-z_]+$/.test(about?.type ?? "") && /^[0-9a-f-]{36}$/.test(about?.id ?? "");
  event.waitUntil(show(isNamed ? `/go/${about.type}/${about.id}` : "/today"));
});

/**
 * Shows a page of this site: in a window that is open, or in a new one.
 * @param {string} path
 */
async function show(path) {
  const [window] = await worker.clients.matchAll({ type: "window" });
  if (!window) return worker.clients.openWindow(path);
  await window.focus();
  return window.navigate(path);
}
