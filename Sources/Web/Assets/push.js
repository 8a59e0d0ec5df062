// Pushes to this browser.
import { facts, remember, within } from "./outbox.js";

/** How long a browser may take to reach its push service, in milliseconds. */
const patience = 20_000;

/**
 * Enhances the form with `data-push`: its button subscribes this browser with the key in `data-push`, and the form sends the subscription. What
 * the browser cannot do, it says: the elements with `data-push-says` are hidden but for `blocked`, `install`, `unsupported`, `failed` or `listed`.
 */
export async function offer() {
  const form = document.querySelector("form[data-push]");
  if (!(form instanceof HTMLFormElement)) return;
  form.addEventListener("submit", (event) => {
    if (form.dataset.isFilled === "yes") return;
    event.preventDefault();
    const button = event.submitter;
    if (button instanceof HTMLButtonElement) button.disabled = true;
    // A push service that is out of reach refuses the subscription, or never answers.
    subscribe(form, button).catch(() => showObstacle(form, "failed")).finally(() => {
      if (button instanceof HTMLButtonElement) button.disabled = false;
    });
  });
  showObstacle(form, obstacle() ?? ((await isListed()) ? "listed" : null));
}

/** Ends the pushes to this browser. The push service tells the server of it when the next one arrives. */
export async function endPushes() {
  const registration = await navigator.serviceWorker?.getRegistration().catch(() => undefined);
  const subscription = await registration?.pushManager?.getSubscription().catch(() => null);
  if (subscription && !(await subscription.unsubscribe())) return;
  await remember({ ...(await facts()), endsPushes: false });
}

/** Whether the page lists this browser among the devices that get pushes. */
async function isListed() {
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager.getSubscription().catch(() => null);
  const listed = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("input[name=token]"));
  return Boolean(subscription) && [...listed].some(({ value }) => value === subscription?.endpoint);
}

/**
 * @param {HTMLFormElement} form
 * @param {string | null} problem
 */
function showObstacle(form, problem) {
  for (const text of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-push-says]"))) {
    text.hidden = text.dataset.pushSays !== problem;
  }
  form.hidden = problem !== null;
}

/** Why this browser gets no pushes; null if it can. */
function obstacle() {
  if ("PushManager" in window && "Notification" in window) {
    return Notification.permission === "denied" ? "blocked" : null;
  }
  // On iPhone and iPad only a page on the Home Screen gets pushes.
  const isApple = /iPhone|iPad/.test(navigator.userAgent) || navigator.maxTouchPoints > 1 && /Macintosh/.test(navigator.userAgent);
  return isApple && !matchMedia("(display-mode: standalone)").matches ? "install" : "unsupported";
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} button
 */
async function subscribe(form, button) {
  if ((await Notification.requestPermission()) !== "granted") return showObstacle(form, obstacle());
  // Otherwise it would be the subscription of whoever used this browser before.
  await within(patience, endPushes());
  const registration = await navigator.serviceWorker.ready;
  const subscription = await within(patience, registration.pushManager.subscribe({
    userVisibleOnly: true, applicationServerKey: form.dataset.push,
  }));
  const { endpoint, keys } = subscription.toJSON();
  for (const [name, value] of Object.entries({ endpoint, p256dh: keys?.p256dh, auth: keys?.auth })) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement) field.value = value ?? "";
  }
  form.dataset.isFilled = "yes";
  if (button instanceof HTMLButtonElement) button.disabled = false;
  form.requestSubmit(button);
}
