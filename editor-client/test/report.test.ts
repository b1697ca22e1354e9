import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ServerCommand } from "../src/delivery/locate";
import { reportCommand, writeReport } from "../src/report";

const server = (...args: string[]): ServerCommand => ({ program: "/env/bin/python", args, origin: "setting" });

describe("the report of a folder", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "report-"));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  it("is made by the program of the language server", () => {
    const file = join("/out", "lsp-evalplus-report.html");
    expect(reportCommand(server("-m", "lsp_evalplus", "serve", "--verbose"), "/project", "/out")).toEqual({
      program: "/env/bin/python",
      args: ["-m", "lsp_evalplus", "check", "/project", "--format", "html", "--output-file", file],
      file,
    });
    expect(reportCommand(server("start.py"), "/project", "/out")).toBeUndefined();
  });

  const written = async (script: string, signal = new AbortController().signal): Promise<string> => {
    const file = join(folder, "page.html");
    await writeReport({ program: "sh", args: ["-c", script, "sh", file], file }, signal);
    return readFile(file, "utf8");
  };

  it.each([0, 1])("is there whatever was found (exit code %j)", async (code) => {
    expect(await written(`echo page > "$1"; exit ${String(code)}`)).toBe("page\n");
  });

  it("says why it was not made", async () => {
    await expect(written("echo first; echo 'there is no such folder.' >&2; exit 2")).rejects.toThrow("there is no such folder.");
    await expect(written("exit 3")).rejects.toThrow("exit code 3");
  });

  it("is given up when the user cancels", async () => {
    const controller = new AbortController();
    const made = written("exec sleep 60", controller.signal);
    controller.abort();
    await expect(made).rejects.toThrow("cancelled");
  });
});
