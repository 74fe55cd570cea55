/** What an error says for people: its message, or the thing itself where something else was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
