// Files that are dropped on a form, and how far their upload is.

/** Lets each form with `data-upload` take dropped files and show its progress in its element `progress`. */
export function receiveFiles() {
  for (const form of document.querySelectorAll("form[data-upload]")) {
    const field = form.querySelector("input[type=file]");
    if (form instanceof HTMLFormElement && field instanceof HTMLInputElement) receive(form, field);
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLInputElement} field
 */
function receive(form, field) {
  for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
    form.addEventListener(name, (event) => {
      event.preventDefault();
      form.toggleAttribute("data-dropping", name === "dragenter" || name === "dragover");
      const files = /** @type {DragEvent} */ (event).dataTransfer?.files;
      if (name !== "drop" || !files?.length) return;
      field.files = files;
      field.dispatchEvent(new Event("change", { bubbles: true }));
    });
  }
  form.addEventListener("submit", (event) => {
    if (!field.files?.length) return;
    event.preventDefault();
    send(form, event.submitter);
  });
}

/**
 * Sends the form as the browser would, and shows how far it is. `fetch` does not tell.
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} button
 */
function send(form, button) {
  const progress = form.querySelector("progress");
  const content = new FormData(form);
  if (button instanceof HTMLButtonElement) {
    content.append(button.name, button.value);
    button.disabled = true;
  }
  const request = new XMLHttpRequest();
  request.upload.onprogress = ({ loaded, total }) => {
    if (!progress) return;
    progress.hidden = false;
    progress.max = total;
    progress.value = loaded;
  };
  // The answer has led to the page that says what was stored, or why not.
  request.onload = () => (request.status < 400 ? location.assign(request.responseURL) : fallBack());
  request.onerror = fallBack;
  request.open("POST", form.action);
  // The page that this leads to is shown by the next request, which finds what it says first.
  request.setRequestHeader("Kith-Refresh", "unseen");
  request.send(content);

  /** Sends the form without this module, so that its page says what is wrong. */
  function fallBack() {
    if (progress) progress.hidden = true;
    if (button instanceof HTMLButtonElement) {
      button.disabled = false;
      form.append(Object.assign(document.createElement("input"), { type: "hidden", name: button.name, value: button.value }));
    }
    form.submit();
  }
}
