/** The magnifier: what lies under the finger, four times larger, at the side of the picture away from it. */

const ZOOM = 4;

/** Show the picture round a place [x, y], in its own pixels. */
export function show(canvas, picture, [x, y], screenScale) {
  const size = canvas.width;
  const span = size / (ZOOM * Math.max(screenScale, 0.25));
  const context = canvas.getContext("2d");
  context.imageSmoothingEnabled = false;
  context.fillStyle = "#000";
  context.fillRect(0, 0, size, size);
  context.drawImage(picture, x + 0.5 - span / 2, y + 0.5 - span / 2, span, span, 0, 0, size, size);
  context.strokeStyle = "#4da3ff";
  context.lineWidth = 1.5;
  context.beginPath();
  for (const [ax, ay, bx, by] of [[0, 0.5, 0.42, 0.5], [0.58, 0.5, 1, 0.5], [0.5, 0, 0.5, 0.42], [0.5, 0.58, 0.5, 1]]) {
    context.moveTo(ax * size, ay * size);
    context.lineTo(bx * size, by * size);
  }
  context.stroke();
  const left = x > picture.naturalWidth / 2;
  canvas.classList.toggle("left", left);
  canvas.classList.toggle("right", !left);
  canvas.hidden = false;
}
