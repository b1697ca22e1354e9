/** A number with its noun: `1 task`, `12 tasks`. */
export function counted(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}
