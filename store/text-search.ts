import type { Db } from './db.ts'

/** Whether a text has this part; upper and lower case are equal. */
export const hasPart = (db: Db, text: ReturnType<Db>, part: string) =>
  db`position(lower(${part}) in lower(${text})) > 0`
