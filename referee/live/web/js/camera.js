/**
 * The camera's picture on a canvas: the multipart stream of /camera read by hand.
 *
 * An <img> would do, but Chromium shows a part of such a stream only when the next one begins, one picture late, and the
 * last one never. Here a picture is drawn when its last byte is there; while one is being decoded only the newest waits.
 */

const RETRY_MS = 2000;
const HEAD_END = [13, 10, 13, 10];

export class CameraPicture {
  #abort = null;
  #waiting = null;
  #busy = false;

  /** @param {HTMLCanvasElement} canvas takes the size of the picture */
  constructor(canvas) {
    this.canvas = canvas;
  }

  /** Fetch pictures until `stop`: they are most of a page's traffic, so only while somebody looks. */
  start() {
    if (this.#abort) return;
    this.#abort = new AbortController();
    this.#keepReading(this.#abort.signal);
  }

  stop() {
    this.#abort?.abort();
    this.#abort = null;
  }

  async #keepReading(signal) {
    while (!signal.aborted) {
      try {
        const answer = await fetch("/camera", { signal });
        if (answer.ok) await this.#read(answer.body.getReader());
      } catch {
        // The line broke, or nobody looks any more; the loop knows which.
      }
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  async #read(reader) {
    let held = new Uint8Array(0);
    let length = null;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      held = joined(held, value);
      for (;;) {
        if (length === null) {
          const end = find(held, HEAD_END);
          if (end < 0) break;
          length = Number(/content-length:\s*(\d+)/i.exec(new TextDecoder().decode(held.subarray(0, end)))?.[1] ?? 0);
          held = held.subarray(end + HEAD_END.length);
        }
        if (held.length < length) break;
        if (length > 0) this.#show(new Blob([held.slice(0, length)], { type: "image/jpeg" }));
        held = held.subarray(length);
        length = null;
      }
    }
  }

  async #show(picture) {
    this.#waiting = picture;
    if (this.#busy) return;
    this.#busy = true;
    while (this.#waiting) {
      const next = this.#waiting;
      this.#waiting = null;
      const bitmap = await createImageBitmap(next).catch(() => null);
      if (!bitmap) continue;
      if (this.canvas.width !== bitmap.width || this.canvas.height !== bitmap.height) {
        this.canvas.width = bitmap.width;
        this.canvas.height = bitmap.height;
      }
      this.canvas.getContext("2d").drawImage(bitmap, 0, 0);
      this.canvas.dataset.shown = String(Number(this.canvas.dataset.shown ?? 0) + 1);
      bitmap.close();
    }
    this.#busy = false;
  }
}

function joined(one, two) {
  const both = new Uint8Array(one.length + two.length);
  both.set(one);
  both.set(two, one.length);
  return both;
}

function find(bytes, pattern) {
  for (let at = bytes.indexOf(pattern[0]); at >= 0; at = bytes.indexOf(pattern[0], at + 1)) {
    if (pattern.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}
