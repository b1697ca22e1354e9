// Text inside HTML.

/** Text made safe inside HTML. */
export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${String(c.charCodeAt(0))};`);
}
