/** What is drawn on the table for a shot and for helping hands: paths, contacts, zones, ghosts and distances. */

import { ballColour, ballLabel } from "./balls.js";
import { svg } from "./dom.js";
import { pocketCentre } from "./table.js";

const SURE = 0.9; // probability from which a mark is drawn full; below it faint, as in the report

const spell = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** Each ball's line in its own colour, on a light halo. */
export function drawPaths(shot, map) {
  return Object.entries(shot.paths ?? {}).flatMap(([ball, path]) => {
    if (path.length < 2) return [];
    const d = `M${path.map(([, x_m, y_m]) => spell(map.point(x_m, y_m))).join("L")}`;
    return [svg("path.halo", { d }), svg("path.path", { d, stroke: ballColour(ball) })];
  });
}

/** First contact as a dashed ring, other contacts as dots, cushions as bars, fallen balls in their pockets. */
export function drawMarks(shot, map, table, say) {
  let first = true;
  const marks = [];
  for (const event of shot.events ?? []) {
    const balls = event.type === "ball_ball" ? [event.a, event.b] : event.type === "ball_cushion" ? [event.ball] : [];
    const places = balls.map((ball) => placeAt(shot.paths?.[ball], event.t) ?? shot.before?.[ball]);
    if (!places.length || places.some((place) => !place)) continue;
    const faint = (event.p ?? 1) >= SURE ? "" : ".faint";
    const isFirst = first && balls.length === 2 && balls.includes(shot.cue_ball);
    if (isFirst) first = false;
    const shape = balls.length === 2 ? contact(places, isFirst, map) : bar(event.cushion, places[0], map, table);
    marks.push(svg(`g.mark${faint}`, {}, shape));
  }
  return [...marks, ...fallen(shot, map, table, say)];
}

function contact([a, b], isFirst, map) {
  const [x, y] = map.point((a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
  const [u, v] = map.point(...a);
  const radius = map.radius(...a);
  return [
    svg("circle.dot", { cx: x, cy: y, r: 0.28 * radius }),
    isFirst ? svg("circle.first", { cx: u, cy: v, r: radius }) : null,
  ];
}

function bar(cushion, [x_m, y_m], map, table) {
  const half = table.ball_diameter_m / 2;
  const [x, y] = [table.length_m / 2, table.width_m / 2];
  const ends =
    cushion === "head" || cushion === "foot"
      ? [-half, half].map((d) => [cushion === "head" ? -x : x, y_m + d])
      : [-half, half].map((d) => [x_m + d, cushion === "left" ? y : -y]);
  return svg("path.bar", { d: `M${ends.map((end) => spell(map.point(...end))).join("L")}` });
}

function fallen(shot, map, table, say) {
  const count = {};
  return (shot.pocketed ?? []).map(([ball, pocket]) => {
    const [x_m, y_m] = pocketCentre(table, pocket);
    count[pocket] = (count[pocket] ?? -1) + 1;
    const [x, y] = map.point(x_m - Math.sign(x_m || 1) * count[pocket] * 1.4 * table.ball_diameter_m * 0.5, y_m);
    const radius = map.radius(x_m, y_m) * 0.85;
    const text = ballLabel(ball) ? svg("text.t.light", { x, y, "font-size": radius * 1.1 }, ballLabel(ball)) : null;
    return svg("g.fallen", {}, svg("title", {}, say("ball_name", { ball })), svg("circle", { cx: x, cy: y, r: radius, fill: ballColour(ball) }), text);
  });
}

/** Where a path is at `t`, straight between its points; its ends hold outside. */
function placeAt(path, t) {
  if (!path?.length) return null;
  if (t <= path[0][0]) return path[0].slice(1);
  for (let i = 1; i < path.length; i += 1) {
    const [ta, xa, ya] = path[i - 1];
    const [tb, xb, yb] = path[i];
    if (t > tb) continue;
    const share = tb === ta ? 0 : (t - ta) / (tb - ta);
    return [xa + share * (xb - xa), ya + share * (yb - ya)];
  }
  return path[path.length - 1].slice(1);
}

/** A polygon of the table; its edges in pieces because the lens bends them. */
export function drawZone(polygon, map) {
  const places = polygon.flatMap(([px, py], i) => {
    const [qx, qy] = polygon[(i + 1) % polygon.length];
    return Array.from({ length: 8 }, (_, k) => map.point(px + ((qx - px) * k) / 8, py + ((qy - py) * k) / 8, 0));
  });
  return [svg("path.zone", { d: `M${places.map(spell).join("L")}Z` })];
}

/**
 * Ghost rings where balls have to go, with an arrow from where each is, and a note beside it.
 * @param {Array<{ball: string, x_m: number, y_m: number, now: number[]|null, done: boolean, text: string}>} targets
 */
export function drawHelp(targets, map) {
  const [left, top, width, height] = map.box;
  const size = map.kind === "camera" ? width / 62 : 21;
  const ghosts = targets.map(({ x_m, y_m, now, done }) => {
    const [x, y] = map.point(x_m, y_m);
    const radius = map.radius(x_m, y_m);
    const [nx, ny] = now ? map.point(...now) : [x, y];
    const far = now && !done && Math.hypot(nx - x, ny - y) > 0.2 * radius;
    return svg(
      `g.ghost${done ? ".done" : ""}`,
      {},
      far ? svg("path.pull", { d: `M${spell([nx, ny])}L${spell([x, y])}` }) : null,
      svg("circle.ghost-ring", { cx: x, cy: y, r: radius + 3 }),
      svg("path.cross", { d: `M${x - 5} ${y}H${x + 5}M${x} ${y - 5}V${y + 5}` }),
    );
  });
  const notes = targets
    .filter(({ text }) => text)
    .map(({ x_m, y_m, text, done }) => {
      const [x, y] = map.point(x_m, y_m);
      const up = y - top > height / 2 ? -1 : 1;
      const half = (text.length * size * 0.64) / 2;
      const u = Math.max(left + half + 6, Math.min(left + width - half - 6, x));
      return svg(
        `g.note${done ? ".done" : ""}`,
        {},
        svg("rect", { x: u - half - 8, y: y + up * 2.1 * size - 0.8 * size, width: 2 * half + 16, height: 1.6 * size, rx: 0.4 * size }),
        svg("text.t", { x: u, y: y + up * 2.1 * size, "font-size": size }, text),
      );
    });
  return { ghosts, notes };
}
