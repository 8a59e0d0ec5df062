// The desk's pages, which have no stream of events: they are fetched anew every few seconds, and say by a sound that there is a new alarm.
import { byID, timed } from "./page.js";
import { age, refresh } from "./regions.js";

/** How often a page is fetched anew, in milliseconds. */
const period = 5000;
/** For how long a page that could not be fetched is still called live, in milliseconds. */
const oldest = 15_000;
/** Under which name the tab remembers that it makes sounds. */
const choice = "kith-desk-sound";

/** The alarms that nobody looks after. */
const open = () => new Set((byID("desk")?.dataset.open ?? "").split(" ").filter((id) => id));

/** @type {AudioContext | undefined} */
let audio;

/** Keeps a page of the desk up to date. */
export function watch() {
  let known = open();
  const button = byID("desk-sound");
  if (button) {
    button.hidden = false;
    button.addEventListener("click", () => void turnOn().then(ring));
    // A browser may let the next page of the tab go on with sounds, or ask for a press again: the button says which.
    if (sessionStorage.getItem(choice)) void turnOn();
  }
  addEventListener("kith-shown", () => {
    const now = open();
    if ([...now].some((id) => !known.has(id))) ring();
    known = now;
  });
  setInterval(() => {
    void refresh("*");
    const bar = byID("stream");
    if (bar) bar.textContent = age() > oldest ? timed(bar.dataset.lost, Date.now() - age()) : "";
  }, period);
}

/** Lets the page make sounds, if the browser does, and says whether it can. */
async function turnOn() {
  sessionStorage.setItem(choice, "1");
  audio ??= new AudioContext();
  // Without a press a browser neither starts it nor says no.
  await Promise.race([audio.resume(), new Promise((done) => setTimeout(done, 500))]);
  const button = byID("desk-sound");
  if (button && audio.state === "running") button.textContent = button.dataset.on ?? "";
}

/** Two tones. */
function ring() {
  document.body.dataset.rang = String(Number(document.body.dataset.rang ?? 0) + 1);
  if (!audio) return;
  for (const [at, pitch] of [[0, 880], [0.35, 660]]) {
    const tone = audio.createOscillator();
    tone.frequency.value = pitch;
    tone.connect(audio.destination);
    tone.start(audio.currentTime + at);
    tone.stop(audio.currentTime + at + 0.3);
  }
}
