// The server's private environment: made once from the wheel inside this extension, never mixed with a project's, and of
// the very files that this extension was tested with: versions and hashes of all libraries come with it.

import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { cleanEnvironment, run } from "./programs";
import type { Ended } from "./programs";
import type { Python } from "./python";

/** A failure with a sentence for the user that says what to do. */
export class InstallError extends Error {}

/** What the server is installed with besides what it always needs. */
export interface Parts {
  /** The client for language models. */
  readonly llm: boolean;
  /** The SDK of the Model Context Protocol. */
  readonly mcp: boolean;
}

const NOTHING: Parts = { llm: false, mcp: false };
/** All there are, those with fewer parts first. */
const COMBINATIONS: readonly Parts[] = [NOTHING, { llm: true, mcp: false }, { llm: false, mcp: true }, { llm: true, mcp: true }];

/** Where pip and venv, or uv, tell what they do. */
export interface Progress {
  readonly step: (text: string) => void;
  readonly line: (text: string) => void;
  readonly signal: AbortSignal;
}

/** One environment for one wheel and its libraries: its folder is named after their content. */
export class PrivateEnvironment {
  private constructor(
    private readonly source: Source,
    readonly folder: string,
    private readonly store: string,
  ) {}

  /**
   * Describes the environment for the wheel in `bundled`; one with more parts than asked for will do if it is there.
   * InstallError if the extension was built without a wheel.
   */
  static async describe(bundled: string, store: string, parts = NOTHING): Promise<PrivateEnvironment> {
    const wheel = existsSync(bundled) ? (await readdir(bundled)).find((name) => name.endsWith(".whl")) : undefined;
    if (!wheel) {
      throw new InstallError(
        'This build of the extension carries no server. Install it with "pip install git+https://github.com/lsp-evalplus/lsp-evalplus" and set lspEvalplus.path to ["lsp-evalplus"].',
      );
    }
    const path = join(bundled, wheel);
    const hash = createHash("sha256").update(await readFile(path)).digest("hex");
    const of = async (parts: Parts): Promise<PrivateEnvironment> => {
      const source = { wheel: path, requirements: await requirementsOf(path, hash, parts) };
      return new PrivateEnvironment(source, join(store, `server-${digest(source.requirements)}${suffixOf(parts)}`), store);
    };
    const sufficient = COMBINATIONS.filter(({ llm, mcp }) => (llm || !parts.llm) && (mcp || !parts.mcp));
    const environments = await Promise.all(sufficient.map(of));
    return environments.find(({ isReady }) => isReady) ?? of(parts);
  }

  /** The server's program in it. */
  get program(): string {
    return process.platform === "win32" ? join(this.folder, "Scripts", "lsp-evalplus.exe") : join(this.folder, "bin", "lsp-evalplus");
  }

  /** Whether it was installed to its end. */
  get isReady(): boolean {
    return existsSync(join(this.folder, "complete")) && existsSync(this.program);
  }

  /**
   * Creates it anew, with uv where there is one: it takes a fraction of pip's time. InstallError with advice on failure;
   * nothing half-made is ever taken for ready.
   */
  async create(python: Python, progress: Progress, uv?: string): Promise<void> {
    await mkdir(this.store, { recursive: true });
    if (uv === undefined || !(await this.createWithUv(uv, python, progress))) {
      await this.createWithPip(python, progress);
    }
    await writeFile(join(this.folder, "complete"), `${basename(this.source.wheel)}\n`);
    await this.removeOlder();
  }

  /** Whether uv could do it; whatever it failed at, pip is asked next. */
  private async createWithUv(uv: string, python: Python, progress: Progress): Promise<boolean> {
    await rm(this.folder, { recursive: true, force: true });
    progress.step("installing the server and its libraries with uv");
    const install = async () => ["pip", "install", "--python", this.python, "--require-hashes", "-r", await this.writeRequirements()];
    for (const command of [() => ["venv", "--python", python.path, this.folder], install]) {
      const ended = await run(uv, await command(), this.options(progress, 900_000));
      if (ended.failure === "cancelled") {
        throw new InstallError(CANCELLED);
      }
      if (ended.code !== 0) {
        progress.line(`uv could not install the server (${reasonOf(ended)}); pip is tried instead.`);
        return false;
      }
    }
    return true;
  }

