// The tools for language models: each asks the running server, and answers with JSON as `lsp-evalplus mcp` does. Pure.

/** What the tools need of the editor. */
export interface ToolHost {
  /** Has the server run a command. Rejects with a sentence where there is none to ask. */
  execute(command: string, argument?: object): Promise<unknown>;
  /** The URI of a Python file in the workspace. Rejects where there is no such file. */
  locate(path: string): Promise<string>;
  /** The URIs of a Python file in the workspace, or of all below a folder. Rejects where there is nothing of that name. */
  list(path: string): Promise<string[]>;
  /** A URI as a path that the tools take. */
  describe(uri: string): string;
}

/** A request that is at fault, with a sentence for the model. */
export class ToolError extends Error {}

/** One tool. Its input comes from a model and is checked here. */
export interface Tool {
  /** Whether it runs code of the workspace. */
  readonly runsCode: boolean;
  /** What it is about to do, in words for the user: `the function f of a.py`. */
  describe(input: unknown): string;
  run(input: unknown, host: ToolHost): Promise<unknown>;
}

interface Result {
  readonly uri: string;
}

interface Listing {
  readonly functions: number;
  readonly unchecked: readonly Result[];
  readonly problems: readonly string[];
}

/** The prefix of the tools' names among those of all extensions. */
export const PREFIX = "lsp-evalplus_";

/** The tools by name. */
export const TOOLS: Readonly<Record<string, Tool>> = {
  check_function: {
    runsCode: true,
    describe: (input) => `the function ${textOf(input, "name")} of ${textOf(input, "path")}`,
    run: async (input, host) => {
      const [path, name] = [textOf(input, "path"), textOf(input, "name")];
      const results = await check(host, "lspEvalplus.checkFunction", { uri: await host.locate(path), name });
      if (results.length === 0) {
        throw new ToolError(`${path} has no function ${name}.`);
      }
      return results;
    },
  },
  check_file: {
    runsCode: true,
    describe: (input) => `every function of ${textOf(input, "path")}`,
    run: async (input, host) => check(host, "lspEvalplus.checkFile", { uri: await host.locate(textOf(input, "path")) }),
  },
  check_changes: {
    runsCode: true,
    describe: () => "every function that differs from git HEAD",
    run: async (_input, host) => check(host, "lspEvalplus.checkChanges"),
  },
  list_unchecked: {
    runsCode: false,
    describe: (input) => `what cannot be checked in ${folderOf(input)}`,
    run: async (input, host) => {
      const total = { functions: 0, unchecked: [] as object[], problems: [] as string[] };
      for (const uri of await host.list(folderOf(input))) {
        const one = (await host.execute("lspEvalplus.listUnchecked", { uri })) as Listing;
        total.functions += one.functions;
        total.unchecked.push(...withPaths(one.unchecked, host));
        total.problems.push(...one.problems.map((problem) => `${host.describe(uri)}: ${problem}`));
      }
      return total;
    },
  },
};

async function check(host: ToolHost, command: string, argument?: object): Promise<object[]> {
  return withPaths((await host.execute(command, argument)) as Result[], host);
}

function withPaths(results: readonly Result[], host: ToolHost): object[] {
  return results.map(({ uri, ...rest }) => ({ path: host.describe(uri), ...rest }));
}

function textOf(input: unknown, name: string): string {
  const value = valueOf(input, name);
  if (typeof value !== "string" || value === "") {
    throw new ToolError(`"${name}" must be a text.`);
  }
  return value;
}

function folderOf(input: unknown): string {
  return valueOf(input, "path") === undefined ? "." : textOf(input, "path");
}

function valueOf(input: unknown, name: string): unknown {
  return typeof input === "object" && input !== null ? (input as Readonly<Record<string, unknown>>)[name] : undefined;
}
