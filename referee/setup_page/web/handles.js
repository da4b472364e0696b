/** Four corners to drag, by finger, mouse or arrow keys. */

import * as lens from "./lens.js";

const SVG = "http://www.w3.org/2000/svg";
const REACH_PX = 24; // of the screen: half of what a finger needs
const RING_PX = 9;
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * @param {object} parts `over` (svg), `picture` (img), `canvas` (magnifier)
 * @param {function} moved called with all four corners when one was let go
 */
export function makeHandles({ over, picture, canvas }, moved) {
  let corners = [];
  let groups = [];
  let later = 0;

  const scale = () => over.getBoundingClientRect().width / picture.naturalWidth || 1;

  function place(i) {
    const [x, y] = corners[i];
    groups[i].setAttribute("transform", `translate(${x} ${y}) scale(${1 / scale()})`);
  }

  function toPicture(event) {
    const box = over.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * picture.naturalWidth - 0.5, ((event.clientY - box.top) / box.height) * picture.naturalHeight - 0.5];
  }

  function clamp([x, y]) {
    return [Math.min(Math.max(x, -0.5), picture.naturalWidth - 0.5), Math.min(Math.max(y, -0.5), picture.naturalHeight - 0.5)];
  }

  function build(i) {
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("class", "handle");
    group.setAttribute("tabindex", "0");
    group.setAttribute("role", "button");
    group.setAttribute("aria-label", `Corner ${i + 1} of 4`);
    for (const [name, radius] of [["reach", REACH_PX], ["ring", RING_PX], ["dot", 1.5]]) {
      const circle = document.createElementNS(SVG, "circle");
      circle.setAttribute("class", name);
      circle.setAttribute("r", String(radius));
      group.append(circle);
    }
    let held = null; // from the finger to the corner: a grip beside the middle does not make it jump
    group.addEventListener("pointerdown", (event) => {
      if (event.button > 0) return;
      event.preventDefault();
      group.setPointerCapture(event.pointerId);
      const [x, y] = toPicture(event);
      held = [corners[i][0] - x, corners[i][1] - y];
      lens.show(canvas, picture, corners[i], scale());
    });
    group.addEventListener("pointermove", (event) => {
      if (held === null) return;
      const [x, y] = toPicture(event);
      corners[i] = clamp([x + held[0], y + held[1]]);
      place(i);
      lens.show(canvas, picture, corners[i], scale());
    });
    for (const type of ["pointerup", "pointercancel"]) {
      group.addEventListener(type, () => {
        if (held === null) return;
        held = null;
        canvas.hidden = true;
        if (type === "pointerup") moved(corners);
      });
    }
    group.addEventListener("keydown", (event) => {
      const step = KEYS[event.key];
      if (!step) return;
      event.preventDefault();
      const length = event.shiftKey ? 10 : 1;
      corners[i] = clamp([corners[i][0] + length * step[0], corners[i][1] + length * step[1]]);
      place(i);
      lens.show(canvas, picture, corners[i], scale());
      clearTimeout(later);
      later = setTimeout(() => moved(corners), 700);
    });
    group.addEventListener("blur", () => { canvas.hidden = true; });
    return group;
  }

  addEventListener("resize", () => groups.forEach((_, i) => place(i)));

  return {
    /** Where the corners are now; built once, so that focus stays on the one in hand. */
    show(places) {
      corners = places.map((place) => [...place]);
      if (groups.length === 0) groups = corners.map((_, i) => build(i));
      for (const group of groups) if (group.parentNode !== over) over.append(group);
      corners.forEach((_, i) => place(i));
    },
    toPicture,
  };
}
