/** A part of a page: where it stands, what it may do, and when it is drawn anew. */

export class Panel {
  /**
   * @param {import("./page.js").Page} page
   * @param {HTMLElement} place
   * @param {object} tools what the page lets it do; each panel says which it uses
   * @param {string[]} parts of the store after whose change it is drawn
   */
  constructor(page, place, tools = {}, parts = ["match", "role"]) {
    this.page = page;
    this.place = place;
    this.tools = tools;
    page.store.on(parts, () => this.draw());
  }
}
