// Brings parts of the page up to date without blanking them: an element that stays keeps its focus, what was typed into it, and its place on the
// screen.
import { byID, clockOffset, fetchPage, reloadUnasked, say, timed } from "./page.js";

/** The pauses before a fetch, in milliseconds: events that come together cost one, and a crowd of them costs one now and then. */
const pauses = [50, 500, 2000, 5000];

/** Whether something has happened that the page does not show yet. */
let isOld = false;
/** Since when the page has not shown all that has happened, in milliseconds since 1970; `Infinity` while it does. */
let oldSince = Infinity;
/** The same of what has happened since the fetch that is under way began. */
let nextOld = Infinity;
let isFetching = false;

/** For how long the page has not shown all that has happened, in milliseconds. */
export const age = () => Math.max(0, Date.now() - oldSince);

/** The parts of a page that follow events. */
const regions = () => /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-live][id]")]);

/**
 * Whether a region shows what events of a type change.
 * @param {HTMLElement} region
 * @param {string} type
 */
const concerns = (region, type) => type === "*" || (region.dataset.live ?? "").split(" ").includes(type);

/**
 * Fetches the page anew if events of this type concern it.
 * @param {string} type the type of an event, or `*`
 */
export async function refresh(type) {
  if (!regions().some((region) => concerns(region, type))) return;
  isOld = true;
  nextOld = Math.min(nextOld, Date.now());
  oldSince = Math.min(oldSince, nextOld);
  if (isFetching) return;
  isFetching = true;
  for (let round = 0; isOld; round += 1) {
    await new Promise((done) => setTimeout(done, pauses[Math.min(round, pauses.length - 1)]));
    isOld = false;
    nextOld = Infinity;
    try {
      const page = await fetchPage();
      // The sign-in has ended, or another person has signed in. The page of the other must not go on.
      if (!page) return reloadUnasked();
      show(page);
      oldSince = nextOld;
    } catch {
      isOld = true;
    }
  }
  isFetching = false;
}

/**
 * Puts the regions of `page` in place of those that are shown.
 * @param {Document} page
 */
function show(page) {
  page.querySelectorAll("[autofocus]").forEach((element) => element.removeAttribute("autofocus"));
  const focused = document.activeElement;
  const place = focused?.getBoundingClientRect().top;
  /** @type {string[]} */
  const news = [];
  const places = deliberate().map((button) => ({ button, top: button.getBoundingClientRect().top }));
  for (const region of regions()) {
    const next = page.getElementById(region.id);
    // What the page was about is gone, or no longer this person's to see: it must not stay on the screen.
    if (!next && region.id === "page" && document.contains(region)) return reloadUnasked();
    if (!next) continue;
    const before = lines(region);
    const held = region.contains(focused);
    morph(region, next);
    news.push(...[...lines(region)].filter((line) => !before.has(line)));
    if (held && !document.contains(focused)) {
      // The focused element is gone. Focus its region, so that the keyboard continues from here.
      region.tabIndex = -1;
      region.focus({ preventScroll: true });
    }
  }
  // A finger that is on its way must not meet a button that ends something and has just moved there.
  for (const { button, top } of places) if (Math.abs(button.getBoundingClientRect().top - top) > 4) pause(button);
  // What is new may ask for the same as what was there at the start.
  dispatchEvent(new Event("kith-shown"));
  // The tab names an alarm as long as it stands.
  document.title = page.title;
  const icon = document.querySelector("link[rel=icon]");
  const nextIcon = page.querySelector("link[rel=icon]");
  if (icon && nextIcon && icon.getAttribute("href") !== nextIcon.getAttribute("href")) icon.replaceWith(nextIcon);
  const current = byID("current");
  const now = page.getElementById("current");
  if (current && now) morph(current, now);
  if (focused && focused !== document.body && document.contains(focused) && place !== undefined) {
    scrollBy(0, focused.getBoundingClientRect().top - place);
  }
  if (news.length > 0) say(`${timed(byID("said")?.dataset.news, Date.now() + (clockOffset() ?? 0))} ${news.slice(0, 3).join(". ")}`);
}

/** The buttons that take no pointer in their first moment. */
const deliberate = () => /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".deliberate")]);

/**
 * Begins the first moment of a button anew.
 * @param {HTMLElement} button
 */
function pause(button) {
  button.style.animation = "none";
  button.getBoundingClientRect();
  button.style.animation = "";
}

/**
 * What a reader can notice in a region: the texts of its smallest parts.
 * @param {Element} region
 */
function lines(region) {
  const parts = [...region.querySelectorAll("h1, h2, li, p, dt, dd, td")];
  const texts = parts.filter((part) => !part.querySelector("li, p")).map((part) => part.textContent ?? "");
  return new Set(texts.map((text) => text.replace(/\s+/g, " ").trim().slice(0, 200)).filter((text) => text));
}

/**
 * What a form is for, by its first button, and so what a part that opens is for: what is typed into one must not end up in another.
 * @param {HTMLElement} element
 */
const purpose = (element) => (element.matches("form, details") ? element.querySelector("button[value]")?.getAttribute("value") : null);

/**
 * The same kind of node, which can become the other by changes.
 * @param {ChildNode} one
 * @param {ChildNode} other
 */
function isAlike(one, other) {
  if (one.nodeType !== other.nodeType || one.nodeName !== other.nodeName) return false;
  if (!(one instanceof HTMLElement) || !(other instanceof HTMLElement)) return true;
  return one.id === other.id && one.dataset.key === other.dataset.key && purpose(one) === purpose(other)
    && one.getAttribute("name") === other.getAttribute("name") && one.getAttribute("type") === other.getAttribute("type");
}

/**
 * Whether a module of this page shows and hides the element, and not the server.
 * @param {Element} element
 */
const isShownHere = (element) => element.matches("[data-push], [data-push-says], [data-copy], [data-share]");

/**
 * Changes an element, and what is in it, into another.
 * @param {Element} element
 * @param {Element} next
 */
export function morph(element, next) {
  for (const { name } of [...element.attributes]) {
    // What the reader has opened stays open.
    const isKept = name === "open" || name === "tabindex" || name === "hidden" && isShownHere(element) || name === "disabled" && element.hasAttribute("data-busy");
    if (!next.hasAttribute(name) && !isKept && name !== "data-busy") element.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    if (name === "hidden" && isShownHere(element)) continue;
    // What the reader has seen, and since when they have read a question, is from when they came: what has come since may be out of their sight, and a page
    // that is brought up to date asks nobody anew.
    if (name === "value" && element.matches("input[name=seen_at], input[name=asked]")) continue;
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
  let child = element.firstChild;
  for (const wanted of [...next.childNodes]) {
    let found = child;
    // Texts are between the elements everywhere. Only elements are looked for further on.
    while (found && !isAlike(found, wanted)) found = wanted instanceof Element ? found.nextSibling : null;
    if (!found) {
      element.insertBefore(document.importNode(wanted, true), child);
      continue;
    }
    while (child && child !== found) {
      const gone = child;
      child = child.nextSibling;
      gone.remove();
    }
    child = found.nextSibling;
    if (found instanceof Element && wanted instanceof Element) morph(found, wanted);
    else if (found.nodeValue !== wanted.nodeValue) found.nodeValue = wanted.nodeValue;
  }
  while (child) {
    const gone = child;
    child = child.nextSibling;
    gone.remove();
  }
}
