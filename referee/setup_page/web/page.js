/** The calibration page: asks the server, draws what was found, hands on what a person does. */

import { makeHandles } from "./handles.js";

const SVG = "http://www.w3.org/2000/svg";
const CUSTOM = "sizes by tape measure";
const at = (id) => document.getElementById(id);
const [stage, picture, over, said] = ["stage", "picture", "over", "said"].map(at);
const lines = document.createElementNS(SVG, "g");
const handles = makeHandles({ over, picture, canvas: at("lens") }, (corners) => act("corners", { corners }));
let version = null;
let turn = 0;

async function act(name, data = {}) {
  const mine = ++turn;
  stage.classList.add("busy");
  say("");
  verdict("Looking…", "wait");
  for (const button of document.querySelectorAll("button")) button.disabled = true;
  try {
    const answer = await fetch(`/${name}`, name === "state" ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(data) });
    const found = answer.headers.get("content-type")?.includes("json") ? await answer.json() : { error: await answer.text() };
    if (mine !== turn) return; // a later action has its answer on the way
    if (found.error) {
      if (name !== "state") await refresh(mine);
      say(found.error);
    } else {
      await render(found);
      if (name === "save") say("Saved.", "good");
    }
  } catch {
    if (mine === turn) { verdict("No answer", "bad"); say("The server does not answer; is cueref calibrate --page still running?"); }
  } finally {
    if (mine === turn) {
      stage.classList.remove("busy");
      for (const button of document.querySelectorAll("button")) if (button.id !== "save") button.disabled = false;
    }
  }
}

async function refresh(mine) {
  const answer = await fetch("/state");
  if (mine === turn && answer.ok) await render(await answer.json());
}

function say(text, tone = "") {
  said.textContent = text;
  said.dataset.tone = tone;
}

function verdict(text, tone) {
  at("verdict").textContent = text;
  at("verdict").dataset.tone = tone;
}

async function render(state) {
  const [width, height] = state.size_px;
  if (state.version !== version) {
    picture.src = `/picture.jpg?${state.version}`;
    await picture.decode();
    version = state.version;
  }
  // Pixel centres are whole numbers: the picture's edge is half a pixel before the first.
  over.setAttribute("viewBox", `-0.5 -0.5 ${width} ${height}`);
  tables(state);
  const { found } = state;
  drawLines(found, Math.max(width, height));
  handles.show(state.handles_px ?? [[0.15, 0.2], [0.85, 0.2], [0.85, 0.8], [0.15, 0.8]].map(([x, y]) => [x * width, y * height]));
  reasons(found ? found.because : [state.reason]);
  figures(found, state);
  at("save").disabled = !found?.good || state.saved;
  if (!found) verdict("No table found", "bad");
  else if (!found.good) verdict("Not good enough", "bad");
  else verdict(state.by === "corners" ? "Good, from your corners" : "Good, found by itself", "good");
}

function drawLines(found, size) {
  lines.replaceChildren();
  if (lines.parentNode !== over) over.prepend(lines);
  if (!found) return;
  for (const [kind, list] of [["string", found.strings], ["nose", found.noses], ["mouth", found.mouths]]) {
    for (const points of list) add("polyline", { class: kind, points: points.map((point) => point.join(",")).join(" ") });
  }
  for (const [x, y] of Object.values(found.spots)) add("circle", { class: "spot", cx: x, cy: y, r: size / 160 });
  const [headLeft, footLeft, footRight, headRight] = found.corners_px;
  const sign = found.foot_known ? "" : "?";
  label(headLeft, headRight, footLeft, footRight, `HEAD${sign}`, size);
  label(footLeft, footRight, headLeft, headRight, `FOOT${sign}`, size);
}

function label(a, b, c, d, text, size) {
  const near = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  const far = [(c[0] + d[0]) / 2, (c[1] + d[1]) / 2];
  const node = add("text", { class: "end", x: near[0] + 0.08 * (far[0] - near[0]), y: near[1] + 0.08 * (far[1] - near[1]), "font-size": size / 36 });
  node.textContent = text;
}

function add(tag, attributes) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  lines.append(node);
  return node;
}

function reasons(list) {
  at("because").hidden = list.length === 0;
  at("because").replaceChildren(...list.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
}

function figures(found, state) {
  at("figures").hidden = !found;
  if (!found) return;
  const rows = [["Edges within", `${found.residual_mm[0].toFixed(1)} mm, ${found.residual_mm[1].toFixed(1)} mm at most`]];
  if (found.doubt) rows.push(["A ball to", `${found.doubt.median_mm} mm, ${found.doubt.max_mm} mm where worst`]);
  if (found.balls) rows.push(["Balls measure", `${found.balls.mm} mm (${found.balls.count}); ${state.table.ball_mm.toFixed(1)} by name`]);
  rows.push(["Foot", found.foot_known ? found.foot_side : `${found.foot_side}? Tap it to be sure`]);
  at("figures").replaceChildren(...rows.flatMap(([name, value]) => [
    Object.assign(document.createElement("dt"), { textContent: name }), Object.assign(document.createElement("dd"), { textContent: value }),
  ]));
}

function tables(state) {
  const select = at("table");
  if (select.options.length === 0) for (const name of [...state.tables, CUSTOM]) select.add(new Option(name, name));
  const custom = !state.tables.includes(state.table.name);
  select.value = custom ? CUSTOM : state.table.name;
  at("sizes").hidden = !custom;
  for (const [id, key] of [["length", "length_mm"], ["width", "width_mm"], ["ball", "ball_mm"]]) at(id).value = String(Math.round(10 * state.table[key]) / 10);
}

function asking(on) {
  stage.classList.toggle("asks", on);
  at("foot").setAttribute("aria-pressed", String(on));
  if (on) say("Tap the end of the table where the balls are racked.", "good");
}

at("find").addEventListener("click", () => act("find"));
at("retake").addEventListener("click", () => act("retake"));
at("save").addEventListener("click", () => act("save"));
at("foot").addEventListener("click", () => asking(!stage.classList.contains("asks")));
at("table").addEventListener("change", (event) => {
  if (event.target.value === CUSTOM) at("sizes").hidden = false;
  else act("find", { name: event.target.value });
});
at("sizes").addEventListener("submit", (event) => {
  event.preventDefault();
  act("find", { length_mm: at("length").value, width_mm: at("width").value, ball_mm: at("ball").value });
});
over.addEventListener("click", (event) => {
  if (!stage.classList.contains("asks")) return;
  asking(false);
  const [x, y] = handles.toPicture(event);
  act("foot", { x, y });
});

act("state");
