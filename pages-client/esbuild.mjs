// Bundles the charts into one script, which the Python package puts into each page, with the licences of what is in it.
import { readFile, writeFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const folder = "../server/lsp_evalplus/pages/assets";

const built = await build({
  entryPoints: ["src/main.ts"],
  outfile: join(folder, "charts.js"),
  bundle: true,
  format: "iife",
  target: "es2022",
  minify: true,
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});

const packages = [
  ...new Set(
    Object.keys(built.metafile.inputs)
      .map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1])
      .filter((name) => name !== undefined),
  ),
].sort();
const licences = await Promise.all(
  packages.map(async (name) => {
    const { version, license } = JSON.parse(await readFile(join("node_modules", name, "package.json"), "utf8"));
    const text = await readFile(join("node_modules", name, "LICENSE"), "utf8").catch(() => `License: ${license}\n`);
    return `${name} ${version}\n\n${text}`;
  }),
);
await mkdir(folder, { recursive: true });
await writeFile(join(folder, "charts.licenses.txt"), licences.join(`\n${"-".repeat(78)}\n\n`));
