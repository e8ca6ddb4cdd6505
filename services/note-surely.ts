const NOTE_EVERY_MS = 1_000
const NOTES = 60

/** What the database has not taken yet. */
const pending = new Set<() => Promise<void>>()

/**
 * Notes it now, or as soon as the database answers again: work that neither ended nor was released counts as a process that ended, and
 * this one lives.
 */
export async function noteSurely(note: () => Promise<void>): Promise<void> {
  await note().catch(() => noteLater(note, NOTES))
}

/** Before the process stops in good order: what is pending is tried now, for the last time. */
export async function notePending(): Promise<void> {
  const notes = [...pending]
  pending.clear()
  await Promise.allSettled(notes.map((note) => note()))
}

function noteLater(note: () => Promise<void>, left: number): void {
  if (left === 0) return
  pending.add(note)
  setTimeout(() => {
    if (pending.delete(note)) void note().catch(() => noteLater(note, left - 1))
  }, NOTE_EVERY_MS).unref()
}
