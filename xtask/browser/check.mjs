// Opens a report in a real browser and uses it as a reader would: with the mouse, with the keyboard alone, on a phone, in
// the dark, on paper. Every line that begins with `!` is a failure; the exit code is their number.
//
//   node check.mjs REPORT.html [FOLDER FOR SCREENSHOTS]        CHROMIUM names the browser [default: chromium]

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { given, inBrowser, isAccessible, onPhone, opened, shot, told } from "./common.mjs";

const LOADS_WITHIN_MS = 2000;
const TABS_MAX = 3000;

const [report, shots] = given("node check.mjs REPORT.html [FOLDER FOR SCREENSHOTS]", existsSync);
const address = pathToFileURL(resolve(report)).href;

await inBrowser(async (browser) => {
  await reads(browser);
  for (const scheme of ["light", "dark"]) await isAccessible(browser, address, "the report", scheme);
}, "the report can be read by all");

async function reads(browser) {
  const { page, said, asked } = await opened(browser);
  const began = Date.now();
  await page.goto(address, { waitUntil: "load" });
  const took = Date.now() - began;
  told("loads within two seconds", took < LOADS_WITHIN_MS, `${took} ms, ${(readFileSync(report).length / 1e6).toFixed(1)} MB`);

  const charts = await page.evaluate(() => {
    document.querySelectorAll("details").forEach((one) => (one.open = true));
    const all = [...document.querySelectorAll("svg.hd")];
    const shown = all.filter((one) => one.checkVisibility());
    const drawn = (one) => {
      const box = one.getBoundingClientRect();
      return box.width > 50 && box.height > 10 && one.querySelector("path, rect, line, text") !== null;
    };
    return { all: all.length, shown: shown.length, empty: shown.filter((one) => !drawn(one)).length };
  });
  told("charts are drawn", charts.shown > 0 && charts.empty === 0, `${charts.shown} of ${charts.all} in this view`);
  await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = false)));

  await clicks(page);
  await keys(page);
  await looks(page);
  told("nothing but the file is asked for", asked.length === 0, asked.slice(0, 3).join(" "));
  told("the console is silent", said.length === 0, said.slice(0, 3).join(" | "));
  await page.close();
}

async function clicks(page) {
  const summaries = await page.$$("main details > summary");
  let opened = 0;
  // A reader opens some; all were opened at once before.
  for (const summary of summaries.slice(0, 12)) {
    if (!(await summary.evaluate((one) => one.checkVisibility()))) continue;
    const before = await summary.evaluate((one) => one.parentElement.open);
    await summary.evaluate((one) => one.scrollIntoView({ block: "center" }));
    await summary.click();
    if ((await summary.evaluate((one) => one.parentElement.open)) !== before) opened += 1;
    else told("a click opens a section", false, await summary.evaluate((one) => one.textContent));
  }
  told("sections open by a click", opened > 0 || summaries.length === 0, String(opened));

  const links = await page.$$eval("nav a", (all) => all.map((one) => one.getAttribute("href")).filter((href) => href.startsWith("#")));
  for (const link of links) {
    await page.click(`nav a[href="${link}"]`);
    const top = await page.evaluate((id) => document.getElementById(id)?.getBoundingClientRect().top, link.slice(1));
    told(`the bar leads to ${link}`, top !== undefined && top < 900 && top > -50, String(top));
  }
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.click('label[for="theme-dark"]');
  const dark = await paper();
  await page.click('label[for="theme-light"]');
  told("light and dark differ", (await paper()) !== dark, dark);
  const zero = await page.$('label[for="view-zero"]');
  if (zero) {
    const shown = () => page.$$eval(".from-zero", (all) => all.filter((one) => one.checkVisibility()).length);
    const before = await shown();
    await zero.evaluate((one) => one.scrollIntoView({ block: "center" }));
    await zero.click();
    told("charts can begin at zero", before === 0 && (await shown()) > 0);
    await page.click('label[for="view-close"]');
  }
}

async function keys(page) {
  await page.evaluate(() => {
    document.querySelectorAll("main details").forEach((one) => (one.open = false));
    document.activeElement?.blur();
    window.scrollTo(0, 0);
  });
  // Without the fragment of the last click, from which the keyboard would go on.
  await page.goto("about:blank");
  await page.goto(address, { waitUntil: "load" });
  const wanted = await page.evaluate(() => {
    const all = [...document.querySelectorAll("a[href], input, summary, [tabindex='0']")].filter((one) => one.checkVisibility());
    // Of a group of radio buttons, one is reached; the others by the arrows.
    const stops = all.filter((one) => one.type !== "radio" || one.checked);
    stops.forEach((one, number) => (one.dataset.stop = String(number)));
    return stops.length;
  });
  const reached = new Set();
  let first;
  for (let tab = 0; tab < Math.min(wanted + 5, TABS_MAX); tab += 1) {
    await page.keyboard.press("Tab");
    const here = await page.evaluate(() => {
      const one = document.activeElement;
      return { stop: one?.dataset?.stop, text: one?.textContent?.slice(0, 40), outline: one ? getComputedStyle(one).outlineStyle : "" };
    });
    first ??= here.text;
    if (here.stop !== undefined) reached.add(here.stop);
  }
  told("the keyboard first reaches the way past the bar", /^Skip/.test(first ?? ""), first);
  told("the keyboard reaches everything", reached.size >= Math.min(wanted, TABS_MAX), `${reached.size} of ${wanted}`);
}

async function looks(page) {
  await page.evaluate(() => {
    document.activeElement?.blur();
    window.scrollTo(0, 0);
  });
  for (const scheme of ["dark", "light"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await shot(page, shots, scheme);
  }
  await page.evaluate(() => document.querySelector("#results svg")?.scrollIntoView());
  await page.evaluate(() => window.scrollBy(0, -120));
  await shot(page, shots, "chart");
  const test = await page.$("#tests ~ * details, #tests details");
  if (test) {
    await test.evaluate((one) => {
      one.open = true;
      one.scrollIntoView();
      window.scrollBy(0, -60);
    });
    await shot(page, shots, "test");
  }
  await onPhone(page, shots, "the report");
  // The largest reports are hundreds of pages.
  const paper = await page.pdf({ format: "A4", timeout: 0 });
  told("it prints", paper.length > 10_000, `${(paper.length / 1e3).toFixed(0)} kB`);
}
