/** The table itself: wood, rubber, cloth, pockets, sights and lines from above, or only its outline over the picture. */

import { svg } from "./dom.js";
import { POCKETS, mouth, mouthWidth, pocketCentre, spots } from "./table.js";

const CUSHION = 17; // rubber between nose and wood, units of a thousandth of the length: about 4 cm
const CLEAR = 0.02; // how far the outline over the picture keeps from the pockets, metres

/** Elements of the flat table. */
export function drawTable(table, map, say) {
  const [x, y] = [table.length_m / 2, table.width_m / 2];
  const unit_m = table.length_m / 1000;
  const guess = table.ends_known === false ? "?" : ""; // nothing shows which end is which: a convention, and said to be one
  const box = (name, grow, corner) => rect(map, name, x + grow * unit_m, y + grow * unit_m, corner);
  const [[ax, ay], [bx, by]] = [map.point(-x / 2, -y), map.point(-x / 2, y)];
  return [
    box("rail", map.rail, 24),
    box("rubber", CUSHION, 6),
    box("cloth", 0, 0),
    svg("path.string", { d: `M${ax} ${ay}L${bx} ${by}` }),
    POCKETS.map((name) => pocket(table, map, name, say)),
    spots(table).map((spot) => dot("spot", map.point(...spot), 3)),
    sights(table, map, unit_m),
    endName(map, -1, x + (unit_m * (map.rail + CUSHION)) / 2, y / 4, say("head") + guess),
    endName(map, 1, x + (unit_m * (map.rail + CUSHION)) / 2, y / 4, say("foot") + guess),
  ];
}

/** The lines of the noses and the head string, over a picture in which everything else is to be seen. */
export function drawOutline(table, map) {
  const [x, y] = [table.length_m / 2, table.width_m / 2];
  const corners = [
    [-x, -y],
    [x, -y],
    [x, y],
    [-x, y],
    [-x, -y],
  ];
  const sides = corners.slice(0, 4).flatMap((from, index) => [svg("path.outline", { d: line(map, from, corners[index + 1]) })]);
  const targets = POCKETS.map((name) => {
    const [u, v] = map.point(...pocketCentre(table, name), 0);
    const radius = map.radius(0, 0) * (mouthWidth(table, name) / table.ball_diameter_m + CLEAR);
    return svg("g.pocket", { "data-pocket": name }, svg("circle.pocket-ring", { cx: u, cy: v, r: radius }));
  });
  return [...sides, svg("path.string", { d: line(map, [-x / 2, -y], [-x / 2, y]) }), targets];
}

/** A straight line of the table in twelve pieces: the lens bends it. */
function line(map, [ax, ay], [bx, by]) {
  const places = Array.from({ length: 13 }, (_, i) => map.point(ax + ((bx - ax) * i) / 12, ay + ((by - ay) * i) / 12, 0));
  return `M${places.map(([u, v]) => `${u.toFixed(1)} ${v.toFixed(1)}`).join("L")}`;
}

function rect(map, name, x_m, y_m, corner) {
  const [[ax, ay], [bx, by]] = [map.point(-x_m, -y_m), map.point(x_m, y_m)];
  const [left, top] = [Math.min(ax, bx), Math.min(ay, by)];
  return svg(`rect.${name}`, { x: left, y: top, width: Math.abs(bx - ax), height: Math.abs(by - ay), rx: corner });
}

function dot(name, [x, y], radius) {
  return svg(`circle.${name}`, { cx: x.toFixed(1), cy: y.toFixed(1), r: radius });
}

function pocket(table, map, name, say) {
  const [[ax, ay], [bx, by]] = mouth(table, name).map((end) => map.point(...end));
  const [x, y] = map.point(...pocketCentre(table, name));
  const radius = ((mouthWidth(table, name) / table.length_m) * 1000) / 2;
  return svg(
    "g.pocket",
    { "data-pocket": name },
    svg("title", {}, say(`pocket_${name}`)),
    svg("path.cloth", { d: `M${ax} ${ay}L${bx} ${by}L${x} ${y}Z` }),
    dot("hole", [x, y], radius),
    svg("circle.pocket-ring", { cx: x, cy: y, r: radius + 4 }),
  );
}

function sights(table, map, unit_m) {
  const [x, y] = [table.length_m / 2, table.width_m / 2];
  const off = ((map.rail + CUSHION) / 2) * unit_m;
  const long = [1, 2, 3, 5, 6, 7].flatMap((eighth) => [-1, 1].map((side) => [-x + (table.length_m * eighth) / 8, side * (y + off)]));
  const short = [-1, 0, 1].flatMap((quarter) => [-1, 1].map((side) => [side * (x + off), (quarter * y) / 2]));
  return [...long, ...short].map((place) => dot("sight", map.point(...place), 3));
}

function endName(map, side, x_m, y_m, text) {
  const [x, y] = map.point(side * x_m, -y_m);
  const turn = map.upright ? {} : { transform: `rotate(-90 ${x.toFixed(1)} ${y.toFixed(1)})` };
  return svg("text.t.end", { x, y, "font-size": 13, ...turn }, text);
}
