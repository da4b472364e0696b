/** A table as geometry in the table frame, metres: the same formulas as calibration/table.py. */

export const POCKETS = ["HL", "HR", "SL", "SR", "FL", "FR"];
export const CUSHIONS = ["head", "foot", "left", "right"];

const FALLBACK_CORNER_MOUTH = 2.03; // in ball diameters, where no standard gives one (WPA: 2.00 to 2.06)
const FALLBACK_SIDE_MOUTH = 2.25; // (WPA: 2.22 to 2.28)

export const mouthWidth = (table, pocket) =>
  pocket[0] === "S"
    ? (table.side_mouth_m ?? FALLBACK_SIDE_MOUTH * table.ball_diameter_m)
    : (table.corner_mouth_m ?? FALLBACK_CORNER_MOUTH * table.ball_diameter_m);

/** The two nose ends of a pocket. */
export function mouth(table, pocket) {
  const y = (table.width_m / 2) * (pocket[1] === "L" ? 1 : -1);
  if (pocket[0] === "S") {
    const half = mouthWidth(table, pocket) / 2;
    return [
      [-half, y],
      [half, y],
    ];
  }
  const x = (table.length_m / 2) * (pocket[0] === "F" ? 1 : -1);
  const cut = mouthWidth(table, pocket) / Math.SQRT2;
  return [
    [x, y - Math.sign(y) * cut],
    [x - Math.sign(x) * cut, y],
  ];
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
export const spots = (table) => [
  [-table.length_m / 4, 0],
  [0, 0],
  [table.length_m / 4, 0],
];

/**
 * Where the cue ball in hand may lie, as the corners of a rectangle; null where it may not be placed at all.
 * @param {string} cueState one of rules.md's cue states
 */
export function handZone(table, cueState) {
  const [x, y, quarter] = [table.length_m / 2, table.width_m / 2, table.length_m / 4];
  if (cueState === "hand_anywhere" || cueState === "in_hand") return { from_m: [-x, -y], to_m: [x, y] };
  if (cueState === "hand_kitchen" || cueState === "hand_house") return { from_m: [-x, -y], to_m: [-quarter, y] };
  if (cueState === "hand_temp_house") return { from_m: [quarter, -y], to_m: [x, y] };
  return null;
}
