/**
 * The line to the referee: one WebSocket that comes back by itself.
 *
 * After a break it tries again at once, then after 0.5, 1, 2, 4 and at most 8 s, each with some chance added so that a
 * hall of tablets does not knock at one moment; it tries at once when the browser says that the network is back or the
 * page is looked at again. The server sends a whole `snapshot` first, so a page that was away catches up with it.
 *
 * An action is answered by `done` or `refused`. One that was under way when the line broke is sent again under the same
 * id after the return, which the server knows and carries out once. While the line is down nothing new is taken: an
 * official must not believe that something was recorded.
 */

const FIRST_WAIT_S = 0.5;
const LONGEST_WAIT_S = 8;
const ASK_S = 3; // The server speaks at least every one and a half seconds; after that long without a word the page asks.
const DEAD_S = 6; // No word after that long: a dead line that nobody closed.
const ANSWER_S = 8; // Rules answer within a second; a correction that judges a long match again may take some.

export class Connection {
  #socket = null;
  #tries = 0;
  #timer = null;
  #heard = 0;
  #pending = new Map();
  #count = 0;
  // Ids are unique across tabs and restarts: the server carries each out once.
  #prefix = Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => byte.toString(16).padStart(2, "0")).join("");

  /**
   * @param {string} path such as "/ws"
   * @param {{message: (data: object) => void, state: (state: {online: boolean, retry_s: number|null}) => void}} listener
   */
  constructor(path, listener) {
    this.url = new URL(path, location.href);
    this.url.protocol = this.url.protocol === "https:" ? "wss:" : "ws:";
    this.listener = listener;
    this.online = false;
    addEventListener("online", () => this.retry());
    addEventListener("offline", () => this.#socket?.close());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.retry());
    setInterval(() => this.#listen(), 1000);
    this.#open();
  }

  /** Try now instead of waiting. */
  retry() {
    if (this.online || this.#socket) return;
    clearTimeout(this.#timer);
    this.#open();
  }

  /**
   * Ask for something to be done.
   * @returns {Promise<{done: boolean, text?: string}>} refused with the server's reason, or because the line is down
   */
  send(action, fields = {}) {
    if (!this.online) return Promise.resolve({ done: false, reason: "offline" });
    this.#count += 1;
    const id = `${this.#prefix}-${this.#count}`;
    const message = JSON.stringify({ type: "do", id, action, ...fields });
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#answer(id, { done: false, reason: "no_answer" }), ANSWER_S * 1000);
      this.#pending.set(id, { message, resolve, timer });
      this.#socket.send(message);
    });
  }

  #open() {
    const socket = new WebSocket(this.url);
    this.#socket = socket;
    socket.addEventListener("message", (event) => this.#received(JSON.parse(event.data)));
    socket.addEventListener("close", () => this.#closed(socket));
    socket.addEventListener("open", () => {
      this.#heard = performance.now();
    });
  }

  #received(data) {
    this.#heard = performance.now();
    if (data.type === "snapshot" && !this.online) {
      this.online = true;
      this.#tries = 0;
      for (const { message } of this.#pending.values()) this.#socket.send(message);
      this.listener.state({ online: true, retry_s: null });
    }
    if (data.type === "done" || data.type === "refused") this.#answer(data.id, { ...data, done: data.type === "done" });
    this.listener.message(data);
  }

  #answer(id, reply) {
    const waiting = this.#pending.get(id);
    if (!waiting) return;
    clearTimeout(waiting.timer);
    this.#pending.delete(id);
    waiting.resolve(reply);
  }

  #closed(socket) {
    if (socket !== this.#socket) return;
    this.#socket = null;
    this.online = false;
    const wait_s = Math.min(LONGEST_WAIT_S, this.#tries === 0 ? 0 : FIRST_WAIT_S * 2 ** (this.#tries - 1)) + Math.random() * 0.3;
    this.#tries += 1;
    this.#timer = setTimeout(() => this.#open(), wait_s * 1000);
    this.listener.state({ online: false, retry_s: wait_s });
  }

  #listen() {
    const silent_s = (performance.now() - this.#heard) / 1000;
    if (this.#socket?.readyState !== WebSocket.OPEN || silent_s < ASK_S) return;
    const socket = this.#socket;
    if (silent_s < DEAD_S) {
      socket.send('{"type":"hello"}');
      return;
    }
    socket.close();
    this.#closed(socket); // The closing handshake of a dead line can take a minute.
  }
}
