/** Declarations: called ball and pocket, safety, push-out, frozen ball, time-out, interference, and facts. */

import { button, el, fill, rebuild } from "./dom.js";
import { Panel } from "./panel.js";
import { ballChips } from "./panel_now.js";
import { CUSHIONS, POCKETS, nearCushions } from "./table.js";

export class DeclarePanel extends Panel {
  /**
   * @param {import("./page.js").Page} page
   * @param {HTMLElement} place
   * @param {{may: Function, act: Function, stage: import("./stage.js").Stage, fact: Function, interference: Function}} tools
   */
  constructor(page, place, tools) {
    super(page, place, tools, ["match", "role", "clock"]);
    this.picker = el("div.picker", { hidden: true });
    this.buttons = el("p.row");
    fill(place, el("h2", { "data-say": "declare" }), this.buttons, this.picker);
  }

  draw() {
    const { match, clock } = this.page.store;
    const may = this.tools.may() && Boolean(match) && match.status !== "over";
    this.place.hidden = !may;
    const { say, language } = this.page;
    const pool = match && !match.game.endsWith("pyramid");
    const calls = match?.game === "straight_14_1" || match?.call_needed || match?.call?.kind === "ball";
    const pushOut = match?.push_out;
    rebuild(this.buttons, [language.code, may, match?.game, match?.players, match?.call, pushOut, match?.call_needed, clock?.state], () => {
      const one = (key, listener, options = {}) => button(say(key), listener, { key, ...options });
      return [
        calls ? one("declare_ball", () => this.#callBall(), { kind: match.call_needed && !match.call ? "main" : "", pressed: match.call?.kind === "ball" }) : null,
        calls ? one("declare_safety", () => this.#act("call", { kind: "safety" }), { pressed: match.call?.kind === "safety" }) : null,
        pushOut?.allowed || pushOut?.declared
          ? one("declare_push_out", () => this.#act("call", { kind: "push_out" }), { kind: "main", pressed: Boolean(pushOut.declared) })
          : null,
        pool || match?.game ? one("declare_frozen", () => this.#frozen()) : null,
        ["A", "B"].map((player) =>
          button(`${say("time_out")}: ${match?.players[player] ?? player}`, () => this.#act("timeout", { player }), { key: `timeout-${player}` }),
        ),
        one("interference", this.tools.interference),
        one("official_fact", this.tools.fact),
      ];
    });
    this.place.querySelector("h2").textContent = say("declare");
  }

  #act(action, fields) {
    this.#end();
    return this.tools.act(action, fields);
  }

  /** Tap a ball, then a pocket; the same as buttons, for the keyboard and for balls under an arm. */
  #callBall() {
    const { match } = this.page.store;
    const balls = this.#onTable().filter((ball) => ball !== match.cue?.ball);
    this.#ask("ball", this.page.say("tap_ball"), balls, (ball) => {
      const prompt = this.page.say("tap_pocket", { ball: this.#name(ball) });
      this.#ask("pocket", prompt, POCKETS, (pocket) => this.#act("call", { kind: "ball", ball, pocket }));
    });
  }

  #frozen() {
    this.#ask("ball", this.page.say("tap_frozen"), this.#onTable(), (ball) => {
      const { store, say } = this.page;
      const now = store.table?.balls.find(([name]) => name === ball);
      const near = now ? nearCushions(store.match.table, [now[1], now[2]]) : CUSHIONS;
      const struck = store.match.cue?.ball;
      this.#watch(ball);
      this.tools.stage.stopAsking();
      const targets = [...near, ...CUSHIONS.filter((cushion) => !near.includes(cushion)), ...(struck === ball ? [] : ["cue"])];
      this.#choose(
        say("frozen_to", { ball: this.#name(ball) }),
        targets.map((to) => [to, to === "cue" ? say("ball_name", { ball: struck ?? "cue" }) : say(`cushion_${to}`)]),
        (to) => this.#act("frozen", { ball, to }),
      );
    });
  }

  /** Ask for a ball whose gaps to cushions and cue ball are to be measured. */
  measure() {
    this.#ask("ball", this.page.say("tap_measure"), this.#onTable(), (ball) => {
      this.#watch(ball);
      this.#end();
    });
  }

  #watch(ball) {
    const { store } = this.page;
    const now = store.table?.balls.find(([name]) => name === ball);
    if (!now) return;
    const others = nearCushions(store.match.table, [now[1], now[2]]);
    const struck = store.match.cue?.ball;
    if (struck && struck !== ball) others.push(struck);
    this.tools.act("watch", { pairs: others.map((other) => [ball, other]) }, { quiet: true });
  }

  #onTable() {
    const { match, table } = this.page.store;
    return match.on_table?.length ? match.on_table : (table?.balls ?? []).map(([ball]) => ball);
  }

  #name(ball) {
    return this.page.say("ball_name", { ball });
  }

  #ask(kind, prompt, candidates, listener) {
    this.tools.stage.onStop = () => this.#hide();
    this.tools.stage.ask(kind, prompt, listener, kind === "ball" ? candidates : null);
    if (kind === "ball") this.#show(prompt, ballChips(this.page, candidates, listener));
    else this.#choose(prompt, candidates.map((name) => [name, this.page.say(`pocket_${name}`)]), listener);
  }

  #choose(prompt, choices, listener) {
    const chips = choices.map(([name, text]) => button(text, () => listener(name), { key: `pick-${name}`, "data-pick": name }));
    this.#show(prompt, el("p.row", {}, chips));
  }

  #show(prompt, chips) {
    this.picker.hidden = false;
    fill(
      this.picker,
      el("h3", {}, prompt),
      chips,
      // While a tap is waited for, the way out stands beside the question over the table.
      this.tools.stage.picking ? null : el("p.row", {}, button(this.page.say("cancel"), () => this.#end(), { key: "cancel", kind: "quiet" })),
    );
    this.picker.querySelector("button")?.focus({ preventScroll: true });
  }

  #end() {
    this.tools.stage.stopAsking();
    this.#hide();
  }

  #hide() {
    const held = this.picker.contains(document.activeElement);
    this.picker.hidden = true;
    fill(this.picker);
    if (held) this.buttons.querySelector("button")?.focus({ preventScroll: true });
  }
}
