/** What every page has: the line, the language, speech, the banner when the line is down, and the announcer. */

import { Connection } from "./connection.js";
import { byId, el, fill, rebuild, write } from "./dom.js";
import { Language, languages } from "./language.js";
import { Speech } from "./speech.js";
import { Store } from "./store.js";

export class Page {
  /**
   * @param {(page: Page) => void} draw writes everything anew, after a change of language
   */
  constructor(draw = () => {}) {
    this.language = new Language();
    this.say = this.language.say;
    this.pick = this.language.pick;
    this.store = new Store();
    this.speech = new Speech();
    this.draw = draw;
    this.heard = [];
  }

  /** Open the line. Call it when all listeners are in place. */
  start() {
    this.#texts();
    this.store.on(["line"], () => this.#banner());
    keepAwake();
    this.line = new Connection("/ws", {
      message: (message) => this.#received(message),
      state: (state) => this.store.line(state),
    });
  }

  /** Call `listener` with every message of that type. */
  hear(type, listener) {
    this.heard.push({ type, listener });
  }

  #received(message) {
    this.store.take(message);
    if (message.type === "say") this.announce(this.pick(message.text), message.kind);
    for (const { type, listener } of this.heard) if (type === message.type) listener(message);
  }

  /** Say something to those who listen: through a screen reader's live region, and aloud where speech is on. */
  announce(text, kind = "call") {
    const region = document.getElementById("announcer");
    if (region) fill(region, el("p", {}, text)); // A new element, so that the same words are read again.
    this.speech.speak(text, this.language.code, kind === "call");
  }

  /** Buttons for the languages and for speech. */
  drawTools(place) {
    const { code } = this.language;
    rebuild(place, [code, this.speech.on], () => [
      el(
        "div.switch",
        { role: "group", "aria-label": this.say("language") },
        languages.map((name) =>
          el(
            "button",
            {
              type: "button",
              lang: name,
              "data-key": `lang-${name}`,
              "aria-pressed": String(name === code),
              "aria-label": this.say(`language_${name}`),
              on: { click: () => this.choose(name) },
            },
            name.toUpperCase(),
          ),
        ),
      ),
      this.speech.possible
        ? el(
            "button.speech",
            {
              type: "button",
              "data-key": "speech",
              "aria-pressed": String(this.speech.on),
              title: this.say("speech_title"),
              on: { click: () => this.#toggleSpeech(place) },
            },
            this.say("speech"),
          )
        : null,
    ]);
  }

  #toggleSpeech(place) {
    this.speech.toggle();
    this.drawTools(place);
    const call = this.store.match?.last?.call;
    if (this.speech.on && call) this.speech.speak(this.pick(call), this.language.code, true);
  }

  /** Another language, everywhere at once. */
  choose(code) {
    this.language.choose(code);
    this.#texts();
    this.draw(this);
    this.store.tell("match", "table", "clock", "camera", "help", "line", "role");
  }

  /** Texts of the document itself: elements with `data-say` and `data-label`. */
  #texts() {
    for (const node of document.querySelectorAll("[data-say]")) write(node, this.say(node.getAttribute("data-say")));
    for (const node of document.querySelectorAll("[data-label]")) {
      node.setAttribute("aria-label", this.say(node.getAttribute("data-label")));
    }
    document.title = this.say(document.documentElement.getAttribute("data-title"));
  }

  #banner() {
    const banner = document.getElementById("banner");
    if (!banner) return;
    const { online, lostAt } = this.store;
    document.documentElement.classList.toggle("offline", !online);
    banner.hidden = online;
    if (online) return;
    fill(
      banner,
      el("span", {}, this.say(lostAt === null && !this.store.match ? "connecting" : "offline")),
      el("button", { type: "button", on: { click: () => this.line.retry() } }, this.say("try_now")),
    );
  }
}

/** Keep the screen on while the page is looked at; browsers allow it on this machine and over https only. */
function keepAwake() {
  const ask = () => document.visibilityState === "visible" && navigator.wakeLock?.request("screen").catch(() => null);
  document.addEventListener("visibilitychange", ask);
  ask();
}

/** Keep the width of the screen in mind: true while it matches, and `listener` on change. */
export function watchMedia(query, listener) {
  const media = matchMedia(query);
  media.addEventListener("change", () => listener(media.matches));
  return media.matches;
}

export { byId };