  private async createWithPip(python: Python, progress: Progress): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    progress.step("creating a private environment");
    const venv = await run(python.path, ["-I", "-m", "venv", this.folder], this.options(progress, 120_000));
    if (venv.code !== 0) {
      throw new InstallError(explainVenv(python, venv));
    }
    progress.step("installing the server and its libraries");
    const pip = await run(this.python, pipArguments(await this.writeRequirements()), this.options(progress, 900_000));
    if (pip.code !== 0) {
      throw new InstallError(explainPip(pip));
    }
  }

  /** Writes what to install into the environment's folder; both pip and uv read this form. */
  private async writeRequirements(): Promise<string> {
    const path = join(this.folder, "requirements.txt");
    await writeFile(path, this.source.requirements);
    return path;
  }

  private get python(): string {
    return process.platform === "win32" ? join(this.folder, "Scripts", "python.exe") : join(this.folder, "bin", "python");
  }

  private options({ line, signal }: Progress, milliseconds: number): Parameters<typeof run>[2] {
    return { milliseconds, signal, onLine: line, environment: cleanEnvironment() };
  }

  /** Environments of older wheels are moved aside before they are deleted, so that a crash leaves no half of one. */
  private async removeOlder(): Promise<void> {
    const keep = basename(this.folder);
    for (const name of await readdir(this.store)) {
      if (name.startsWith("server-") && name !== keep) {
        const doomed = join(this.store, `removed-${name}`);
        await rename(join(this.store, name), doomed).then(
          () => rm(doomed, { recursive: true, force: true }),
          () => undefined, // still in use by another window: that window's next update removes it
        );
      }
    }
  }
}

/** What an environment is made from. */
interface Source {
  readonly wheel: string;
  /** The wheel and every library, each with the hashes of its files. */
  readonly requirements: string;
}

function extrasOf({ llm, mcp }: Parts): string[] {
  return [...(llm ? ["llm"] : []), ...(mcp ? ["mcp"] : [])];
}

function suffixOf(parts: Parts): string {
  return extrasOf(parts).map((extra) => `-${extra}`).join("");
}

function digest(content: string): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 12);
}

/** Lists the wheel, with the extras it is installed with, after the libraries it was tested with. */
async function requirementsOf(wheel: string, hash: string, parts: Parts): Promise<string> {
  const locked = join(dirname(wheel), `requirements${suffixOf(parts)}.txt`);
  if (!existsSync(locked)) {
    throw new InstallError(
      `This build of the extension lacks ${basename(locked)}, the list of what its server needs. Install the extension again.`,
    );
  }
  const extras = extrasOf(parts).join(",");
  const requirement = `lsp-evalplus${extras === "" ? "" : `[${extras}]`} @ ${pathToFileURL(wheel).href}`;
  return `${await readFile(locked, "utf8")}${requirement} --hash=sha256:${hash}\n`;
}

function pipArguments(requirements: string): string[] {
  return ["-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--prefer-binary", "--require-hashes", "-r", requirements];
}

const CANCELLED =
  "The installation of the lsp-evalplus server was cancelled. Run “lsp-evalplus: Install or Repair the Server” to try again.";

/** The uv on PATH, if it runs. */
export async function findUv(program = "uv"): Promise<string | undefined> {
  const { code } = await run(program, ["--version"], { milliseconds: 10_000 });
  return code === 0 ? program : undefined;
}

/** What to do about a failed `python -m venv`. */
export function explainVenv(python: Pick<Python, "path" | "version">, ended: Ended): string {
  if (ended.failure === "cancelled") {
    return CANCELLED;
  }
  if (/ensurepip|python3.*-venv/.test(ended.output)) {
    return `${python.path} cannot create environments. Install its venv package (on Debian and Ubuntu: apt install python${python.version.join(".")}-venv) and try again.`;
  }
  return `${python.path} could not create an environment (${reasonOf(ended)}). The log has the details.`;
}

/** What to do about a failed `pip install`. */
export function explainPip(ended: Ended): string {
  if (ended.failure === "cancelled") {
    return CANCELLED;
  }
  const network = /Temporary failure in name resolution|Could not connect|NewConnectionError|Network is unreachable|getaddrinfo|ProxyError|ConnectTimeout|Max retries exceeded|Failed to establish/i;
  if (network.test(ended.output)) {
    return 'The Python package index could not be reached. Connect and try again; or, where there is a mirror, set PIP_INDEX_URL; or run "pip install git+https://github.com/lsp-evalplus/lsp-evalplus" in an environment of your own and name it in lspEvalplus.path.';
  }
  if (/SSLError|CERTIFICATE_VERIFY_FAILED/.test(ended.output)) {
    return "The package index's certificate was not trusted. Set PIP_CERT to your organisation's certificate file, restart the editor and try again.";
  }
  if (/DO NOT MATCH THE HASHES|Hash mismatch/i.test(ended.output)) {
    return 'The package index gave other files than those that this extension was tested with, so nothing was installed. Ask for the files of pypi.org from whoever keeps the mirror; or run "pip install git+https://github.com/lsp-evalplus/lsp-evalplus" in an environment of your own and name it in lspEvalplus.path.';
  }
  if (/No space left|ENOSPC/.test(ended.output)) {
    return "The disk is full; the server needs about 60 MB. Free some space and try again.";
  }
  return `pip could not install the server (${reasonOf(ended)}). The log has the details.`;
}

function reasonOf(ended: Ended): string {
  const error = ended.output.split(/\r?\n/).findLast((line) => /error/i.test(line));
  return ended.failure ?? error?.replace(/^\s*ERROR:\s*/, "").trim().slice(0, 160) ?? `exit code ${String(ended.code)}`;
}
