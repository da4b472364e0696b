/** All shots of the match, the newest first; what people said and no shot has used yet; what was assumed or must be missing. */

import { button, el, rebuild } from "./dom.js";
import { Panel } from "./panel.js";

/** Its tools: `{may?: Function, act?: Function, show?: (number: number) => void, fix?: (number: number) => void, most?: number}`. */
export class ShotsPanel extends Panel {
  draw() {
    const { match } = this.page.store;
    if (!match) return;
    const { say, language } = this.page;
    const may = Boolean(this.tools.may?.());
    const rows = [...match.history].reverse().slice(0, this.tools.most ?? Infinity);
    const notes = this.tools.show ? [match.assumed, match.missing] : [];
    this.place.hidden = !rows.length && !may;
    rebuild(this.place, [language.code, may, rows, match.people, notes, match.players], () => [
      may && match.people?.length ? [el("h2", {}, say("people_title")), el("ul.people", {}, match.people.map((item) => this.#said(item)))] : null,
      el("h2", {}, say("shots")),
      rows.length ? el("ol.history", { reversed: true }, rows.map((row) => this.#row(row, match, may))) : el("p.soft", {}, say("no_call")),
      this.tools.show ? this.#notes(match) : null,
    ]);
  }

  #row(row, match, may) {
    const { say, pick } = this.page;
    const open = row.verdict === "undecided" && !row.decided;
    return el(
      `li.${open ? "undecided" : row.verdict}`,
      { "data-shot": row.number },
      el("span.num", {}, row.number),
      el("span.who", {}, match.players[row.player] ?? ""),
      el(
        "span.said",
        {},
        pick(row.call),
        row.decided ? el("span.badge.sure", {}, say(`decided_${row.decided}`)) : null,
        row.provisional ? el("span.badge.doubt", {}, say("provisional")) : null,
      ),
      el("span.num.scores", {}, `${row.scores.A}:${row.scores.B}`),
      this.tools.show
        ? el(
            "span.tools",
            {},
            button(say("show"), () => this.tools.show(row.number), { key: `show-${row.number}`, kind: "quiet", label: say("show_shot", { n: row.number }) }),
            may ? button(say("correct"), () => this.tools.fix(row.number), { key: `fix-${row.number}`, kind: "quiet", label: say("fix_title", { n: row.number }) }) : null,
          )
        : null,
    );
  }

  #said(item) {
    const { say, pick } = this.page;
    return el(
      "li",
      { "data-event": item.event },
      el("span.said", {}, pick(item.text)),
      button(say("take_back"), () => this.tools.act("correct", { event: item.event, void: true }), { key: `back-${item.event}`, kind: "quiet" }),
    );
  }

  #notes(match) {
    const { say, language } = this.page;
    const missing = match.missing?.[language.code] ?? [];
    const list = (title, items) => (items?.length ? [el("h3", {}, say(title)), el("ul.soft", {}, items.map((text) => el("li", {}, text)))] : null);
    return [list("missing", missing), list("assumed", match.assumed)];
  }
}
