/** What has to be answered now: who breaks, a choice that the rules offer, the next rack. */

import { button, el, rebuild } from "./dom.js";
import { Panel } from "./panel.js";
import { ballChips } from "./panel_now.js";

export class AskPanel extends Panel {
  /**
   * @param {import("./page.js").Page} page
   * @param {HTMLElement} place
   * @param {{may: () => boolean, act: (action: string, fields?: object) => Promise, stage: import("./stage.js").Stage}} tools
   */
  constructor(page, place, tools) {
    super(page, place, tools);
    this.option = null;
  }

  draw() {
    const { match } = this.page.store;
    const may = this.tools.may();
    const parts = match && may ? this.#parts(match) : [];
    this.place.hidden = !parts.length;
    const shown = match && [match.status, match.rack_over, match.match_over, match.options, match.players];
    rebuild(this.place, [this.page.language.code, may, this.option, shown], () => parts);
  }

  #parts(match) {
    if (match.status === "over" || match.match_over) return [];
    if (match.status === "waiting" && !match.history.length) return this.#break("start_title", "start", match);
    const list = (match.options?.list ?? []).filter(({ option }) => option !== "DECLARE_PUSH_OUT");
    if (list.length) return this.#choice(match, list);
    return match.rack_over ? this.#break("next_title", "next_rack", match) : [];
  }

  #break(title, action, match) {
    const { say } = this.page;
    return [
      el("h2", {}, say(title)),
      el(
        "p.row",
        {},
        ["A", "B"].map((breaker) =>
          button(say("breaks", { name: match.players[breaker] }), () => this.tools.act(action, { breaker }), { key: `break-${breaker}`, kind: "main" }),
        ),
      ),
    ];
  }

  #choice(match, list) {
    const { say, pick } = this.page;
    const { player } = match.options;
    const open = list.find(({ option }) => option === this.option);
    return [
      el("h2", {}, say("choice_title", { name: match.players[player] ?? player })),
      el(
        "p.row",
        {},
        list.map((item) =>
          button(capital(pick(item.text)), () => this.#choose(item, player), {
            key: item.option,
            kind: "main",
            "data-option": item.option,
            pressed: item.balls?.length ? item === open : undefined,
          }),
        ),
      ),
      open?.balls?.length
        ? el("div", {}, el("p", {}, say("which_ball")), ballChips(this.page, open.balls, (ball) => this.#chooseBall(open, ball, player)))
        : null,
    ];
  }

  #choose(item, player) {
    const { stage, act } = this.tools;
    if (!item.balls?.length) {
      act("choose", { option: item.option, by: player });
    } else if (this.option === item.option) {
      stage.stopAsking();
    } else {
      this.option = item.option;
      stage.onStop = () => this.#close();
      // Whites look alike: on the table itself it is plain which one is meant.
      stage.ask("ball", this.page.say("which_ball"), (ball) => this.#chooseBall(item, ball, player), item.balls);
      this.draw();
    }
  }

  #chooseBall(item, ball, player) {
    this.tools.stage.stopAsking();
    this.tools.act("choose", { option: item.option, ball, by: player });
  }

  #close() {
    this.option = null;
    this.draw();
  }
}

const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);
