/**
 * The live diagram: one SVG that is the table from above, or lies over the camera's picture. It shows what it is given
 * and reports taps; what a tap means is for the page.
 *
 * Layers, from below: table, zone, paths, marks, ghosts (where a ball has to go), balls, notes. Balls keep their element
 * while they move, so that a screen reader and a finger do not lose them.
 */

import { ballColour, ballLabel, isDark, isStriped } from "./balls.js";
import { fill, set, svg } from "./dom.js";
import { camera, flat } from "./projection.js";
import { drawHelp, drawMarks, drawPaths, drawZone } from "./diagram_marks.js";
import { drawOutline, drawTable } from "./diagram_table.js";
import { POCKETS, pocketCentre } from "./table.js";

const LAYERS = ["table", "zone", "paths", "marks", "ghosts", "balls", "notes"];
const REACH_PX = 34; // How far from a ball's centre a finger may land, on the screen: half a finger's width and a bit.

export class Diagram {
  /**
   * @param {HTMLElement} place the element to fill
   * @param {(key: string, values?: object) => string} say texts
   */
  constructor(place, say) {
    this.say = say;
    this.svg = svg("svg.diagram", { role: "img" });
    this.layers = Object.fromEntries(LAYERS.map((name) => [name, svg(`g.layer-${name}`)]));
    this.svg.append(...LAYERS.map((name) => this.layers[name]));
    this.balls = new Map();
    this.table = null;
    this.map = null;
    this.picking = null;
    this.svg.addEventListener("click", (event) => this.#tapped(event));
    place.append(this.svg);
  }

  /**
   * Which table, seen how.
   * @param {object} table sizes in metres
   * @param {{upright?: boolean, camera?: object|null}} view `camera`: lie over its picture
   */
  setTable(table, view = {}) {
    this.table = table;
    this.map = view.camera ? camera(table, view.camera) : flat(table, Boolean(view.upright));
    set(this.svg, "viewBox", this.map.box.map((n) => n.toFixed(1)).join(" "));
    set(this.svg, "preserveAspectRatio", this.map.kind === "flat" ? "xMidYMin meet" : "xMidYMid meet"); // as the picture under it
    set(this.svg, "class", `diagram ${this.map.kind}${this.map.upright ? " upright" : ""}`);
    fill(this.layers.table, this.map.kind === "flat" ? drawTable(table, this.map, this.say) : drawOutline(table, this.map));
    this.balls.clear();
    fill(this.layers.balls);
  }

  /** Where the balls are now: [{ball, x_m, y_m, seen}]. Balls that are not listed are taken off. */
  setBalls(list) {
    if (!this.map) return;
    const present = new Set(list.map(({ ball }) => ball));
    for (const [ball, node] of this.balls) {
      if (present.has(ball)) continue;
      node.remove();
      this.balls.delete(ball);
    }
    for (const item of list) this.#placeBall(item);
    set(this.svg, "aria-label", this.say("diagram_label", { count: list.length }));
  }

  #placeBall({ ball, x_m, y_m, seen = true, fallen = false }) {
    const [x, y] = this.map.point(x_m, y_m);
    const radius = this.map.radius(x_m, y_m) * (fallen ? 0.85 : 1);
    let node = this.balls.get(ball);
    if (!node) {
      node = drawBall(ball, this.map.kind, this.say);
      this.balls.set(ball, node);
      this.layers.balls.append(node);
    }
    set(node, "transform", `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${(radius / 10).toFixed(3)})`);
    set(node, "class", `ball-group${seen ? "" : " unseen"}${fallen ? " fallen" : ""}`);
    node.place = [x, y];
  }

  /** Paths of the last shot: {ball: [[t, x_m, y_m], ...]}, and its marks; null takes them away. */
  setShot(shot) {
    if (!this.map) return;
    fill(this.layers.paths, shot ? drawPaths(shot, this.map) : []);
    fill(this.layers.marks, shot ? drawMarks(shot, this.map, this.table, this.say) : []);
  }

