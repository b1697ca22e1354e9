// Which edits were accepted completions. Pure: told about events, asked for reports, knows neither editor nor server.
//
// Two witnesses speak. The key binding runs the editor's own accept command and then tells us: the edit we saw last was
// that completion. The observer is an inline-completion provider that offers nothing: an edit that inserts a whole
// block at just the place and version it was last asked about was offered by somebody else (accepted from the toolbar,
// the palette, or with a key of the user's own).

import { areTouching, comparePlaces, hullOf, moveStretch, writtenStretches } from "./edits";
import type { Place, Replacement, Stretch } from "./edits";

/** How much of the completion was taken. */
export type AcceptanceKind = "full" | "word" | "line" | "nextEdit";

/** Who noticed. */
export type Witness = "key" | "observer";

/** One edit of one document, as the editor reports it. */
export interface Edit {
  readonly uri: string;
  /** The version after the edit. */
  readonly version: number;
  readonly replacements: readonly Replacement[];
  /** Undo and redo bring back text that was reported before. */
  readonly isUndoOrRedo: boolean;
  /** Milliseconds of any steady clock. */
  readonly at: number;
}

/** The observer's last question: who asks for completions here is about to be offered some. */
export interface Question {
  readonly uri: string;
  readonly version: number;
  readonly place: Place;
  /** The line's text in front of the place. */
  readonly prefix: string;
}

/** What the server is told. */
export interface Acceptance {
  readonly uri: string;
  readonly version: number;
  readonly ranges: readonly Stretch[];
  readonly kind: AcceptanceKind;
  readonly witness: Witness;
}

interface Candidate {
  readonly edit: Edit;
  readonly written: readonly Stretch[];
  /** The open session as it stood after this very edit. */
  readonly session: Stretch | undefined;
  reported: boolean;
}

/** The command follows its edit within a few milliseconds; an older edit is not what was accepted. */
const COMMAND_LAG_MS = 1500;

/** Remembers, for each document, the last edit and the stretch that one ghost text wrote so far. */
export class AcceptanceTracker {
  private readonly candidates = new Map<string, Candidate>();
  private readonly sessions = new Map<string, Stretch>();
  private question: Question | undefined;

  /** Notes that completions are being computed here. */
  asked(question: Question): void {
    this.question = question;
  }

  /** Notes an edit. Returns a ticket if it looks like a completion that no key binding announced (yet). */
  edited(edit: Edit): Edit | undefined {
    if (edit.replacements.length === 0) {
      return undefined;
    }
    const before = this.sessions.get(edit.uri);
    const session = before && moveStretch(before, edit.replacements);
    if (session) {
      this.sessions.set(edit.uri, session);
    }
    const isOffer = !edit.isUndoOrRedo && looksOffered(edit, this.question);
    const written = writtenStretches(edit.replacements);
    this.candidates.set(edit.uri, { edit, written, session, reported: edit.isUndoOrRedo });
    return isOffer ? edit : undefined;
  }

  /** The accept key was pressed in this document: the last edit was a completion, unless it is too old or known. */
  announced(uri: string, kind: AcceptanceKind, now: number): Acceptance | undefined {
    const candidate = this.candidates.get(uri);
    if (!candidate || candidate.reported || now - candidate.edit.at > COMMAND_LAG_MS) {
      return undefined;
    }
    return this.report(candidate, kind, "key");
  }

  /** Redeems a ticket of `edited`, after the caller made sure that it was no paste; nothing if a key told it before. */
  observed(ticket: Edit): Acceptance | undefined {
    const candidate = this.candidates.get(ticket.uri);
    if (candidate?.edit !== ticket || candidate.reported) {
      return undefined;
    }
    return this.report(candidate, "full", "observer");
  }

  /** Forgets a document that was closed. */
  closed(uri: string): void {
    this.candidates.delete(uri);
    this.sessions.delete(uri);
  }

  private report(candidate: Candidate, kind: AcceptanceKind, witness: Witness): Acceptance {
    candidate.reported = true;
    const { uri, version } = candidate.edit;
    const ranges = joinSession(candidate);
    const [only] = ranges;
    if (only && ranges.length === 1) {
      this.sessions.set(uri, only);
    }
    return { uri, version, ranges, kind, witness };
  }
}

/** Words taken one after the other, and the rest with one key, are one completion: their union is reported. */
function joinSession({ written, session }: Candidate): readonly Stretch[] {
  const [only] = written;
  if (!only || written.length !== 1 || !session || !areTouching(only, session)) {
    return written;
  }
  return [hullOf(only, session)];
}

/** Whether an edit wrote a block exactly where, and when, completions were last asked for. */
export function looksOffered(edit: Edit, question: Question | undefined): boolean {
  const [replacement] = edit.replacements;
  if (!replacement || edit.replacements.length !== 1 || question?.uri !== edit.uri) {
    return false;
  }
  if (question.version !== edit.version - 1) {
    return false;
  }
  return isBlock(replacement.text) && startsAtQuestion(replacement, question);
}

/** More than one line, or one line that no keystroke and no list of names inserts at once. */
function isBlock(text: string): boolean {
  return /\S[^]*[\r\n]|[\r\n][^]*\S/.test(text) || (text.trim().length >= 10 && /\S\s+\S/.test(text));
}

/**
 * A completion inserts at the place, or rewrites the line up to it. Rewriting just the word before the place is what
 * the list of suggestions does, with snippets among them, and is not taken for a completion.
 */
function startsAtQuestion({ range, text }: Replacement, { place, prefix }: Question): boolean {
  if (comparePlaces(range.start, place) === 0) {
    return true;
  }
  if (range.start.line !== place.line || comparePlaces(range.start, place) > 0 || comparePlaces(range.end, place) < 0) {
    return false;
  }
  const rewritten = prefix.slice(range.start.character);
  return text.startsWith(rewritten) && !/^\w+$/.test(rewritten);
}

/** Whether an insertion is what the clipboard holds: line ends, indentation and outer blanks may differ. */
export function isPaste(inserted: string, clipboard: string): boolean {
  const normal = (text: string): string =>
    text
      .split(/\r\n|\r|\n/)
      .map((line) => line.trim())
      .join("\n")
      .trim();
  const wanted = normal(inserted);
  return wanted !== "" && normal(clipboard).includes(wanted);
}

/** Whether a cursor stands where a completion leaves it, behind its text; a snippet leaves it at a placeholder. */
export function isCursorBehind(cursor: Stretch, written: Stretch): boolean {
  return comparePlaces(cursor.start, cursor.end) === 0 && comparePlaces(cursor.start, written.end) >= 0;
}
