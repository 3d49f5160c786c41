// What the checks of a report (check.mjs) and of a site (site.mjs) share: arguments, findings, the browser, screenshots, axe.

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import puppeteer from "puppeteer-core";

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

let failures = 0;

/** What is to be looked at, and the folder for screenshots or nothing; ends with 2 unless `isThere` agrees. */
export function given(usage, isThere) {
  const [looked, shots] = process.argv.slice(2);
  if (!looked || !isThere(looked)) refuse(`nothing to look at: ${looked ?? "(no argument)"}; usage: ${usage}`);
  return [looked, shots];
}

/** Prints a finding. Those that do not hold are counted. */
export function told(what, holds, more = "") {
  if (!holds) failures += 1;
  console.log(`${holds ? "ok" : "!"} ${what}${more === "" ? "" : `: ${more}`}`);
}

/** Gives `use` a browser, closes it whatever happens, and ends with the number of failures. */
export async function inBrowser(use, praise) {
  const executablePath = process.env.CHROMIUM ?? BROWSERS.find(existsSync);
  if (!executablePath) refuse("no browser: install chromium, or name one with CHROMIUM=/path");
  const browser = await puppeteer.launch({ executablePath, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    await use(browser);
  } finally {
    await browser.close();
  }
  console.log(failures === 0 ? praise : `${failures} failed`);
  process.exit(Math.min(failures, 100));
}

/** A page as wide as a desk's, whose words are kept in `said`, and in `asked` what it asks for beside itself. */
export async function opened(browser) {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  const [said, asked] = [[], []];
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("request", (request) => {
    if (!request.isNavigationRequest()) asked.push(request.url());
  });
  return { page, said, asked };
}

/** Keeps a screenshot where a folder for them was given. */
export async function shot(page, shots, name) {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
}

/** As a phone; says whether it need not scroll sideways, and keeps a screenshot. */
export async function onPhone(page, shots, name) {
  await page.setViewport({ width: 375, height: 800, isMobile: true });
  await page.evaluate(() => window.scrollTo(0, 0));
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  told(`on a phone ${name} need not scroll sideways`, wide <= 376, `${wide} px`);
  await shot(page, shots, `${name}-phone`);
  await page.setViewport({ width: 1280, height: 900 });
}

/** Looks for what keeps people out, with the first sections open. A page's own policy lets no script in, which is as it should be; to
 * be examined it is opened without. */
export async function isAccessible(browser, address, name, scheme) {
  const page = await browser.newPage();
  await page.setBypassCSP(true);
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.goto(address, { waitUntil: "load" });
  await page.evaluate(() => document.querySelectorAll("details").forEach((one, number) => (one.open = one.open || number < 20)));
  const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  await page.addScriptTag({ content: readFileSync(axe, "utf8") });
  const found = await page.evaluate(async () => (await window.axe.run(document, { resultTypes: ["violations"] })).violations);
  const isSerious = (one) => ["serious", "critical"].includes(one.impact);
  for (const one of found) {
    const where = one.nodes.slice(0, 3).map((node) => node.target.join(" ")).join(", ");
    const line = `${one.id} (${one.impact}), ${one.nodes.length} times: ${where}`;
    if (isSerious(one)) told(`accessibility of ${name}, ${scheme}`, false, line);
    else console.log(`- ${line}`);
  }
  told(`no serious findings of accessibility in ${name}, ${scheme}`, !found.some(isSerious));
  await page.close();
}

function refuse(why) {
  console.error(why);
  process.exit(2);
}