  /** The zone for the cue ball in hand, a polygon [[x_m, y_m], ...], or null. */
  setZone(polygon) {
    if (this.map) fill(this.layers.zone, polygon?.length ? drawZone(polygon, this.map) : []);
  }

  /** Where balls have to go: [{ball, x_m, y_m, now: [x_m, y_m]|null, done, text}]. */
  setHelp(targets) {
    if (!this.map) return;
    const { ghosts, notes } = drawHelp(targets, this.map);
    fill(this.layers.ghosts, ghosts);
    fill(this.layers.notes, notes);
  }

  /**
   * Let a person tap something: "ball" or "pocket". Taps go to `listener` with its name; null ends it.
   * For the keyboard each candidate becomes a button inside the picture.
   */
  pick(kind, listener, candidates = null) {
    this.picking = kind ? { kind, listener, candidates } : null;
    set(this.svg, "role", kind ? "group" : "img");
    this.svg.classList.toggle("picking-ball", kind === "ball");
    this.svg.classList.toggle("picking-pocket", kind === "pocket");
    for (const [ball, node] of this.balls) this.#makeButton(node, kind === "ball" && this.#may(ball), ball);
    for (const node of this.svg.querySelectorAll(".pocket")) this.#makeButton(node, kind === "pocket", node.getAttribute("data-pocket"));
  }

  #may(name) {
    return !this.picking?.candidates || this.picking.candidates.includes(name);
  }

  #makeButton(node, on, name) {
    set(node, "tabindex", on ? "0" : null);
    set(node, "role", on ? "button" : null);
    set(node, "aria-label", on ? this.say(POCKETS.includes(name) ? `pocket_${name}` : "ball_name", { ball: name }) : null);
    node.classList.toggle("pickable", Boolean(on));
    node.onkeydown = on
      ? (event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          this.picking?.listener(name);
        }
      : null;
  }

  /** The nearest candidate within a finger's reach: a ball on a phone is far smaller than a finger. */
  #tapped(event) {
    if (!this.picking || !this.map) return;
    const matrix = this.svg.getScreenCTM().inverse();
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    const reach = REACH_PX * matrix.a;
    const { kind, listener } = this.picking;
    const places =
      kind === "ball"
        ? [...this.balls].filter(([ball]) => this.#may(ball)).map(([ball, node]) => [ball, node.place])
        : POCKETS.map((name) => [name, this.map.point(...pocketCentre(this.table, name))]);
    let [best, least] = [null, kind === "pocket" ? 3 * reach : reach];
    for (const [name, [x, y]] of places) {
      const distance = Math.hypot(x - at.x, y - at.y);
      if (distance < least) [best, least] = [name, distance];
    }
    if (best !== null) listener(best);
  }
}

/** A ball of radius 10 around the origin. Over the picture it is a ring with a tag: the ball itself is to be seen. */
function drawBall(ball, kind, say) {
  const label = ballLabel(ball);
  const title = svg("title", {}, say("ball_name", { ball }));
  if (kind === "camera") {
    const tag = [svg("circle.tag", { cx: 17, cy: -17, r: 12 }), svg("text.t.tag-text", { x: 17, y: -17, "font-size": 16 }, label)];
    return svg("g", { "data-ball": ball }, title, svg("circle.over", { r: 11.5, stroke: ballColour(ball) }), label ? tag : null);
  }
  const parts = [svg("circle.ball", { r: 10, fill: isStriped(ball) ? "#faf7ec" : ballColour(ball) })];
  if (isStriped(ball)) {
    const high = 5.6;
    const wide = Math.sqrt(100 - high ** 2).toFixed(2);
    const band = `M${wide} ${-high}A10 10 0 0 1 ${wide} ${high}H-${wide}A10 10 0 0 1 -${wide} ${-high}Z`;
    parts.push(svg("path", { fill: ballColour(ball), d: band }));
  }
  if (label) parts.push(svg(`text.t.${isDark(ball) ? "light" : "dark"}`, { "font-size": label.length > 1 ? 11.5 : 14 }, label));
  return svg("g", { "data-ball": ball }, title, parts);
}
