/**
 * Helping hands: where to spot, what to put back, whether the rack is right, whether the cue ball lies in its zone, gaps
 * of frozen balls, balls near a rail. Each line says what is still to do in millimetres, then a tick.
 */

import { button, el, rebuild, svg } from "./dom.js";
import { Panel } from "./panel.js";

const FINE_MM = 60; // From here on the bullseye shows where the ball is: below, the diagram cannot.

/** The targets to be drawn on the table: spotting and putting back. */
export function ghostsOf(page, help) {
  const back = help?.put_back?.on ? help.put_back.balls : [];
  return [...(help?.spot ?? []), ...back].map((item) => ({
    ball: item.ball,
    x_m: item.to[0],
    y_m: item.to[1],
    now: item.at,
    done: item.done,
    text: `${page.say("ball_name", { ball: item.ball })}: ${item.done ? "✓" : distance(page, item)}`,
  }));
}

const distance = (page, item) => (item.off_mm === null ? page.say("place_unseen") : page.say("mm_to_go", { n: millimetres(item.off_mm) }));

/** Whole millimetres from 10 on, tenths below 3. */
export function millimetres(value) {
  const size = Math.abs(value);
  return size < 3 ? size.toFixed(1).replace(/\.0$/, "") : String(Math.round(size));
}

export class HelpPanel extends Panel {
  /**
   * @param {import("./page.js").Page} page
   * @param {HTMLElement} place
   * @param {{may: () => boolean, act: (action: string, fields?: object) => Promise, measure: () => void}} tools
   */
  constructor(page, place, tools) {
    super(page, place, tools, ["help", "role", "match"]);
  }

  draw() {
    const { help, match } = this.page.store;
    const may = this.tools.may();
    const parts = help ? this.#parts(help, may) : [];
    this.place.hidden = !parts.length && !may;
    rebuild(this.place, [this.page.language.code, help, may, match?.table.name], () => [
      el("h2", {}, this.page.say("helping")),
      parts,
      may ? this.#tools(help) : null,
    ]);
  }

