import { createHash } from "node:crypto";
import { mkdtemp, mkdir, readFile, readdir, rm, writeFile, chmod } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InstallError, PrivateEnvironment, explainPip, explainVenv, findUv } from "../src/delivery/environment";
import { cleanEnvironment, run } from "../src/delivery/programs";
import { findPython, isNewEnough, parseProbe, probePython, pythonCommands } from "../src/delivery/python";
import type { Python } from "../src/delivery/python";

const python = (path: string, minor: number, canCreateEnvironments = true): Python => ({ path, version: [3, minor], canCreateEnvironments });

describe("findPython", () => {
  const machine = (found: Record<string, Python>) => (command: readonly string[]) => Promise.resolve(found[command.join(" ")]);

  it("takes the user's choice when it will do", async () => {
    const search = await findPython("/venv/bin/python", { probe: machine({ "/venv/bin/python": python("/venv/bin/python", 12), "python3.13": python("/usr/bin/python3.13", 13) }) });
    expect(search.python?.path).toBe("/venv/bin/python");
  });

  it("passes over what is too old or cannot create environments, and says so", async () => {
    const search = await findPython("/venv/bin/python", { probe: machine({ "/venv/bin/python": python("/venv/bin/python", 9), python3: python("/usr/bin/python3", 11, false) }) });
    expect(search).toEqual({ python: undefined, refused: ["/venv/bin/python is 3.9", "/usr/bin/python3 has no venv module"] });
  });

  it("takes one without venv where uv creates the environment", async () => {
    const search = await findPython(undefined, { probe: machine({ python3: python("/usr/bin/python3", 11, false) }), hasUv: true });
    expect(search.python?.path).toBe("/usr/bin/python3");
  });

  it("tries the Windows launcher on Windows", () => {
    expect(pythonCommands(undefined, "win32")[0]).toEqual(["py", "-3.13"]);
  });

  it("asks a real Python", async () => {
    const found = await probePython(["python3"]);
    expect(found?.version[0]).toBe(3);
    expect(await probePython(["/nonexistent/python"])).toBeUndefined();
    expect(await probePython(["false"])).toBeUndefined();
  });

  it.each([
    ["", undefined],
    ["not json", undefined],
    ["[]", undefined],
    ['warning\n{"path": "/p", "version": [3, 12], "venv": false}\n', python("/p", 12, false)],
  ])("reads %j", (output, expected) => {
    expect(parseProbe(output)).toEqual(expected);
  });

  it("knows what is new enough", () => {
    expect([python("", 10), python("", 11), python("", 14)].map(isNewEnough)).toEqual([false, true, true]);
  });
});

describe("run", () => {
  it("gives code, output and lines", async () => {
    const lines: string[] = [];
    const ended = await run("sh", ["-c", "printf 'a\\nb'; echo c; exit 3"], { milliseconds: 5000, onLine: (line) => lines.push(line) });
    expect(ended).toEqual({ code: 3, output: "a\nbc\n" });
    expect(lines).toEqual(["a", "bc"]);
  });

  it("says why a program did not run to its end", async () => {
    expect((await run("/nonexistent", [], { milliseconds: 5000 })).failure).toContain("ENOENT");
    expect((await run("sleep", ["60"], { milliseconds: 30 })).failure).toBe("timed out");
    const cancellation = new AbortController();
    const ended = run("sh", ["-c", "echo ready; exec sleep 60"], { milliseconds: 5000, signal: cancellation.signal, onLine: () => { cancellation.abort(); } });
    expect((await ended).failure).toBe("cancelled");
  });

  it("keeps the project's import settings away", () => {
    const environment = cleanEnvironment({ PYTHONPATH: "/project", PATH: "/bin" });
    expect(environment).toEqual({ PATH: "/bin", PYTHONUTF8: "1" });
  });
});

