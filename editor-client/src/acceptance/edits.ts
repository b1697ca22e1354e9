// Where text stands after an edit: pure arithmetic on lines and UTF-16 columns, without the editor.

/** A place in a document: zero-based line and UTF-16 column. */
export interface Place {
  readonly line: number;
  readonly character: number;
}

/** A stretch of a document, its end excluded. */
export interface Stretch {
  readonly start: Place;
  readonly end: Place;
}

/** One replacement of an edit; `range` is in the document before the edit. */
export interface Replacement {
  readonly range: Stretch;
  readonly text: string;
}

/** Negative, zero or positive, like every comparison function. */
export function comparePlaces(a: Place, b: Place): number {
  return a.line - b.line || a.character - b.character;
}

/** Whether two stretches overlap or at least meet. */
export function areTouching(a: Stretch, b: Stretch): boolean {
  return comparePlaces(a.start, b.end) <= 0 && comparePlaces(b.start, a.end) <= 0;
}

/** The smallest stretch that holds both. */
export function hullOf(a: Stretch, b: Stretch): Stretch {
  return {
    start: comparePlaces(a.start, b.start) <= 0 ? a.start : b.start,
    end: comparePlaces(a.end, b.end) >= 0 ? a.end : b.end,
  };
}

/** Where text that starts at `start` ends; knows LF, CRLF and CR. */
export function endOfText(start: Place, text: string): Place {
  const lines = text.split(/\r\n|\r|\n/);
  const last = lines[lines.length - 1] ?? "";
  if (lines.length === 1) {
    return { line: start.line, character: start.character + last.length };
  }
  return { line: start.line + lines.length - 1, character: last.length };
}

/** Moves places of the old document behind the last replacement that was applied. */
class Shift {
  private lines = 0;
  private columns = 0;
  private columnLine = -1;

  apply(place: Place): Place {
    const columns = place.line === this.columnLine ? this.columns : 0;
    return { line: place.line + this.lines, character: place.character + columns };
  }

  follow(oldEnd: Place, newEnd: Place): void {
    this.lines = newEnd.line - oldEnd.line;
    this.columns = newEnd.character - oldEnd.character;
    this.columnLine = oldEnd.line;
  }
}

function inOrder(replacements: readonly Replacement[]): Replacement[] {
  return [...replacements].sort((a, b) => comparePlaces(a.range.start, b.range.start));
}

/** The stretches of the new document that the edit wrote, in order; deletions give empty ones. */
export function writtenStretches(replacements: readonly Replacement[]): Stretch[] {
  const shift = new Shift();
  return inOrder(replacements).map(({ range, text }) => {
    const start = shift.apply(range.start);
    const end = endOfText(start, text);
    shift.follow(range.end, end);
    return { start, end };
  });
}

/** Where a stretch of the old document stands after the edit. Text typed at its very ends stays outside. */
export function moveStretch(stretch: Stretch, replacements: readonly Replacement[]): Stretch {
  const start = movePlace(stretch.start, replacements, "after");
  const end = movePlace(stretch.end, replacements, "before");
  return comparePlaces(start, end) <= 0 ? { start, end } : { start, end: start };
}

function movePlace(place: Place, replacements: readonly Replacement[], stick: "before" | "after"): Place {
  const shift = new Shift();
  for (const { range, text } of inOrder(replacements)) {
    const order = comparePlaces(place, range.start);
    if (order < 0 || (order === 0 && stick === "before")) {
      break;
    }
    const start = shift.apply(range.start);
    const end = endOfText(start, text);
    if (comparePlaces(place, range.end) < 0) {
      return stick === "before" ? end : start;
    }
    shift.follow(range.end, end);
  }
  return shift.apply(place);
}
