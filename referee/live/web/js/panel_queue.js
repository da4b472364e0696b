/** Calls that nobody has decided: what each may have been, the pictures, and stands / overturned / too close. */

import { button, byId, el, rebuild, set } from "./dom.js";
import { Panel } from "./panel.js";
import { percent } from "./panel_call.js";

/** Its tools: `{may: () => boolean, act: Function, show: (shot: object) => void}`. */
export class QueuePanel extends Panel {
  draw() {
    const { match } = this.page.store;
    if (!match) return;
    const { say, language } = this.page;
    const may = this.tools.may();
    const count = match.undecided.length;
    this.place.hidden = !count;
    rebuild(this.place, [language.code, may, match.undecided, match.players, match.last?.number], () => [
      el("h2", { tabindex: "-1" }, say("queue"), " ", el("span.count", { "data-undecided": count }, count)),
      el("ol", {}, match.undecided.map((shot) => this.#item(shot, match, may))),
    ]);
    // Where all is in one column the table comes first, and this says what waits below it.
    set(byId("to-queue"), "hidden", !count);
    rebuild(byId("to-queue"), [language.code, count], () => [
      button("", () => this.#come(), { key: "to-queue", icon: [say("queue"), " ", el("span.count", {}, count)] }),
    ]);
  }

  #come() {
    this.place.scrollIntoView({ block: "start" });
    this.place.querySelector("h2").focus({ preventScroll: true });
  }

  #item(shot, match, may) {
    const { say, pick } = this.page;
    return el(
      match.last?.number === shot.number ? "li.is-called" : "li",
      { "data-shot": shot.number },
      el("p.meta", {}, el("span", {}, say("shot_n", { n: shot.number })), el("span", {}, match.players[shot.player] ?? "")),
      el("p.asked", {}, shot.judged === false ? say("not_judged_why") : pick(shot.call)),
      shot.still ? el("img", { src: shot.still, alt: say("still_alt", { n: shot.number }), loading: "lazy" }) : null,
      may ? el("div.choices", {}, (shot.choices ?? []).map((choice, index) => this.#choice(shot, choice, index))) : null,
      el("p.row", {}, button(say("show_on_table"), () => this.tools.show(shot), { key: `show-${shot.number}`, kind: "quiet" })),
    );
  }

  #choice(shot, choice, index) {
    const { say, pick } = this.page;
    const which = choice.word === "overturned" ? { choice: index } : {};
    return el(
      "button.choice",
      {
        type: "button",
        "data-key": `${shot.number}-${index}`,
        "data-word": choice.word,
        on: { click: () => this.tools.act("decide", { shot: shot.number, word: choice.word, ...which }) },
      },
      el("strong", {}, say(choice.word)),
      el("span", {}, pick(choice.call)),
      choice.p === null || choice.p === undefined || choice.word === "too_close" ? null : el("span.num.soft", {}, percent(choice.p)),
    );
  }
}
