/** The page's own texts in the chosen language; what the referee says comes from the server in every language. */

import { WORDS as en } from "./words_en.js";
import { WORDS as ru } from "./words_ru.js";

const LANGUAGES = { en, ru };
const KEY = "cueref.language";

/** The languages there are, in the order of the switch. */
export const languages = Object.keys(LANGUAGES);

export class Language {
  /** From the address (`?lang=ru`), else what was chosen on this device, else the browser's, else English. */
  constructor() {
    const asked = new URLSearchParams(location.search).get("lang");
    const known = [asked, stored(), ...(navigator.languages ?? []).map((tag) => tag.slice(0, 2))];
    this.code = known.find((code) => code in LANGUAGES) ?? "en";
    document.documentElement.lang = this.code;
  }

  /** Choose another; the page then writes everything anew. */
  choose(code) {
    this.code = code;
    document.documentElement.lang = code;
    try {
      localStorage.setItem(KEY, code);
    } catch {
      // Without storage the choice lasts until the page goes.
    }
  }

  /** A text with its places filled; an unknown key is shown as it stands rather than hidden. */
  say = (key, values = {}) => {
    if (key === "ball_name") return this.#ball(values.ball);
    const text = LANGUAGES[this.code][key] ?? en[key] ?? key;
    return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
  };

  /** Whether there is a text of that key. */
  has = (key) => key in en;

  /** A text of the server that comes in every language: {en: "...", ru: "..."}, or one string. */
  pick = (texts) => (typeof texts === "string" ? texts : (texts?.[this.code] ?? texts?.en ?? ""));

  #ball(ball) {
    const words = LANGUAGES[this.code];
    if (ball === "cue" || ball === "Y") return words[`ball_${ball}`];
    if (/^w\d+$/.test(ball)) return words.ball_white.replace("{n}", ball.slice(1));
    return (/^\d+$/.test(ball) ? words.ball_number : words.ball_any).replace("{n}", ball);
  }
}

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
