import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type * as vscode from "vscode";
import type { AgentApi, LanguageModelTool, ServerDefinition, ServerDefinitionProvider } from "../src/agents/api";
import { PROVIDER, mcpCommand } from "../src/agents/mcp";
import { describePath, placeOf } from "../src/agents/places";
import { registerAgentSupport } from "../src/agents/registration";
import type { AgentHost } from "../src/agents/registration";
import { PREFIX, TOOLS } from "../src/agents/tools";
import type { ToolHost } from "../src/agents/tools";
import type { ServerCommand } from "../src/delivery/locate";

interface Asked {
  readonly command: string;
  readonly argument: object | undefined;
}

/** A server that answers every command alike, and what it was asked. */
function toolHost(answer: unknown): ToolHost & { asked: Asked[] } {
  const asked: Asked[] = [];
  return {
    asked,
    execute: (command, argument) => {
      asked.push({ command, argument });
      return Promise.resolve(answer);
    },
    locate: (path) => Promise.resolve(`file:///project/${path}`),
    list: (path) => Promise.resolve([`file:///project/${path}/a.py`, `file:///project/${path}/b.py`]),
    describe: (uri) => uri.replace("file:///project/", ""),
  };
}

const run = (name: string, input: unknown, host: ToolHost): Promise<unknown> => TOOLS[name]?.run(input, host) ?? Promise.reject(new Error(name));

describe("the tools", () => {
  const found = { uri: "file:///project/a.py", name: "f", verdict: "differs" };

  it.each([
    ["check_function", { path: "a.py", name: "f" }, "lspEvalplus.checkFunction", { uri: "file:///project/a.py", name: "f" }],
    ["check_file", { path: "a.py" }, "lspEvalplus.checkFile", { uri: "file:///project/a.py" }],
    ["check_changes", {}, "lspEvalplus.checkChanges", undefined],
  ])("%s asks the server, and answers with paths", async (name, input, command, argument) => {
    const host = toolHost([found]);
    expect(await run(name, input, host)).toEqual([{ path: "a.py", name: "f", verdict: "differs" }]);
    expect(host.asked).toEqual([{ command, argument }]);
  });

  it("list_unchecked adds up the files of a folder", async () => {
    const host = toolHost({ functions: 2, unchecked: [{ uri: "file:///project/src/a.py", name: "g", line: 3, reason: "why" }], problems: ["bad"] });
    const row = { path: "src/a.py", name: "g", line: 3, reason: "why" };
    expect(await run("list_unchecked", { path: "src" }, host)).toEqual({
      functions: 4,
      unchecked: [row, row],
      problems: ["src/a.py: bad", "src/b.py: bad"],
    });
  });

  it("says which function there is not", async () => {
    await expect(run("check_function", { path: "a.py", name: "g" }, toolHost([]))).rejects.toThrow("a.py has no function g.");
  });

  it.each([[undefined], [null], [{}], [{ path: 3 }], [{ path: "" }]])("refuses the input %j", async (input) => {
    const host = toolHost([]);
    await expect(run("check_file", input, host)).rejects.toThrow('"path" must be a text.');
    expect(host.asked).toEqual([]);
  });
});

describe("places", () => {
  let folder: string;
  let inside: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "places-"));
    inside = join(folder, "project");
    await mkdir(join(inside, "src"), { recursive: true });
    await writeFile(join(inside, "src", "a.py"), "");
    await writeFile(join(folder, "secret.py"), "");
    await symlink(join(folder, "secret.py"), join(inside, "link.py"));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it("are found in any folder, by relative and absolute paths", async () => {
    const other = join(folder, "other");
    const path = join(inside, "src", "a.py");
    expect(await placeOf("src/a.py", [other, inside])).toEqual({ path, isFolder: false });
    expect(await placeOf(path, [other, inside])).toEqual({ path, isFolder: false });
    expect(await placeOf(".", [inside])).toEqual({ path: inside, isFolder: true });
    expect(describePath(path, [other, inside])).toBe("src/a.py");
  });

  it.each(["../secret.py", "link.py"])("outside are refused: %s", async (path) => {
    await expect(placeOf(path, [inside])).rejects.toThrow("outside of the workspace");
  });

  it("that are none are refused", async () => {
    await expect(placeOf("b.py", [inside])).rejects.toThrow("There is no b.py in the workspace.");
    await expect(placeOf("src/a.py", [])).rejects.toThrow("There is no src/a.py in the workspace.");
  });
});

