import type { Source } from '../sources.ts'

/** A violation that somebody might plant: the file, and what is to be said of it. */
export interface Planted extends Source {
  title: string
  says: RegExp
}

export function plant(title: string, path: string, text: string, says: RegExp): Planted {
  return { title, path, text, says }
}
