/**
 * Calls said aloud by the browser: off until a person turns it on (browsers ask for that, and halls too).
 * A new call cuts an older one short; a warning or the ten seconds wait their turn.
 */

const KEY = "cueref.speech";
const ACCENTS = { en: "en-GB", ru: "ru-RU" };

export class Speech {
  constructor() {
    this.possible = "speechSynthesis" in window;
    this.on = this.possible && stored() === "on";
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
   * @param {string} text
   * @param {string} language "en" or "ru"
   * @param {boolean} now cut short what is being said
   */
  speak(text, language, now) {
    if (!this.on || !text) return;
    const utterance = new SpeechSynthesisUtterance(text);
    utterance.lang = ACCENTS[language] ?? language;
    utterance.voice = speechSynthesis.getVoices().find((voice) => voice.lang.startsWith(language)) ?? null;
    if (now) speechSynthesis.cancel();
    speechSynthesis.speak(utterance);
  }
}

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