/** An editor with all interfaces, and what was registered in it. */
class FakeEditor {
  readonly tools = new Map<string, LanguageModelTool>();
  readonly providers = new Map<string, ServerDefinitionProvider>();
  readonly warnings: string[] = [];

  api(): Required<AgentApi> {
    return {
      lm: {
        registerTool: (name, tool) => this.keep(this.tools, name, tool),
        registerMcpServerDefinitionProvider: (id, provider) => this.keep(this.providers, id, provider),
      },
      LanguageModelToolResult: class {
        constructor(readonly content: object[]) {}
      },
      LanguageModelTextPart: class {
        constructor(readonly text: string) {}
      },
      McpStdioServerDefinition: class {
        constructor(
          readonly label: string,
          readonly command: string,
          readonly args: string[],
          readonly env: Record<string, string | null>,
          readonly version: string,
        ) {}
      },
    };
  }

  register(host: AgentHost, api: AgentApi = this.api()): number {
    return registerAgentSupport(api, host, (text) => this.warnings.push(text)).length;
  }

  private keep<T>(into: Map<string, T>, name: string, value: T): vscode.Disposable {
    into.set(name, value);
    return disposable(() => into.delete(name));
  }
}

function disposable(dispose: () => unknown): vscode.Disposable {
  const made: unknown = { dispose };
  return made as vscode.Disposable;
}

const SERVER: ServerCommand = { program: "/env/bin/python", args: ["-m", "lsp_evalplus", "serve"], origin: "setting" };
const TOKEN = {} as vscode.CancellationToken;

function agentHost(isTrusted: boolean, server: ServerCommand | undefined = SERVER): AgentHost & { answers: ReturnType<typeof toolHost> } {
  const answers = toolHost([]);
  const folder = (path: string, scheme = "file"): vscode.WorkspaceFolder => ({ uri: { scheme, fsPath: path } as unknown as vscode.Uri, name: path, index: 0 });
  return {
    answers,
    isTrusted,
    folders: [folder("/one"), folder("/two"), folder("/cloud", "vscode-vfs")],
    version: "1.2.3",
    onDidChange: () => disposable(() => undefined),
    locate: () => Promise.resolve(server),
    extend: () => Promise.resolve(false),
    tools: () => answers,
  };
}

describe("registration", () => {
  it("is of what package.json names", async () => {
    const manifest = JSON.parse(await readFile(join(__dirname, "..", "package.json"), "utf8")) as {
      contributes: { languageModelTools: { name: string; when: string; inputSchema: { required: string[] } }[]; mcpServerDefinitionProviders: { id: string }[] };
    };
    const editor = new FakeEditor();
    expect(editor.register(agentHost(true))).toBe(5);
    const named = manifest.contributes.languageModelTools;
    expect([...editor.tools.keys()].sort()).toEqual(named.map(({ name }) => name).sort());
    expect(named.every(({ when }) => when.includes("isWorkspaceTrusted"))).toBe(true);
    expect([...editor.providers.keys()]).toEqual(manifest.contributes.mcpServerDefinitionProviders.map(({ id }) => id));
    for (const { name, inputSchema } of named) {
      const input = Object.fromEntries(inputSchema.required.map((key) => [key, "x"]));
      expect(editor.tools.get(name)?.prepareInvocation({ input }).invocationMessage).not.toContain("undefined");
    }
  });

  it("does without what this VS Code lacks, and hears its refusals", () => {
    const editor = new FakeEditor();
    const { lm, ...classes } = editor.api();
    expect(editor.register(agentHost(true), {})).toBe(0);
    expect(editor.register(agentHost(true), { lm: {}, ...classes })).toBe(0);
    expect(editor.register(agentHost(true), { lm })).toBe(0);
    expect(editor.warnings).toEqual([]);
    const refuse = (): never => {
      throw new Error("proposed");
    };
    expect(editor.register(agentHost(true), { ...classes, lm: { ...lm, registerMcpServerDefinitionProvider: refuse } })).toBe(4);
    expect(editor.warnings).toEqual(["The MCP server could not be registered: Error: proposed"]);
  });

  it("asks the user before code is run, and answers with JSON", async () => {
    const [editor, host] = [new FakeEditor(), agentHost(true)];
    editor.register(host);
    const tool = editor.tools.get(`${PREFIX}check_changes`);
    expect(tool?.prepareInvocation({ input: {} }).confirmationMessages?.message).toContain("differs from git HEAD");
    expect(editor.tools.get(`${PREFIX}list_unchecked`)?.prepareInvocation({ input: {} }).confirmationMessages).toBeUndefined();
    expect(await tool?.invoke({ input: {} }, TOKEN)).toEqual({ content: [{ text: "[]" }] });
  });

  it("runs nothing in a workspace that is not trusted", async () => {
    const [editor, host] = [new FakeEditor(), agentHost(false)];
    editor.register(host);
    for (const tool of editor.tools.values()) {
      const invocation = { input: { path: "a.py", name: "f" } };
      expect(() => tool.prepareInvocation(invocation)).toThrow("Restricted Mode");
      await expect(tool.invoke(invocation, TOKEN)).rejects.toThrow("Restricted Mode");
    }
    expect(host.answers.asked).toEqual([]);
    const provider = editor.providers.get(PROVIDER);
    expect(await provider?.provideMcpServerDefinitions()).toEqual([]);
    await expect(provider?.resolveMcpServerDefinition({ command: "false", args: [] })).rejects.toThrow("Restricted Mode");
  });
});

