/** The call, large, and why: clauses, decisive picture and clip, readings and doubts behind one tap. */

import { button, el, rebuild } from "./dom.js";
import { Panel } from "./panel.js";

export class CallPanel extends Panel {
  /**
   * @param {import("./page.js").Page} page
   * @param {HTMLElement} place
   * @param {{withWhy?: boolean, onFix?: (shot: object) => void, mayFix?: () => boolean}} tools
   */
  constructor(page, place, tools) {
    super(page, place, tools);
    this.open = false;
  }

  /** The shot to speak of; null for the last. */
  show(shot) {
    this.chosen = shot;
    this.draw();
  }

  draw() {
    const { match } = this.page.store;
    if (!match) return;
    const shot = this.chosen ?? match.last;
    const may = Boolean(this.tools.mayFix?.());
    rebuild(this.place, [this.page.language.code, shot, this.open, may, match.players, match.status], () =>
      shot ? this.#parts(shot, match, may) : [el("h2.large", {}, this.page.say(match.status === "waiting" ? "waiting" : "no_call"))],
    );
    const tone = shot ? toneOf(shot) : "none";
    if (this.place.getAttribute("data-tone") !== tone) this.place.setAttribute("data-tone", tone);
  }

  #parts(shot, match, may) {
    const { say, pick } = this.page;
    const meta = el(
      "p.meta",
      {},
      el("span", {}, say("shot_n", { n: shot.number })),
      el("span", {}, match.players[shot.player] ?? ""),
      badges(this.page, shot),
    );
    return [
      this.tools.withWhy ? el("div.call-head", {}, meta, this.#buttons(shot, may)) : meta,
      el("h2.large", { id: "call-text", "data-shot": shot.number }, pick(shot.call)),
      shot.judged === false ? el("p.soft", {}, say("not_judged_why")) : null,
      this.open ? el("div.why", { id: "why" }, whyParts(this.page, shot)) : null,
    ];
  }

  #buttons(shot, may) {
    const { say } = this.page;
    const why = { key: "why", "aria-expanded": String(this.open), "aria-controls": "why" };
    return el(
      "p.call-tools",
      {},
      button(say(this.open ? "hide_why" : "why"), () => this.#toggle(), why),
      may ? button(say("correct"), () => this.tools.onFix(shot), { key: "fix", kind: "quiet" }) : null,
    );
  }

  #toggle() {
    this.open = !this.open;
    this.draw();
  }
}

/** "legal", "foul" or "undecided": the colour of the call; an official's word counts as certain. */
export function toneOf(shot) {
  return shot.verdict === "undecided" && !shot.decided ? "undecided" : shot.verdict;
}

/** How sure: certain, undecided, decided by a person, provisional. */
export function badges(page, shot) {
  const { say } = page;
  const open = toneOf(shot) === "undecided";
  const word = shot.decided ? `decided_${shot.decided}` : shot.judged === false ? "not_judged" : open ? "undecided" : "certain";
  return [
    el(`span.badge.${open ? "doubt" : "sure"}`, {}, say(word)),
    shot.provisional ? el("span.badge.doubt", { title: say("provisional_why") }, say("provisional")) : null,
  ];
}

/** Everything behind "Why". */
export function whyParts(page, shot) {
  const { say, pick, language } = page;
  const reasons = shot.reasons?.[language.code] ?? [];
  const doubts = shot.doubts?.[language.code] ?? [];
  return [
    el(
      "div.why-facts",
      {},
      section(say("readings"), readings(page, shot)),
      section(say("reasons"), reasons.length ? el("ul", {}, reasons.map((text) => el("li", {}, text))) : null),
      section(say("doubts"), el("ul", {}, doubts.length ? doubts.map((text) => el("li", {}, text)) : el("li", {}, say("no_doubts")))),
      section(
        say("clauses"),
        el("dl.clauses", {}, (shot.clauses ?? []).map((clause) => [el("dt", {}, clause.id), el("dd", {}, pick(clause.text))])),
      ),
    ),
    el("div.why-pictures", {}, pictures(page, shot)),
    shot.events?.length ? el("details", {}, el("summary", {}, `${say("events")} (${shot.events.length})`), eventList(page, shot)) : null,
  ];
}

const section = (title, body) => (body ? el("section", {}, el("h3", {}, title), body) : null);

function readings(page, shot) {
  const { say, pick } = page;
  if (!shot.readings?.length) return null;
  return el(
    "ol.readings",
    {},
    shot.readings.map((reading) => {
      const share = Math.round(reading.p * 1000) / 10;
      const bar = el("span.share", { "aria-hidden": "true" }, el("span"));
      bar.firstChild.style.width = `${share}%`;
      return el("li", {}, el("span.num", {}, percent(reading.p)), bar, el("span", {}, readingText(page, shot, reading)));
    }),
  );
}

/** The call that a reading would be, where only one would be that; else its verdict and what separates it from the others. */
function readingText({ say, pick }, shot, reading) {
  const alike = (other) => other.verdict === reading.verdict && String(other.foul_codes) === String(reading.foul_codes);
  const outcome = (shot.choices ?? []).find(alike);
  if (outcome && shot.readings.filter(alike).length === 1) return pick(outcome.call);
  const differs = pick(reading.differs);
  return say(reading.verdict) + (differs ? `: ${differs}` : "");
}

/** A probability as a person reads it; never 100 % for what is not certain. */
export function percent(p) {
  const share = p * 100;
  if (share > 99.9 && p < 1) return "> 99.9 %";
  if (share > 0 && share < 0.1) return "< 0.1 %";
  return `${share >= 99 || share < 1 ? share.toFixed(1) : Math.round(share)} %`.replace(".0 ", " ");
}

function pictures(page, shot) {
  const { say } = page;
  if (!shot.still && !shot.clip) return el("p.soft", {}, say("no_pictures"));
  return [
    shot.still
      ? el("figure", {}, el("img", { src: shot.still, alt: say("still_alt", { n: shot.number }) }), el("figcaption", {}, say("still")))
      : null,
    shot.clip
      ? el(
          "figure",
          {},
          el("video", { src: shot.clip, controls: true, muted: true, playsinline: true, preload: "metadata", "aria-label": say("clip_label", { n: shot.number }) }),
          el("figcaption", {}, say("clip")),
        )
      : null,
  ];
}

function eventList(page, shot) {
  return el(
    "dl.events",
    {},
    shot.events.map((event) => [
      el("dt", {}, `${event.t.toFixed(2)} s`),
      el("dd", {}, page.pick(event.text), event.p < 0.995 ? el("span.soft", {}, ` ${percent(event.p)}`) : ""),
    ]),
  );
}
