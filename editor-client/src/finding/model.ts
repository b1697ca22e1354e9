// A finding as the panel shows it, and where its two outputs part. Pure.

/** What the server says about one finding. Texts are shown as they are, never interpreted. */
export interface FindingView {
  /** The function's qualified name. */
  readonly function: string;
  /** What a user can paste: `median([3, 1])`. */
  readonly call: string;
  /** What the code gave. */
  readonly actual: string;
  /** What the oracle gave, or demands. */
  readonly expected: string;
  /** Who says what is right: `git HEAD`, `docstring examples`. */
  readonly oracle: string;
  /** Further facts, each a label and a text. */
  readonly facts: readonly (readonly [label: string, text: string])[];
  /** What the search tried. Null where no search was made; older servers do not say. */
  readonly tried?: Tried | null;
}

/** Names with the number of inputs of each, the most frequent first. */
export type Counts = readonly (readonly [name: string, inputs: number])[];

/** What a search tried, and how its counterexample became small. */
export interface Tried {
  readonly inputs: number;
  /** By the stage of the search that made them. */
  readonly stages: Counts;
  /** By what came of them. */
  readonly judgements: Counts;
  /** By the types of their arguments, such as `(int, str)`; of some of the inputs. */
  readonly kinds: Counts;
  /** Characters of a call; of some of the inputs. */
  readonly sizes: { readonly smallest: number; readonly median: number; readonly largest: number };
  /** How often the counterexample became smaller. */
  readonly steps: number;
  /** Calls on the way to the smallest one, the first and the last among them. */
  readonly shrinking: readonly string[];
}

/** A run of text, and whether the other side has it too. */
export interface Piece {
  readonly text: string;
  readonly isShared: boolean;
}

const LONGEST_TABLE = 250_000;

/** Cuts two texts into pieces, so that what they share and where they part can be seen. */
export function compareTexts(left: string, right: string): [Piece[], Piece[]] {
  const a = tokens(left);
  const b = tokens(right);
  if (a.length * b.length > LONGEST_TABLE) {
    return [[{ text: left, isShared: false }], [{ text: right, isShared: false }]];
  }
  const shared = longestCommon(a, b);
  return [
    pieces(a, new Set(shared.map(([i]) => i))),
    pieces(b, new Set(shared.map(([, j]) => j))),
  ];
}

function tokens(text: string): string[] {
  return text.match(/\w+|\s+|[^\w\s]/gu) ?? [];
}

/** The pairs of indices of a longest common subsequence (dynamic programming over suffixes). */
function longestCommon(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => table[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      table[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      pairs.push([i++, j++]);
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      i++;
    } else {
      j++;
    }
  }
  return pairs;
}

function pieces(all: readonly string[], shared: ReadonlySet<number>): Piece[] {
  const joined: { text: string; isShared: boolean }[] = [];
  all.forEach((text, index) => {
    const isShared = shared.has(index);
    const last = joined.at(-1);
    if (last?.isShared === isShared) {
      last.text += text;
    } else {
      joined.push({ text, isShared });
    }
  });
  return joined;
}
