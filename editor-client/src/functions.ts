// Which function a line belongs to, by indentation: enough to ask the server for a check by name.

/** The qualified name (`Class.method`, `outer.<locals>.inner`) of the innermost function around a line. */
export function functionAt(lines: readonly string[], line: number): string | undefined {
  const chain = headersAround(lines, line);
  if (chain[0]?.keyword !== "def") {
    return undefined;
  }
  return chain
    .reverse()
    .map(({ keyword, name }, index) => (index < chain.length - 1 && keyword === "def" ? `${name}.<locals>` : name))
    .join(".");
}

interface Header {
  readonly keyword: "def" | "class";
  readonly name: string;
  readonly indentation: number;
}

/** Headers whose body or first line holds the line, the innermost first. */
function headersAround(lines: readonly string[], line: number): Header[] {
  const found: Header[] = [];
  let limit = Infinity; // only what is indented less holds the line
  for (let i = line; i >= 0 && limit > 0; i--) {
    const text = lines[i] ?? "";
    const header = readHeader(text);
    if (header && header.indentation < limit) {
      found.push(header);
    }
    if (!/^\s*($|#|[)\]}])/.test(text)) {
      limit = Math.min(limit, text.search(/\S/));
    }
  }
  return found;
}

function readHeader(text: string): Header | undefined {
  const match = /^(\s*)(?:async\s+)?(def|class)\s+(\w+)/.exec(text);
  const [, blank, keyword, name] = match ?? [];
  return blank !== undefined && name !== undefined
    ? { keyword: keyword as "def" | "class", name, indentation: blank.length }
    : undefined;
}
