/**
 * The table: as a diagram, over the camera's picture, or both side by side; with the last shot's path, the zone of the
 * cue ball in hand, and where balls have to go. Tapping balls and pockets is asked for here.
 */

import { CameraPicture } from "./camera.js";
import { Diagram } from "./diagram.js";
import { byId, el, fill, rebuild, set, write } from "./dom.js";
import { ghostsOf } from "./panel_help.js";
import { watchMedia } from "./page.js";

const VIEWS = ["diagram", "over", "both"];

export class Stage {
  /** @param {import("./page.js").Page} page */
  constructor(page, { withCamera = false, lying = false } = {}) {
    this.page = page;
    this.view = "diagram";
    this.shown = null;
    this.upright = !lying && watchMedia("(max-width: 600px)", (narrow) => this.#turn(narrow));
    this.diagram = new Diagram(byId("diagram"), page.say);
    this.over = withCamera ? new Diagram(byId("camera-over"), page.say) : null;
    page.store.on(["match"], () => this.drawMatch());
    page.store.on(["table"], () => this.drawBalls());
    page.store.on(["help"], () => this.drawHelp());
    if (withCamera) {
      page.store.on(["camera", "match"], () => this.#drawCamera());
      this.camera = new CameraPicture(byId("camera-picture"));
    }
  }

  /** Look at an earlier shot; null goes back to now. */
  show(shot) {
    this.shown = shot;
    this.drawMatch();
    this.drawBalls();
  }

  /** Texts and geometry anew, after a change of language or of the screen. */
  redraw() {
    this.geometry = null;
    this.drawMatch();
    this.drawBalls();
    this.drawHelp();
  }

  drawMatch() {
    const { match } = this.page.store;
    if (!match) return;
    const geometry = JSON.stringify([match.table, this.upright, this.page.language.code]);
    if (geometry !== this.geometry) {
      this.geometry = geometry;
      this.diagram.setTable(match.table, { upright: this.upright });
      if (this.over && match.table.camera) {
        this.over.setTable(match.table, { camera: match.table.camera });
        byId("camera").style.aspectRatio = match.table.camera.image_size_px.join(" / ");
      }
      this.drawBalls();
      this.drawHelp();
    }
    this.#drawViews();
    this.#drawShot();
    for (const drawing of this.#drawings()) drawing.setZone(this.shown || !match.cue?.in_hand ? null : match.cue.zone);
  }

  #drawings() {
    return this.over ? [this.diagram, this.over] : [this.diagram];
  }

  #drawShot() {
    const { match, table } = this.page.store;
    const shot = this.shown ?? (table?.moving ? null : match?.last);
    const known = shot && { ...shot, pocketed: shot.facts?.pocketed, cue_ball: shot.facts?.cue_ball };
    const signature = JSON.stringify([known?.number, known?.facts, known?.paths && Object.keys(known.paths), this.geometry, this.shown?.number]);
    if (signature === this.shotDrawn) return;
    this.shotDrawn = signature;
    for (const drawing of this.#drawings()) drawing.setShot(known ?? null);
  }

  drawBalls() {
    const { table, match } = this.page.store;
    if (!match) return;
    const places = this.shown
      ? Object.entries(this.shown.before ?? {}).map(([ball, [x_m, y_m]]) => ({ ball, x_m, y_m }))
      : (table?.balls ?? []).map(([ball, x_m, y_m, seen]) => ({ ball, x_m, y_m, seen: seen === "seen" }));
    for (const drawing of this.#drawings()) drawing.setBalls(places);
    if (this.picking) this.pick(...this.picking);
    this.#drawShot();
  }

  drawHelp() {
    const { help } = this.page.store;
    for (const drawing of this.#drawings()) drawing.setHelp(this.shown ? [] : ghostsOf(this.page, help));
  }

  /** Ask for a tap; see Diagram.pick. `prompt` is shown above the table, with a way out. */
  ask(kind, prompt, listener, candidates = null) {
    this.picking = [kind, listener, candidates];
    this.pick(...this.picking);
    const place = byId("prompt");
    place.hidden = false;
    fill(
      place,
      el("span", {}, prompt),
      el("button", { type: "button", on: { click: () => this.stopAsking() } }, this.page.say("cancel")),
    );
    byId("stage").scrollIntoView({ block: "nearest", behavior: "auto" });
  }

  pick(kind, listener, candidates) {
    for (const drawing of this.#drawings()) drawing.pick(kind, listener, candidates);
  }

  /** No more taps are wanted. */
  stopAsking() {
    this.picking = null;
    for (const drawing of this.#drawings()) drawing.pick(null);
    byId("prompt").hidden = true;
    this.onStop?.();
  }

  /** Put the keyboard on the first thing that can be tapped. */
  focusFirst() {
    this.diagram.svg.querySelector(".pickable")?.focus({ preventScroll: true });
  }

  #turn(narrow) {
    this.upright = narrow;
    this.redraw();
  }

  #drawViews() {
    if (!this.over) return;
    const { say, language, store } = this.page;
    const camera = Boolean(store.match.table.camera) || store.camera;
    rebuild(byId("views"), [language.code, this.view, this.shown?.number, Boolean(camera), store.role], () => [
      camera
        ? el(
            "div.switch",
            { role: "group", "aria-label": say("view") },
            VIEWS.map((view) =>
              el(
                "button",
                { type: "button", "data-key": view, "aria-pressed": String(view === this.view), on: { click: () => this.#setView(view) } },
                say(`view_${view}`),
              ),
            ),
          )
        : null,
      this.shown
        ? el(
            "p.looking-back",
            {},
            el("span", {}, say("showing_shot", { n: this.shown.number })),
            el("button", { type: "button", "data-key": "live", on: { click: () => this.onLive?.() } }, say("back_to_live")),
            this.onPutBack && store.role === "official"
              ? el("button", { type: "button", "data-key": "restore", on: { click: () => this.onPutBack(this.shown) } }, say("put_back_shot"))
              : null,
          )
        : null,
    ]);
  }

  #setView(view) {
    this.view = view;
    byId("diagram").hidden = view === "over";
    byId("camera").hidden = view === "diagram";
    byId("pictures").classList.toggle("both", view === "both");
    byId("pictures").classList.toggle("wide", view !== "diagram");
    if (view === "diagram") this.camera.stop();
    else this.camera.start();
    this.#drawViews();
    this.#drawCamera();
  }

  #drawCamera() {
    const { camera } = this.page.store;
    const note = byId("camera-note");
    const well = !camera || camera.status === "ok" || camera.status === "ended";
    note.hidden = well;
    if (!well) write(note, this.page.pick(camera.text));
    set(byId("camera-picture"), "aria-label", this.page.say("camera_picture"));
  }
}
