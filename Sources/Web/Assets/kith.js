// The behaviour of a page beyond links and forms. Every page works without it.
import { start as startCheckIns } from "./check-in.js";
import { watch } from "./desk.js";
import { enhance } from "./fields.js";
import { byID, user, workerAddress } from "./page.js";
import { offer } from "./push.js";
import { follow } from "./stream.js";
import { receiveFiles } from "./upload.js";

// A page out of the browser's memory may be one of before a sign-out.
addEventListener("pageshow", (event) => event.persisted && location.reload());

enhance();
receiveFiles();
void offer();
void startCheckIns();
if (byID("desk")) watch();
if (user) {
  follow();
  const { worker } = document.body.dataset;
  if (worker) void navigator.serviceWorker?.register(workerAddress(worker), { type: "module", scope: "/" }).catch(() => {});
}