describe("the MCP server", () => {
  it.each([
    [["serve"], ["mcp", "--folder", "/p"]],
    [["-m", "lsp_evalplus", "serve", "--verbose"], ["-m", "lsp_evalplus", "mcp", "--folder", "/p"]],
    [["start.py"], undefined],
  ])("is started as the language server with %j", (args, expected) => {
    expect(mcpCommand({ ...SERVER, args }, "/p")?.args).toEqual(expected);
  });

  const provided = async (server?: ServerCommand): Promise<ServerDefinition[]> => {
    const editor = new FakeEditor();
    editor.register({ ...agentHost(true), locate: () => Promise.resolve(server) });
    return (await editor.providers.get(PROVIDER)?.provideMcpServerDefinitions()) ?? [];
  };

  it("is one for each folder on disk, without what bends imports", async () => {
    expect(await provided(SERVER)).toMatchObject(
      ["/one", "/two"].map((path) => ({
        label: `lsp-evalplus (${path})`,
        command: "/env/bin/python",
        args: ["-m", "lsp_evalplus", "mcp", "--folder", path],
        env: { PYTHONUTF8: "1", PYTHONPATH: null },
        version: "1.2.3",
        cwd: { fsPath: path },
      })),
    );
    expect(await provided(undefined)).toEqual([]);
  });

  it("is tried before it is started, and says why it cannot be", async () => {
    const folder = await mkdtemp(join(tmpdir(), "mcp-"));
    const program = join(folder, "lsp-evalplus");
    await writeFile(program, '#!/bin/sh\n[ "$1" = mcp ] && exec cat\necho "Error: install lsp-evalplus[mcp]"\nexit 2\n');
    await chmod(program, 0o755);
    const editor = new FakeEditor();
    editor.register(agentHost(true));
    const provider = editor.providers.get(PROVIDER);
    const definition = { command: program, args: ["mcp"] };
    expect(await provider?.resolveMcpServerDefinition(definition)).toBe(definition);
    const broken = { command: program, args: ["-m", "broken", "mcp", "--folder", "/p"] };
    await expect(provider?.resolveMcpServerDefinition(broken)).rejects.toThrow("install lsp-evalplus[mcp]");

    const extended: ServerCommand = { program, args: ["serve"], origin: "private" };
    editor.register({ ...agentHost(true, extended), extend: () => Promise.resolve(true) });
    expect(await editor.providers.get(PROVIDER)?.resolveMcpServerDefinition(broken)).toBe(broken);
    expect(broken).toEqual({ command: program, args: ["mcp", "--folder", "/p"] });
    await rm(folder, { recursive: true });
  });
});
