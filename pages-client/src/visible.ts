// Characters that nobody sees or that turn the text around them, as Python writes them: no name looks like another one.

const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** The text as it is shown. Of control characters, those in `kept` stay as they are. */
export function visible(text: string, kept = ""): string {
  return text.replace(UNSEEN, (one) => {
    const code = one.charCodeAt(0);
    if (kept.includes(one)) return one;
    return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}
