/**
 * From metres in the table frame (x head to foot, y to the left, z up) to the units of a drawing.
 *
 * flat    the table from above; a unit is a thousandth of its length. Lying: head at the left. Upright, for phones:
 *         head towards the reader.
 * camera  the picture of the camera, in its pixels: pinhole with the lens distortion k1 k2 p1 p2 k3 (Brown 1966), the
 *         model of table.json. Balls go through the plane one radius above the cloth, as they are seen.
 */

const RAIL = 46;

/**
 * @param {{length_m: number, width_m: number, ball_diameter_m: number}} table
 * @param {boolean} upright
 */
export function flat(table, upright) {
  const perM = 1000 / table.length_m;
  const halfWidth = (500 * table.width_m) / table.length_m;
  const [w, h] = upright ? [halfWidth, 500] : [500, halfWidth];
  return {
    kind: "flat",
    upright,
    rail: RAIL,
    box: [-w - RAIL, -h - RAIL, 2 * (w + RAIL), 2 * (h + RAIL)],
    point: (x_m, y_m) => (upright ? [-y_m * perM, -x_m * perM] : [x_m * perM, -y_m * perM]),
    radius: () => (table.ball_diameter_m / 2) * perM,
    /** Metres of a drawing point. */
    inverse: (u, v) => (upright ? [-v / perM, -u / perM] : [u / perM, -v / perM]),
  };
}

/**
 * @param {{ball_diameter_m: number}} table
 * @param {{K: number[][], distortion: number[], R: number[][], t: number[], image_size_px: number[]}} camera
 */
export function camera(table, camera) {
  const radius_m = table.ball_diameter_m / 2;
  const [width, height] = camera.image_size_px;
  const point = (x_m, y_m, z_m = radius_m) => project(camera, x_m, y_m, z_m);
  return {
    kind: "camera",
    upright: false,
    rail: 0,
    box: [0, 0, width, height],
    point,
    radius: (x_m, y_m) => {
      const [ax, ay] = point(x_m - radius_m, y_m);
      const [bx, by] = point(x_m + radius_m, y_m);
      return Math.hypot(bx - ax, by - ay) / 2;
    },
    inverse: (u, v) => invert(point, u, v),
  };
}

function project({ K, R, t, distortion }, x, y, z) {
  const [cx, cy, cz] = [0, 1, 2].map((row) => R[row][0] * x + R[row][1] * y + R[row][2] * z + t[row]);
  const [a, b] = [cx / cz, cy / cz];
  const [k1 = 0, k2 = 0, p1 = 0, p2 = 0, k3 = 0] = distortion ?? [];
  const r2 = a * a + b * b;
  const radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3));
  const u = a * radial + 2 * p1 * a * b + p2 * (r2 + 2 * a * a);
  const v = b * radial + p1 * (r2 + 2 * b * b) + 2 * p2 * a * b;
  return [K[0][0] * u + K[0][1] * v + K[0][2], K[1][1] * v + K[1][2]];
}

/** Newton's method on the projection, from the middle of the table; a few steps reach a tenth of a millimetre. */
function invert(point, u, v) {
  let [x, y] = [0, 0];
  const h = 0.001;
  for (let step = 0; step < 8; step += 1) {
    const [pu, pv] = point(x, y);
    const [xu, xv] = point(x + h, y);
    const [yu, yv] = point(x, y + h);
    const [a, b, c, d] = [(xu - pu) / h, (yu - pu) / h, (xv - pv) / h, (yv - pv) / h];
    const det = a * d - b * c || 1e-9;
    x += (d * (u - pu) - b * (v - pv)) / det;
    y += (a * (v - pv) - c * (u - pu)) / det;
  }
  return [x, y];
}