  #tools(help) {
    const { say } = this.page;
    const { act, measure } = this.tools;
    const on = Boolean(help?.put_back?.on);
    return el(
      "p.row",
      {},
      button(say("help_put_back_button"), () => act("put_back", { on: !on }), { key: "put-back", pressed: on }),
      help?.frozen?.length
        ? button(say("stop_measuring"), () => act("watch", { pairs: [] }), { key: "measure", pressed: true })
        : button(say("measure_gap"), measure, { key: "measure" }),
    );
  }

  #parts(help, may) {
    const { say } = this.page;
    const part = (key, body) => el(`section.help-${key}`, {}, el("h3", {}, say(`help_${key}`)), body);
    const found = [];
    if (help.spot?.length) found.push(part("spot", el("ul.places", {}, help.spot.map((item) => this.#place(item, may && !item.done)))));
    if (help.put_back?.on) {
      const { balls, done } = help.put_back;
      const all = done ? el("p.good", {}, tick(), say("put_back_done")) : null;
      found.push(part("put_back", [all, el("ul.places", {}, balls.map((item) => this.#place(item, false)))]));
    }
    if (help.rack?.on) found.push(part("rack", this.#rack(help.rack)));
    if (help.zone?.on) found.push(part("zone", this.#zone(help.zone)));
    if (help.frozen?.length) found.push(part("frozen", el("ul", {}, help.frozen.map((item) => this.#gap(item)))));
    if (help.near_rail?.length) found.push(part("near_rail", el("ul", {}, help.near_rail.map((item) => this.#near(item)))));
    return found;
  }

  #place(item, mayTick) {
    const { say } = this.page;
    const name = say("ball_name", { ball: item.ball });
    return el(
      `li${item.done ? ".good" : ""}`,
      { "data-ball": item.ball },
      item.done ? tick() : bullseye(item),
      el(
        "div.text",
        {},
        el(
          "p.row",
          {},
          el("span.what", {}, name),
          el("span.num", { "data-to-go": item.ball }, item.done ? say("place_ok") : distance(this.page, item)),
          item.done || item.off_mm === null ? null : el("span.soft.num", {}, plusMinus(this.page, item)),
        ),
        item.done || !item.at ? null : el("p.soft", {}, ways(item).map(([key, n]) => say(key, { n })).join(", ")),
      ),
      mayTick ? button(say("spot_done"), () => this.tools.act("spot_done", { ball: item.ball }), { key: `spot-${item.ball}`, kind: "quiet" }) : null,
    );
  }

  #rack(rack) {
    const { say } = this.page;
    const names = (balls) => balls.map((ball) => say("ball_name", { ball })).join(", ");
    const wrong = ["missing", "extra", "misplaced"].filter((key) => rack[key]?.length);
    return [
      rack.ok ? el("p.good", {}, tick(), say("rack_ok")) : null,
      el(
        "ul",
        {},
        wrong.map((key) => el("li.bad", {}, say(`rack_${key}`, { balls: names(rack[key]) }))),
        rack.apex_off_mm === null || rack.apex_off_mm === undefined ? null : el("li", {}, say("rack_apex", { n: millimetres(rack.apex_off_mm) })),
        rack.widest_gap_mm === null || rack.widest_gap_mm === undefined
          ? null
          : el(
              `li${rack.tight === false ? ".bad" : ""}`,
              {},
              `${say("rack_gap", { n: millimetres(rack.widest_gap_mm) })} ${plusMinus(this.page, rack)}: ${say(rack.tight === null ? "touching_unsure" : rack.tight ? "rack_tight" : "rack_loose")}`,
            ),
      ),
    ];
  }

  #zone(zone) {
    const { say } = this.page;
    if (zone.inside) return el("p.good", {}, tick(), say("zone_inside"));
    if (zone.off_mm === null || zone.off_mm === undefined) return el("p.soft", {}, say("place_unseen"));
    if (zone.inside === null) return el("p.verdict-unsure", {}, `${say("touching_unsure")}: ${say("mm", { n: millimetres(zone.off_mm) })} ${plusMinus(this.page, zone)}`);
    return el("p.bad", {}, `${say("zone_outside", { n: millimetres(zone.off_mm) })} ${plusMinus(this.page, zone)}`);
  }

  #gap(item) {
    const { say } = this.page;
    const other = say(`cushion_${item.b}`) === `cushion_${item.b}` ? say("ball_name", { ball: item.b }) : say(`cushion_${item.b}`);
    return el(
      "li",
      {},
      el("span.what", {}, `${say("ball_name", { ball: item.a })}, ${other}`),
      el("span.num", {}, item.gap_mm === null ? say("place_unseen") : `${say("mm", { n: millimetres(item.gap_mm) })} ${plusMinus(this.page, item)}`),
      el(`span.verdict-${item.touching}`, {}, say(`touching_${item.touching}`)),
    );
  }

  #near(item) {
    const { say } = this.page;
    return el(
      "li",
      {},
      el("span.what", {}, `${say("ball_name", { ball: item.ball })}, ${say(`cushion_${item.cushion}`)}`),
      el("span.num", {}, `${say("mm", { n: millimetres(item.gap_mm) })} ${plusMinus(this.page, item)}`),
      el("span", {}, say(item.near === null ? "touching_unsure" : item.near ? "near_yes" : "near_no")),
    );
  }
}

const plusMinus = (page, { sigma_mm }) => (sigma_mm ? page.say("plus_minus", { n: millimetres(sigma_mm) }) : "");

/** What is still to go along the table and across it, for a person without the picture. */
function ways({ at, to }) {
  const [x_mm, y_mm] = [(to[0] - at[0]) * 1000, (to[1] - at[1]) * 1000];
  return [
    [x_mm > 0 ? "move_foot" : "move_head", x_mm],
    [y_mm > 0 ? "move_left" : "move_right", y_mm],
  ]
    .filter(([, n]) => Math.abs(n) >= 1)
    .map(([key, n]) => [key, millimetres(n)]);
}

const tick = () =>
  svg("svg.tick", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: "M5 13l5 5 9-11" }));

/** The last centimetres, enlarged, in the table's lie on the screen: the target is the cross, the ball a disc. */
function bullseye({ at, to, off_mm }) {
  if (!at || off_mm === null) return svg("svg.bullseye", { viewBox: "-30 -30 60 60", "aria-hidden": "true" }, rings());
  const shrink = Math.min(1, FINE_MM / Math.max(off_mm, 1)) * (26 / FINE_MM);
  const [x, y] = [(at[0] - to[0]) * 1000 * shrink, -(at[1] - to[1]) * 1000 * shrink];
  return svg(
    "svg.bullseye",
    { viewBox: "-30 -30 60 60", "aria-hidden": "true" },
    rings(),
    svg("path.way", { d: `M${x.toFixed(1)} ${y.toFixed(1)}L0 0` }),
    svg("circle.at", { cx: x.toFixed(1), cy: y.toFixed(1), r: 4.5 }),
  );
}

const rings = () => [svg("circle.far", { r: 27 }), svg("circle.near", { r: 9 }), svg("path.cross", { d: "M-5 0H5M0-5V5" })];
