// Opens a site (`humdrum site FOLDER`) in a real browser from the file system and uses it as a reader would: searches, filters, clicks from
// a cell to its chart, to the record, to the command. Every line that begins with `!` is a failure; the exit code is their number.
//
//   node site.mjs FOLDER [FOLDER FOR SCREENSHOTS]        CHROMIUM names the browser [default: chromium]

import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const [site, shots] = process.argv.slice(2);
if (!site || !existsSync(join(site, "index.html"))) {
  console.error(`no site at ${site ?? "(nothing)"}; usage: node site.mjs FOLDER [FOLDER FOR SCREENSHOTS]`);
  process.exit(2);
}
const address = (path) => pathToFileURL(resolve(site, path)).href;
let failures = 0;
const told = (what, holds, more = "") => {
  if (!holds) failures += 1;
  console.log(`${holds ? "ok" : "!"} ${what}${more === "" ? "" : `: ${more}`}`);
};

const executablePath = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (!executablePath) {
  console.error("no browser: install chromium, or name one with CHROMIUM=/path");
  process.exit(2);
}
const browser = await puppeteer.launch({ executablePath, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
const said = [];
try {
  const page = await opened();
  await searches(page);
  await filters(page);
  await clicksThrough(page);
  await looks(page);
  await withoutScripts();
  await isAccessible();
} finally {
  await browser.close();
}
told("the console is silent", said.length === 0, said.slice(0, 3).join(" | "));
console.log(failures === 0 ? "the site can be used by all" : `${failures} failed`);
process.exit(Math.min(failures, 100));

async function opened() {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("request", (request) => {
    if (!request.isNavigationRequest()) told("nothing beside the page is asked for", false, request.url());
  });
  return page;
}

const visible = (page, selector) =>
  page.$$eval(selector, (all) => all.filter((one) => one.checkVisibility()).map((one) => one.textContent.trim()));

async function searches(page) {
  await page.goto(address("index.html"), { waitUntil: "load" });
  told("the list of finds is closed at first", (await visible(page, "#find li")).length === 0);
  const all = await page.$$eval("#find li", (items) => items.map((item) => item.textContent.trim()));
  const kinds = new Set(all.map((text) => text.split(" ")[0]));
  told("tests, releases and runs are listed", ["test", "release", "run"].every((kind) => kinds.has(kind)), [...kinds].join(" "));
  const one = all.find((text) => text.startsWith("test ")).split(" ")[1];
  await page.type("#find-text", `TEST ${one}`);
  const found = await visible(page, "#find li");
  told("a search finds a test", found.length >= 1 && found.length < all.length && found.every((text) => text.includes(one)), found.join(", "));
  await page.keyboard.press("Tab");
  const link = await page.evaluate(() => document.activeElement.tagName);
  told("the keyboard leads from the search to the finds", ["A", "SUMMARY"].includes(link), link);
  await page.$eval("#find-text", (input) => {
    input.value = "no such thing";
    input.dispatchEvent(new Event("input"));
  });
  told("a search for nothing finds nothing", (await visible(page, "#find li")).length === 0);
}

async function filters(page) {
  const [engine] = readdirSync(join(site, "engines"));
  await page.goto(address(`engines/${engine}`), { waitUntil: "load" });
  const rows = (await visible(page, "table.map tbody th")).length;
  const heads = (await visible(page, "table.map thead th")).length;
  const first = (await visible(page, "table.map tbody th"))[0];
  await page.type("#filter-test", first);
  const left = await visible(page, "table.map tbody th");
  told("a test's name filters rows", left.length >= 1 && left.every((text) => text.includes(first)), `${left.length} of ${rows}`);
  await page.$eval("#filter-test", (input) => { input.value = ""; input.dispatchEvent(new Event("input")); });
  told("without a filter all rows are back", (await visible(page, "table.map tbody th")).length === rows);
  const release = (await visible(page, "table.map thead th")).at(-1);
  await page.type("#filter-release", release);
  const columns = (await visible(page, "table.map thead th")).length;
  told("a release filters columns", columns >= 2 && (columns < heads || heads === 2), `${columns} of ${heads}`);
  await page.$eval("#filter-release", (input) => { input.value = ""; input.dispatchEvent(new Event("input")); });
  await page.select("#filter-verdict", "worse");
  const worse = await page.$$eval("table.map tbody tr", (all) =>
    all.filter((row) => row.checkVisibility()).map((row) => row.querySelector("[data-kind=worse]") !== null));
  told("a verdict filters rows", worse.every(Boolean), `${worse.length} of ${rows}`);
  await page.select("#filter-verdict", "");
}

async function clicksThrough(page) {
  const cell = await page.$("table.map td a");
  const wanted = await cell.evaluate((one) => one.href);
  await Promise.all([page.waitForNavigation(), cell.click()]);
  told("a cell leads to its chart", page.url() === wanted && (await page.$(":target")) !== null && (await visible(page, "svg.hd")).length > 0);
  await shot(page, "chart");
  const command = await page.$("a[href$='#plan']");
  const record = await page.$("tbody th a");
  told("a chart has records and commands", command !== null && record !== null);
  await Promise.all([page.waitForNavigation(), record.click()]);
  told("a row leads to the record of its test", (await page.$(":target")) !== null, page.url().split("/").slice(-3).join("/"));
  await page.goBack();
  const again = await page.$("a[href$='#plan']");
  await Promise.all([page.waitForNavigation(), again.click()]);
  const typed = await page.$$eval(":target pre", (all) => all.map((one) => one.textContent));
  told("and to the command", typed.some((text) => text.includes("humdrum ")), typed[0]?.slice(0, 60));
}

async function looks(page) {
  const [engine] = readdirSync(join(site, "engines"));
  for (const [name, path] of [["index", "index.html"], ["map", `engines/${engine}`]]) {
    await page.goto(address(path), { waitUntil: "load" });
    for (const scheme of ["light", "dark"]) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await shot(page, `${name}-${scheme}`);
    }
    await page.setViewport({ width: 375, height: 800, isMobile: true });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    told(`on a phone ${name} need not scroll sideways`, wide <= 376, `${wide} px`);
    await shot(page, `${name}-phone`);
    await page.setViewport({ width: 1280, height: 900 });
  }
}

async function shot(page, name) {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `site-${name}.png`) });
}

async function withoutScripts() {
  const page = await browser.newPage();
  await page.setJavaScriptEnabled(false);
  const [engine] = readdirSync(join(site, "engines"));
  await page.goto(address(`engines/${engine}`), { waitUntil: "load" });
  const text = await page.$eval("main", (one) => one.innerText);
  told("without scripts the map is there and no dead control is", text.includes("test") && !text.includes("Release or setting"));
  await page.close();
}

async function isAccessible() {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const [engine] = readdirSync(join(site, "engines"));
  for (const path of ["index.html", `engines/${engine}`]) {
    for (const scheme of ["light", "dark"]) {
      const page = await browser.newPage();
      await page.setBypassCSP(true);
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await page.goto(address(path), { waitUntil: "load" });
      await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
      await page.addScriptTag({ content: axe });
      const found = await page.evaluate(async () => (await window.axe.run(document, { resultTypes: ["violations"] })).violations);
      const serious = found.filter((one) => ["serious", "critical"].includes(one.impact));
      const where = serious.map((one) => `${one.id} ${one.nodes.slice(0, 3).map((node) => node.target.join(" ")).join(", ")}`);
      told(`no serious findings of accessibility in ${path}, ${scheme}`, serious.length === 0, where.join(" | "));
      await page.close();
    }
  }
}
