/**
 * Calls said aloud by the browser, off until a person turns them on (browsers ask for that, and halls too).
 * A new call cuts an older one short; the same call is never said twice, also not after a return of the line.
 */

const KEY = "cueref.speech";
const VOICES = { en: "en-GB", ru: "ru-RU" };

export class Speech {
  #said = null;

  constructor() {
    this.possible = "speechSynthesis" in window;
    this.on = this.possible && remembered() === "on";
  }

  /** Turn on or off, and remember it on this device. */
  toggle(on = !this.on) {
    this.on = on && this.possible;
    try {
      localStorage.setItem(KEY, this.on ? "on" : "off");
    } catch {
      // Without storage (a private window) the choice lasts until the page goes.
    }
    if (!this.on && this.possible) speechSynthesis.cancel();
  }

  /**
   * @param {string} key what makes this call another than the last, such as the shot with its version
   * @param {string} text
   * @param {string} language "en" or "ru"
   */
  say(key, text, language) {
    const isNew = this.#said !== key;
    this.#said = key;
    if (!this.on || !isNew || !text) return false;
    const utterance = new SpeechSynthesisUtterance(text);
    utterance.lang = VOICES[language] ?? language;
    utterance.voice = speechSynthesis.getVoices().find((voice) => voice.lang.startsWith(language)) ?? null;
    speechSynthesis.cancel();
    speechSynthesis.speak(utterance);
    return true;
  }

  /** Take a call as known without saying it: what stood on the page when it was opened is no news. */
  know(key) {
    this.#said = key;
  }
}

function remembered() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
