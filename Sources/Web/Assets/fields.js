// Small conveniences of single fields and texts.
import { reloadUnasked } from "./page.js";

/** The parts that are as they should be. */
const known = new WeakSet();

/**
 * The elements that have not been found before.
 * @param {string} selector
 */
function all(selector) {
  const found = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(selector)]).filter((element) => !known.has(element));
  found.forEach((element) => known.add(element));
  return found;
}

/** Makes the parts of the page nicer that ask for it, also those that come later. */
export function enhance() {
  enhanceNew();
  addEventListener("kith-shown", enhanceNew);
}

function enhanceNew() {
  for (const field of all("input.code-field")) {
    if (!(field instanceof HTMLInputElement)) continue;
    digitsOnly(field);
    sendsOnce(field.form);
  }
  for (const field of all("input[data-zone]")) if (field instanceof HTMLInputElement) proposeZone(field);
  for (const text of all("time[data-countdown]")) countDown(text);
  for (const button of all("button[data-copy]")) copies(button);
  for (const button of all("button[data-share]")) shares(button);
}

/**
 * Leaves only digits of what is typed or pasted, such as "123 456". Nothing is sent by itself: people check what they typed.
 * @param {HTMLInputElement} field
 */
function digitsOnly(field) {
  field.addEventListener("input", () => {
    const digits = field.value.normalize("NFKC").replace(/\D/g, "").slice(0, 6);
    if (field.value !== digits) field.value = digits;
  });
}

/** For how long a form that has been sent is not sent again, in milliseconds. */
const patience = 10_000;

/**
 * Sends a form once where its button is pressed twice: a code works once, so the second answer, which the browser shows, would call it wrong. Whoever
 * waits for longer can send it again.
 * @param {HTMLFormElement | null} form
 */
function sendsOnce(form) {
  let sent = -Infinity;
  form?.addEventListener("submit", (event) => {
    if (performance.now() - sent < patience) event.preventDefault();
    else sent = performance.now();
  });
}

/**
 * Proposes the city of this device's time zone where none is chosen yet, with its country if there are others of that name.
 * @param {HTMLInputElement} field
 */
function proposeZone(field) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (field.value || !zone?.includes("/") || zone.startsWith("Etc/")) return;
  const city = zone.split("/").at(-1)?.replaceAll("_", " ") ?? "";
  field.value = [...(field.list?.querySelectorAll("option") ?? [])].find(({ dataset }) => dataset.city === city)?.value ?? city;
}

/**
 * Counts down to `datetime` on the server's clock: hours, minutes and seconds. At the end the page is loaded anew. A screen reader is not told each
 * second, since `time` is no live region.
 * @param {HTMLElement} text
 */
function countDown(text) {
  const atLoad = Number(document.body.dataset.now);
  const loaded = performance.now();
  if (!(atLoad > 0)) return;
  const timer = setInterval(() => {
    // A live page can get another end.
    const end = Date.parse(text.getAttribute("datetime") ?? "");
    if (!(end > 0)) return;
    const left = Math.round((end - atLoad - (performance.now() - loaded)) / 1000);
    const parts = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
    const digits = parts.map((part) => String(Math.max(part, 0)).padStart(2, "0"));
    text.textContent = digits.slice(left < 3600 ? 1 : 0).join(":");
    if (left > 0) return;
    clearInterval(timer);
    reloadUnasked();
  }, 1000);
}

/**
 * Copies the text in `data-copy`, and says so in place of the button's text.
 * @param {HTMLElement} button
 */
function copies(button) {
  if (!navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy ?? "");
    button.textContent = button.dataset.copied ?? button.textContent;
  });
}

/**
 * Hands the text in `data-share` to an app that the reader chooses.
 * @param {HTMLElement} button
 */
function shares(button) {
  if (!navigator.share) return;
  button.hidden = false;
  button.addEventListener("click", () => void navigator.share({ text: button.dataset.share }).catch(() => {}));
}
