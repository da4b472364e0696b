/** The colours in which people know the balls, as the report draws them (vision/palette.py). For showing only. */

const SOLID = ["#f2c41a", "#2654c4", "#d42a24", "#683496", "#f07a1a", "#107a3e", "#7e2228", "#18181a"];
const IVORY = "#faf7ec";
const COLOURED = "#d68c1e";
const UNNAMED = "#a8acb2";

const isNumber = (ball) => /^\d+$/.test(ball) && Number(ball) >= 1 && Number(ball) <= 15;
export const isWhite = (ball) => /^w\d+$/.test(ball);

/** Colour of a ball; a striped one gives the colour of its stripe, an unnamed one grey. */
export function ballColour(ball) {
  if (ball === "cue" || isWhite(ball)) return IVORY;
  if (ball === "Y") return COLOURED;
  return isNumber(ball) ? SOLID[(Number(ball) - 1) % 8] : UNNAMED;
}

/** True for 9 to 15. */
export const isStriped = (ball) => isNumber(ball) && Number(ball) >= 9;

/** What is written on a ball: its number; nothing on the cue ball. Whites carry the number of their label. */
export function ballLabel(ball) {
  if (isNumber(ball) || /^b\d+$/.test(ball)) return ball;
  return isWhite(ball) ? ball.slice(1) : "";
}

/** True where white writing reads better than black (luma below 140, ITU-R BT.601). */
export function isDark(ball) {
  const hex = ballColour(ball);
  const [red, green, blue] = [1, 3, 5].map((start) => parseInt(hex.slice(start, start + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue < 140;
}

/** Order in which people list balls: the ball to be struck first, then by number. */
export function byNumber(one, two) {
  const rank = (ball) => (ball === "cue" || ball === "Y" ? 0 : Number(ball.replace(/\D/g, "")) || 99);
  return rank(one) - rank(two);
}
