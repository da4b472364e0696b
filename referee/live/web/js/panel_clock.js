/** The shot clock as digits that count on between messages. */

import { el, rebuild, set, write } from "./dom.js";

const TEN_S = 10;
const TICK_MS = 200;

export class ClockFace {
  /**
   * @param {import("./page.js").Page} page
   * @param {HTMLElement} place where the digits go
   */
  constructor(page, place) {
    this.page = page;
    this.place = place;
    page.store.on(["clock", "line"], () => this.draw());
    setInterval(() => this.draw(), TICK_MS);
  }

  draw() {
    const { store, say, language } = this.page;
    const { clock } = store;
    const left_s = store.left_s();
    const shown = Boolean(clock) && clock.state !== "off" && left_s !== null;
    this.place.hidden = !shown;
    if (!shown) return;
    rebuild(this.place, language.code, () => [
      el("span.digits", { role: "timer", "aria-label": say("clock") }),
      el("span.clock-state", {}),
    ]);
    const [digits, state] = this.place.children;
    // Rounded up: a clock that shows 0 has run out.
    write(digits, clock.state === "expired" ? "0" : String(Math.ceil(left_s - 1e-6)));
    const ten = clock.state === "running" && (clock.ten || left_s <= TEN_S);
    const running = ten ? say("ten_seconds") : say("seconds_left");
    write(state, clock.state === "running" ? running : clock.state === "paused" ? pauseText(this.page) : say(`clock_${clock.state}`));
    set(this.place, "data-state", clock.state === "expired" ? "expired" : ten ? "ten" : clock.state);
  }
}

/** Why nothing runs: a pause, or the time-out of a player. */
export function pauseText(page) {
  const { clock, match } = page.store;
  return clock?.timeout ? `${page.say("time_out")}: ${match?.players[clock.timeout] ?? clock.timeout}` : page.say("paused");
}