describe("advice", () => {
  it.each([
    ["Could not find a version… [Errno -3] Temporary failure in name resolution", "could not be reached"],
    ["SSLError(SSLCertVerificationError", "PIP_CERT"],
    ["OSError: [Errno 28] No space left on device", "disk is full"],
    ["ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "nothing was installed"],
    ["ERROR: Could not build wheels for x", "Could not build wheels for x"],
  ])("for pip: %s", (output, advice) => {
    expect(explainPip({ code: 1, output })).toContain(advice);
  });

  it("for Debian without venv", () => {
    expect(explainVenv(python("/usr/bin/python3", 12), { code: 1, output: "ensurepip is not\navailable" })).toContain("apt install python3.12-venv");
  });

  it("when cancelled", () => {
    expect(explainPip({ code: null, output: "", failure: "cancelled" })).toContain("Install or Repair");
  });
});

describe("the private environment", () => {
  let folder: string;
  let bundled: string;
  let store: string;
  const quiet = { step: () => undefined, line: () => undefined, signal: new AbortController().signal };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "delivery-"));
    [bundled, store] = [join(folder, "bundled"), join(folder, "store")];
    await mkdir(bundled);
    for (const name of ["requirements.txt", "requirements-llm.txt", "requirements-mcp.txt", "requirements-llm-mcp.txt"]) {
      await writeFile(join(bundled, name), "pygls==2.1.1 --hash=sha256:00\n");
    }
  });

  afterEach(() => rm(folder, { recursive: true }));

  it("says what to do when the extension carries no wheel", async () => {
    await expect(PrivateEnvironment.describe(bundled, store)).rejects.toThrow("pip install git+https://github.com/lsp-evalplus/lsp-evalplus");
  });

  it("is another one for another wheel, and only ready when complete", async () => {
    await writeFile(join(bundled, "x-1.whl"), "one");
    const first = await PrivateEnvironment.describe(bundled, store);
    await writeFile(join(bundled, "x-1.whl"), "two");
    const second = await PrivateEnvironment.describe(bundled, store);
    expect(first.folder).not.toBe(second.folder);
    await mkdir(dirname(second.program), { recursive: true });
    await writeFile(second.program, "");
    expect(second.isReady).toBe(false);
    await writeFile(join(second.folder, "complete"), "");
    expect(second.isReady).toBe(true);
  });

  it("is made by venv and pip, and replaces the older one", async () => {
    await writeFile(join(bundled, "x-1.whl"), "one");
    await mkdir(join(store, "server-older"), { recursive: true });
    const environment = await PrivateEnvironment.describe(bundled, store);
    await environment.create(await imitation(bundled, 0), quiet);
    expect(environment.isReady).toBe(true);
    expect(await readdir(store)).toEqual([environment.folder.split("/").at(-1)]);
  });

  it("is larger where a language model may be asked, and a larger one serves for both", async () => {
    await writeFile(join(bundled, "x-1.whl"), "one");
    const large = await PrivateEnvironment.describe(bundled, store, { llm: true, mcp: false });
    const small = await PrivateEnvironment.describe(bundled, store, { llm: false, mcp: false });
    expect(small.folder).not.toBe(large.folder);
    await large.create(await imitation(bundled, 0), quiet);
    expect(await readFile(join(large.folder, "requirements.txt"), "utf8")).toContain("lsp-evalplus[llm] @ file://");
    expect((await PrivateEnvironment.describe(bundled, store, { llm: false, mcp: false })).folder).toBe(large.folder);
    const other = await PrivateEnvironment.describe(bundled, store, { llm: false, mcp: true });
    expect(other.isReady).toBe(false);
    const both = await PrivateEnvironment.describe(bundled, store, { llm: true, mcp: true });
    await both.create(await imitation(bundled, 0), quiet);
    expect(await readFile(join(both.folder, "requirements.txt"), "utf8")).toContain("lsp-evalplus[llm,mcp] @ file://");
    expect((await PrivateEnvironment.describe(bundled, store, { llm: false, mcp: true })).folder).toBe(both.folder);
  });

  it.each([
    [0, "uv"],
    [1, "pip"],
  ])("is made by uv, whose exit code %i leaves it to %s", async (code, maker) => {
    await writeFile(join(bundled, "x-1.whl"), "one");
    const environment = await PrivateEnvironment.describe(bundled, store);
    const uv = join(bundled, "uv");
    await writeFile(uv, UV_IMITATION.replace("CODE", String(code)));
    await chmod(uv, 0o755);
    expect(await findUv(uv)).toBe(uv);
    await environment.create(await imitation(bundled, 0), quiet, uv);
    expect(environment.isReady).toBe(true);
    expect(await readFile(join(environment.folder, "bin", "asked"), "utf8")).toContain(`${maker} `);
  });

  it("is installed by hashes of the wheel and of every library", async () => {
    await writeFile(join(bundled, "x-1.whl"), "one");
    const environment = await PrivateEnvironment.describe(bundled, store);
    await environment.create(await imitation(bundled, 0), quiet);
    expect(await readFile(join(environment.folder, "bin", "asked"), "utf8")).toContain(
      `--require-hashes -r ${join(environment.folder, "requirements.txt")}`,
    );
    const hash = createHash("sha256").update("one").digest("hex");
    expect((await readFile(join(environment.folder, "requirements.txt"), "utf8")).split("\n")).toEqual([
      "pygls==2.1.1 --hash=sha256:00",
      `lsp-evalplus @ file://${join(bundled, "x-1.whl")} --hash=sha256:${hash}`,
      "",
    ]);
  });

  it("is another one for other libraries, and none without their list", async () => {
    await writeFile(join(bundled, "x-1.whl"), "one");
    const first = await PrivateEnvironment.describe(bundled, store);
    await writeFile(join(bundled, "requirements.txt"), "pygls==2.1.2 --hash=sha256:01\n");
    expect((await PrivateEnvironment.describe(bundled, store)).folder).not.toBe(first.folder);
    await rm(join(bundled, "requirements.txt"));
    await expect(PrivateEnvironment.describe(bundled, store)).rejects.toThrow("lacks requirements.txt");
  });

  it("does without uv where there is none", async () => {
    expect(await findUv("/nonexistent/uv")).toBeUndefined();
  });

  it("is not ready after a failure, which is explained", async () => {
    await writeFile(join(bundled, "x-1.whl"), "one");
    const environment = await PrivateEnvironment.describe(bundled, store);
    await expect(environment.create(await imitation(bundled, 1), quiet)).rejects.toThrow(InstallError);
    expect(environment.isReady).toBe(false);
  });
});

/** A program that does to the disk what `uv venv` and `uv pip install` do, and ends the latter with a code. */
const UV_IMITATION = `#!/bin/sh
case "$1" in
  venv) mkdir -p "$4/bin" ;;
  pip) folder=$(dirname "$4"); touch "$folder/lsp-evalplus"; echo "uv $@" > "$folder/asked"; exit CODE ;;
esac
`;

/** A program that does to the disk what `python -m venv` and then `pip install` do, and ends pip with a code. */
async function imitation(folder: string, code: number): Promise<Python> {
  const path = join(folder, "python");
  const pip = `#!/bin/sh\ntouch "$(dirname "$0")/lsp-evalplus"\necho "pip $@" > "$(dirname "$0")/asked"\nexit ${code}\n`;
  await writeFile(path, `#!/bin/sh\nmkdir -p "$4/bin"\ncat > "$4/bin/python" <<'END'\n${pip}END\nchmod +x "$4/bin/python"\n`);
  await chmod(path, 0o755);
  return python(path, 12);
}
