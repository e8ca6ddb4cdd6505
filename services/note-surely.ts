import type { Log } from '#core/log.ts'

const NOTE_EVERY_MS = 1_000
const NOTES = 60

/** A write to the database, and the message for the log if it never succeeds. */
interface Note {
  write(): Promise<void>
  lost: string
  log: Pick<Log, 'error'>
}

/** Writes that have not succeeded yet. */
const pending = new Set<Note>()

/**
 * Writes it now, or as soon as the database answers again: work that neither ended nor was released counts as a crash, and this process
 * lives. A write that fails for a minute is lost, and an error names it.
 */
export async function noteSurely(note: Note): Promise<void> {
  await note.write().catch((error: unknown) => noteLater(note, NOTES, error))
}

/** Tries pending writes for the last time, before the process stops in good order. */
export async function notePending(): Promise<void> {
  const notes = [...pending]
  pending.clear()
  await Promise.all(notes.map((note) => note.write().catch((error: unknown) => giveUp(note, error))))
}

function noteLater(note: Note, left: number, error: unknown): void {
  if (left === 0) {
    giveUp(note, error)
    return
  }
  pending.add(note)
  setTimeout(() => {
    if (pending.delete(note)) void note.write().catch((again: unknown) => noteLater(note, left - 1, again))
  }, NOTE_EVERY_MS).unref()
}

function giveUp({ lost, log }: Note, error: unknown): void {
  log.error({ err: error, lost }, 'the database did not take this, and it is given up')
}
