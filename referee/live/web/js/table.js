/** A table as geometry in the table frame, metres, as the server sends it (calibration/table.py). */

export const POCKETS = ["HL", "HR", "SL", "SR", "FL", "FR"];
export const CUSHIONS = ["head", "foot", "left", "right"];

/** The two nose ends of a pocket. */
export const mouth = (table, pocket) => table.pockets[pocket];

/** Distance between the two nose ends of a pocket. */
export function mouthWidth(table, pocket) {
  const [[ax, ay], [bx, by]] = mouth(table, pocket);
  return Math.hypot(bx - ax, by - ay);
}

/** Middle of the hole, behind the mouth by about half of its width. */
export function pocketCentre(table, pocket) {
  const [[ax, ay], [bx, by]] = mouth(table, pocket);
  const [x, y] = [(ax + bx) / 2, (ay + by) / 2];
  if (pocket[0] === "S") return [x, y + Math.sign(y) * 0.42 * mouthWidth(table, pocket)];
  const back = (0.6 * mouthWidth(table, pocket)) / Math.SQRT2;
  return [x + Math.sign(x) * back, y + Math.sign(y) * back];
}

/** Head, centre and foot spot. */
export const spots = (table) => Object.values(table.spots);

/** The two cushions nearest to a place, the nearer of each pair: what a ball may be frozen to. */
export function nearCushions(table, [x_m, y_m]) {
  return [x_m < 0 ? "head" : "foot", y_m > 0 ? "left" : "right"].sort(
    (one, two) => gap(table, one, x_m, y_m) - gap(table, two, x_m, y_m),
  );
}

function gap(table, cushion, x_m, y_m) {
  return cushion === "head" || cushion === "foot" ? table.length_m / 2 - Math.abs(x_m) : table.width_m / 2 - Math.abs(y_m);
}
