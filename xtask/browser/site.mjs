// Opens a site (`humdrum site FOLDER`) in a real browser from the file system and uses it as a reader would: searches, filters, clicks from
// a cell to its chart, to the record, to the command. Every line that begins with `!` is a failure; the exit code is their number.
//
//   node site.mjs FOLDER [FOLDER FOR SCREENSHOTS]        CHROMIUM names the browser [default: chromium]

import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { given, inBrowser, isAccessible, onPhone, opened, shot, told } from "./common.mjs";

const isSite = (folder) => existsSync(join(folder, "index.html"));
const [site, shots] = given("node site.mjs FOLDER [FOLDER FOR SCREENSHOTS]", isSite);
const address = (path) => pathToFileURL(resolve(site, path)).href;
const [engine] = readdirSync(join(site, "engines")).map((name) => `engines/${name}`);
const PAGES = [["index", "index.html"], ["map", engine]];

await inBrowser(async (browser) => {
  const { page, said, asked } = await opened(browser);
  await searches(page);
  await filters(page);
  await clicksThrough(page);
  await looks(page);
  told("nothing beside the pages is asked for", asked.length === 0, asked.slice(0, 3).join(" "));
  told("the console is silent", said.length === 0, said.slice(0, 3).join(" | "));
  await withoutScripts(browser);
  for (const [name, path] of PAGES) {
    for (const scheme of ["light", "dark"]) await isAccessible(browser, address(path), name, scheme);
  }
}, "the site can be used by all");

function visible(page, selector) {
  return page.$$eval(selector, (all) => all.filter((one) => one.checkVisibility()).map((one) => one.textContent.trim()));
}

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
  const setting = all.find((text) => text.startsWith("setting "));
  if (setting) {
    const name = setting.split(" ")[1];
    await page.$eval("#find-text", (input) => { input.value = ""; });
    await page.type("#find-text", `setting ${name}`);
    const settings = await visible(page, "#find li");
    told("a search finds a setting", settings.length >= 1 && settings.every((text) => text.includes(name)), settings.join(", "));
  } else {
    told("no run has a setting that a search could find", true);
  }
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
  await page.goto(address(engine), { waitUntil: "load" });
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
  await shot(page, shots, "site-chart-light");
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
  for (const [name, path] of PAGES) {
    await page.goto(address(path), { waitUntil: "load" });
    for (const scheme of ["dark", "light"]) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await shot(page, shots, `${name}-${scheme}`);
    }
    await onPhone(page, shots, name);
  }
}

async function withoutScripts(browser) {
  const page = await browser.newPage();
  await page.setJavaScriptEnabled(false);
  await page.goto(address(engine), { waitUntil: "load" });
  const text = await page.$eval("main", (one) => one.innerText);
  told("without scripts the map is there and no dead control is", text.includes("test") && !text.includes("Release or setting"));
  await page.close();
}
