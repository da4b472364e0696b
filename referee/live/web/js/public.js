/** The scoreboard for everybody: read only, for the hall's screen and for phones. */

import { byId, set, write } from "./dom.js";
import { Page } from "./page.js";
import { CallPanel } from "./panel_call.js";
import { NowPanel } from "./panel_now.js";
import { drawScore } from "./panel_score.js";
import { ShotsPanel } from "./panel_shots.js";
import { Stage } from "./stage.js";

const SHOTS = 6;

const page = new Page(redraw);
const { store } = page;
const stage = new Stage(page);
const panels = [new CallPanel(page, byId("call")), new NowPanel(page, byId("now")), new ShotsPanel(page, byId("shots"), { most: SHOTS })];

store.on(["match"], drawHead);
page.drawTools(byId("tools"));
page.start();

function drawHead() {
  const { match } = store;
  if (!match) return;
  write(byId("game"), page.pick(match.game_name));
  set(byId("qr"), "alt", page.say("qr_public_alt"));
  drawScore(page, byId("score"));
}

function redraw() {
  page.drawTools(byId("tools"));
  stage.redraw();
  drawHead();
  for (const panel of panels) panel.draw();
}
