/** Building and rebuilding parts of a page. Text goes in as text, never as markup, whoever sent it. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element.
 * @param {string} tag such as "div" or "div.class.other"
 * @param {object} [attributes] `on` holds listeners by event; true sets an empty attribute; null, undefined and false set none
 * @param {...(Node|string|number|null|undefined|false|Array)} children texts become text nodes
 */
export function el(tag, attributes = {}, ...children) {
  return build(document.createElement(tag.split(".")[0]), tag, attributes, children);
}

/** An SVG element; arguments as for `el`. */
export function svg(tag, attributes = {}, ...children) {
  return build(document.createElementNS(SVG, tag.split(".")[0]), tag, attributes, children);
}

function build(node, tag, attributes, children) {
  const classes = tag.split(".").slice(1);
  if (classes.length) node.setAttribute("class", classes.join(" "));
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") for (const [type, listener] of Object.entries(value)) node.addEventListener(type, listener);
    else set(node, name, value);
  }
  append(node, children);
  return node;
}

/** Set an attribute, or take it away where the value is null, undefined or false. Unchanged values touch nothing. */
export function set(node, name, value) {
  if (value === null || value === undefined || value === false) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
    return;
  }
  const text = value === true ? "" : String(value);
  if (node.getAttribute(name) !== text) node.setAttribute(name, text);
}

function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Text of an element, written only where it changed: a live region must not say the same twice. */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Children of an element exchanged for others. */
export function fill(node, ...children) {
  const fresh = document.createDocumentFragment();
  append(fresh, children);
  node.replaceChildren(fresh);
}

/**
 * Rebuild an element only when what it shows has changed, and keep the keyboard where it was: the focused element is
 * found again by its `data-key`. Without that every clock tick would throw a keyboard user back to the top of the page.
 * @param {Element} node
 * @param {unknown} shown anything JSON can write; equal means nothing to do
 * @param {() => Array} make the children
 * @returns {boolean} whether it was rebuilt
 */
export function rebuild(node, shown, make) {
  const signature = JSON.stringify(shown);
  if (signatures.get(node) === signature) return false;
  signatures.set(node, signature);
  const held = node.contains(document.activeElement) ? document.activeElement.getAttribute("data-key") : null;
  fill(node, make());
  if (held !== null) node.querySelector(`[data-key="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
  return true;
}

const signatures = new WeakMap();

/** A button. Options: `key` for `rebuild`, `kind` a class, `pressed`, `disabled`, `describes`, `icon`. */
export function button(text, listener, options = {}) {
  const { kind, key, pressed, disabled, label, icon, ...rest } = options;
  return el(
    `button${kind ? `.${kind}` : ""}`,
    {
      type: "button",
      "data-key": key ?? text,
      "aria-pressed": pressed === undefined ? undefined : String(pressed),
      "aria-label": label,
      disabled: Boolean(disabled),
      on: { click: listener },
      ...rest,
    },
    icon,
    text,
  );
}

/** The element with that id; a missing one is a fault of the page. */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`no element #${id}`);
  return node;
}
