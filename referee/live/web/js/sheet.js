/** One dialog for everything that needs a form; the browser keeps the focus inside and Escape closes it. */

import { byId, button, el, fill } from "./dom.js";

/**
 * Open the dialog.
 * @param {import("./page.js").Page} page
 * @param {string} title
 * @param {Array} body
 */
export function openSheet(page, title, body) {
  const sheet = byId("sheet");
  fill(
    sheet,
    el(
      "div.sheet-head",
      {},
      el("h2", { id: "sheet-title", tabindex: "-1" }, title),
      button(page.say("close"), closeSheet, { key: "close", kind: "quiet" }),
    ),
    el("div.sheet-body", {}, body),
  );
  if (!sheet.open) sheet.showModal();
  sheet.scrollTop = 0;
  byId("sheet-title").focus();
  return sheet;
}

export function closeSheet() {
  const sheet = byId("sheet");
  if (sheet.open) sheet.close();
}

let count = 0;

/** A labelled control. `control` is an input, a select, or anything that takes an id. */
export function field(label, control) {
  count += 1;
  control.id = `field-${count}`;
  return el("p.field", {}, el("label", { for: control.id }, label), control);
}

/** A select: options as [value, text], the chosen value, and its name. */
export function choice(name, options, chosen) {
  const node = el("select", { name }, options.map(([value, text]) => el("option", { value }, text)));
  node.value = chosen ?? "";
  return node;
}

/** A number or text field. */
export const input = (name, value, attributes = {}) => el("input", { name, value: value ?? "", ...attributes });

/** A form that gives its controls by name. */
export function form(submit, children, listener) {
  const node = el("form", {}, children, el("p.row", {}, el("button.main", { type: "submit" }, submit)));
  node.addEventListener("submit", (event) => {
    event.preventDefault();
    listener(node.elements, node);
  });
  return node;
}
