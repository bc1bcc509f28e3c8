import { existsSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { allPages, codeSpansOf, type Page, pageAt, proseOf, repository } from "./markdown.js";

const pages = allPages();

/** As the usual renderers name a heading: lower case, without punctuation, a hyphen for each space. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

const anchorsOf = (page: Page): ReadonlySet<string> =>
  new Set([...proseOf(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading)));

/** Targets of the page's own links: neither other sites nor mail. */
const linksOf = (page: Page): readonly string[] =>
  [...proseOf(page).matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target));

function problemOf({ path }: Page, target: string): string | null {
  const [file = "", anchor] = target.split("#");
  const place = file === "" ? path : normalize(join(dirname(path), file));
  if (place.startsWith("..") || !existsSync(join(repository, place))) return `${path}: ${target} leads nowhere`;
  if (anchor === undefined || statSync(join(repository, place)).isDirectory()) return null;
  return anchorsOf(pageAt(place)).has(anchor) ? null : `${path}: ${target} has no such heading`;
}

describe("links of the documentation", () => {
  test("lead to a file and a heading that exist", () => {
    const problems = pages.flatMap((page) => linksOf(page).map((target) => problemOf(page, target)));
    expect(problems.filter((problem) => problem !== null)).toEqual([]);
    expect(problems.length).toBeGreaterThan(100);
  });

  test("reach every page of docs/ from its index", () => {
    const index = pageAt("docs/README.md");
    const linked = new Set(linksOf(index).map((target) => normalize(join("docs", target.split("#")[0] ?? ""))));
    const wanted = pages.map(({ path }) => path).filter((path) => /^docs\/[^/]+\.md$/.test(path));
    expect(wanted.filter((path) => path !== index.path && !linked.has(path))).toEqual([]);
  });
});

describe("paths that the documentation names", () => {
  test("are in the repository", () => {
    const named = /^(?:bench|bin|cli|console|docs|examples|functions|lib|local|test)\/[\w./-]+$/;
    const missing = pages.flatMap((page) =>
      codeSpansOf(page)
        .filter((code) => named.test(code) && !existsSync(join(repository, code)))
        .map((code) => `${page.path}: ${code}`),
    );
    expect(missing).toEqual([]);
  });
});
