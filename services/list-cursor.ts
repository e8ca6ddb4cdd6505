import { DomainError } from '#core/errors.ts'

/** Place in a list that is sorted by time and id, newest first; `position` is the time as Postgres writes it. */
export interface ListPlace {
  position: string
  id: string
}

export function toCursor({ position, id }: ListPlace): string {
  return Buffer.from(`${position}|${id}`).toString('base64url')
}

/** The place that a cursor of ours names; `prefix` is that of the list's ids. Throws `invalid_cursor`. */
export function parseCursor(cursor: string, prefix: string): ListPlace {
  const [position = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split('|')
  const sound =
    /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{1,6})?[+-]\d{2}(:\d{2})?$/.test(position) &&
    id.startsWith(`${prefix}_`) &&
    /^[a-z]+_[0-9a-z]{26}$/.test(id)
  if (!sound || Number.isNaN(Date.parse(position.replace(/([+-]\d{2})$/, '$1:00')))) {
    throw new DomainError('invalid_cursor', 'The cursor is not one that this list has given out.')
  }
  return { position, id }
}
