/** What the server said last, part by part, and who wants to know when a part changes. */

const LIVE = ["table", "clock", "camera", "help"];

export class Store {
  #listeners = [];

  constructor() {
    this.role = "reader";
    this.match = null;
    this.table = null;
    this.clock = null;
    this.clockAt = 0;
    this.camera = null;
    this.help = null;
    this.online = false;
    this.retry_s = null;
    this.lostAt = null;
  }

  /** Call `listener` after any of those parts ("match", "table", "clock", "camera", "help", "line", "role") has changed. */
  on(parts, listener) {
    this.#listeners.push({ parts: new Set(parts), listener });
  }

  /** Take in a message of the server; gives the parts that changed. */
  take(message) {
    if (message.type === "snapshot") {
      this.role = message.role;
      this.match = message.match;
      for (const part of LIVE) this[part] = message.live?.[part] ?? null;
      this.clockAt = performance.now();
      this.tell("role", "match", ...LIVE);
    } else if (message.type === "match" || LIVE.includes(message.type)) {
      this[message.type] = message[message.type];
      if (message.type === "clock") this.clockAt = performance.now();
      this.tell(message.type);
    }
  }

  /** The line broke or came back. */
  line({ online, retry_s }) {
    if (this.online && !online) this.lostAt = performance.now();
    this.online = online;
    this.retry_s = retry_s;
    if (online) this.lostAt = null;
    this.tell("line");
  }

  /** Tell everybody who asked for one of these parts, each once. */
  tell(...parts) {
    for (const { parts: wanted, listener } of this.#listeners) if (parts.some((part) => wanted.has(part))) listener();
  }

  /** Seconds left on the shot clock now, counted on from the last message; null where no clock runs. */
  left_s() {
    const { clock } = this;
    if (!clock || clock.state === "off" || clock.left_s === null || clock.left_s === undefined) return null;
    const since_s = clock.state === "running" && this.online ? (performance.now() - this.clockAt) / 1000 : 0;
    return Math.max(0, clock.left_s - since_s);
  }

  /** The shot to be shown: one of the undecided, the last, or null where it is neither. */
  shot(number) {
    if (!this.match) return null;
    if (this.match.last?.number === number) return this.match.last;
    return this.match.undecided.find((shot) => shot.number === number) ?? null;
  }
}
