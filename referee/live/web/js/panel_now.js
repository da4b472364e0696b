/** What holds before the next stroke: who shoots, what is on, where the cue ball may lie, what was called, the clock. */

import { ballColour, ballLabel, byNumber, isDark, isStriped } from "./balls.js";
import { button, el, fill, rebuild, svg } from "./dom.js";
import { ClockFace } from "./panel_clock.js";

export class NowPanel {
  /**
   * @param {import("./page.js").Page} page
   * @param {HTMLElement} place
   * @param {{may?: () => boolean, act?: (action: string, fields?: object) => Promise}} tools
   */
  constructor(page, place, tools = {}) {
    this.page = page;
    this.tools = tools;
    this.clock = el("div.clock", { hidden: true });
    this.facts = el("div.facts");
    this.extensions = el("p.row.extensions");
    fill(place, this.clock, this.extensions, this.facts);
    this.face = new ClockFace(page, this.clock);
    page.store.on(["match", "role"], () => this.draw());
    page.store.on(["clock", "role", "match"], () => this.#drawExtensions());
    page.store.on(["table"], () => this.#drawMotion());
  }

  draw() {
    const { match } = this.page.store;
    if (!match) return;
    const { say, pick, language } = this.page;
    const shown = [match.status, match.on, match.cue, match.call, match.call_needed, match.push_out, match.declared];
    rebuild(this.facts, [language.code, ...shown], () => [
      el("p.motion", { hidden: true }),
      el(
        "dl",
        {},
        match.on?.balls?.length || pick(match.on?.text) ? row(say("on_now"), this.#on(match)) : null,
        pick(match.cue?.text) ? row(say("cue_ball"), [pick(match.cue.text)], match.cue.in_hand ? "hand" : "") : null,
        match.call ? row(say("called"), [callText(this.page, match.call)]) : null,
        ...(match.declared ?? []).map((item) => row(say("declare"), [item.text ? pick(item.text) : frozenText(this.page, item)])),
      ),
      match.call_needed && !match.call ? el("p.warn", {}, say("call_needed")) : null,
      match.push_out?.allowed && !match.push_out.declared ? el("p.soft", {}, say("push_out_open")) : null,
    ]);
    this.#drawMotion();
  }

  #on(match) {
    const text = this.page.pick(match.on?.text) || this.page.say("anything_on");
    const balls = (match.on?.balls ?? []).slice(0, 3);
    return [balls.length <= 2 ? balls.map((ball) => ballIcon(ball)) : null, el("strong", { "data-on": (match.on?.balls ?? []).join(" ") }, text)];
  }

  #drawMotion() {
    const { table } = this.page.store;
    const place = this.facts.querySelector(".motion");
    if (!place) return;
    const key = table?.usable === false ? "table_unseen" : table?.handled ? "hand_over_table" : table?.moving ? "balls_moving" : null;
    place.hidden = key === null;
    if (key) place.textContent = this.page.say(key);
  }

  /** An extension is the shooter's to ask for. */
  #drawExtensions() {
    const { clock, match } = this.page.store;
    const player = clock?.player ?? match?.shooter;
    const on = Boolean(this.tools.may?.()) && Boolean(clock && match && player) && clock.state !== "off" && clock.extension_s > 0;
    this.extensions.hidden = !on;
    const left = on ? Math.max(0, (clock.extensions_each ?? 0) - (clock.extensions?.[player] ?? 0)) : 0;
    rebuild(this.extensions, [this.page.language.code, on, player, left, match?.players], () => {
      if (!on) return [];
      const { say } = this.page;
      const text = say("extension", { n: left });
      const label = `${match.players[player]}: ${text}`;
      return [button(text, () => this.tools.act("extension", { player }), { key: "extension", disabled: left === 0, label })];
    });
  }
}

const row = (term, body, kind = "") => el(`div${kind ? `.${kind}` : ""}`, {}, el("dt", {}, term), el("dd", {}, body));

/** A call in words. */
export function callText(page, call) {
  const { say } = page;
  if (call.text) return page.pick(call.text);
  if (call.kind !== "ball") return say(`called_${call.kind}`);
  return say("called_ball", { ball: say("ball_name", { ball: call.ball }), pocket: say(`pocket_${call.pocket}`) });
}

function frozenText(page, { ball, to }) {
  const { say } = page;
  return `${say("declare_frozen")}: ${say("ball_name", { ball })}, ${to === "cue" ? say("ball_cue") : say(`cushion_${to}`)}`;
}

/** A ball as a small picture. */
export function ballIcon(ball) {
  const label = ballLabel(ball);
  const band = "M8.3-5.6A10 10 0 0 1 8.3 5.6H-8.3A10 10 0 0 1-8.3-5.6Z";
  return svg(
    "svg.ball-icon",
    { viewBox: "-11 -11 22 22", "aria-hidden": "true" },
    svg("circle.ball", { r: 10, fill: isStriped(ball) ? "#faf7ec" : ballColour(ball) }),
    isStriped(ball) ? svg("path", { fill: ballColour(ball), d: band }) : null,
    label ? svg(`text.t.${isDark(ball) ? "light" : "dark"}`, { "font-size": 11 }, label) : null,
  );
}

const FEW = 6; // more balls than these are buttons with a picture only; their names are for screen readers

/** Buttons to choose a ball with. */
export function ballChips(page, balls, listener) {
  const few = balls.length <= FEW;
  return el(
    "p.row.chips",
    {},
    [...balls].sort(byNumber).map((ball) => {
      const name = page.say("ball_name", { ball });
      return button(few ? name : "", () => listener(ball), {
        key: `pick-${ball}`,
        "data-pick": ball,
        icon: ballIcon(ball),
        label: few ? undefined : name,
        kind: few ? "" : "bare",
        title: few ? undefined : name,
      });
    }),
  );
}
