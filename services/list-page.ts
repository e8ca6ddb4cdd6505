import { DomainError } from '#core/errors.ts'

/** Place in a list that is sorted by time and id, newest first; `position` is the time as Postgres writes it. */
export interface ListPosition {
  position: string
  id: string
  /** 0 to 9, in a list that is sorted by it before the time */
  rank?: number
}

export interface PageRequest {
  limit: number
  cursor?: string | undefined
}

/** Counting costs time per row: beyond this, a list only says that there are more. */
const MAX_COUNTED = 1_000

export interface ListPage<Item> {
  items: Item[]
  /** number of items on all pages; `capped` when there are more than `count` */
  total: { count: number; capped: boolean }
  /** opaque place of the next page; absent on the last one */
  next_cursor?: string
}

/** The rows found so far; `resume` where there is more to scan. */
interface ScannedPage<Row> {
  rows: Row[]
  resume?: ListPosition | undefined
}

/** Reads one page of a list whose ids have `prefix`, with the number of all items as far as they are counted. Throws `invalid_cursor`. */
export async function readPage<Row extends ListPosition, Item>(
  request: PageRequest,
  list: {
    prefix: string
    /** one row more than the page has: it tells whether there is another page */
    rows(page: { limit: number; after: ListPosition | undefined }): Promise<Row[] | ScannedPage<Row>>
    /** number of items, counted up to `up_to` */
    count(up_to: number): Promise<number | ListPage<Row>['total']>
    toItem(row: Row): Item
  },
): Promise<ListPage<Item>> {
  const { limit, cursor } = request
  const after = cursor === undefined ? undefined : parseCursor(cursor, list.prefix)
  const [found, counted] = await Promise.all([list.rows({ limit: limit + 1, after }), list.count(MAX_COUNTED + 1)])
  const { rows, resume } = Array.isArray(found) ? { rows: found } : found
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const next = rows.length > limit ? last : resume
  const total =
    typeof counted === 'number' ? { count: Math.min(counted, MAX_COUNTED), capped: counted > MAX_COUNTED } : counted
  return { items: page.map(list.toItem), total, ...(next !== undefined && { next_cursor: toCursor(next) }) }
}

function toCursor({ position, id, rank }: ListPosition): string {
  return Buffer.from([position, id, rank].filter((part) => part !== undefined).join('|')).toString('base64url')
}

function parseCursor(cursor: string, prefix: string): ListPosition {
  const [position = '', id = '', rank] = Buffer.from(cursor, 'base64url').toString().split('|')
  if (
    !isTime(position) ||
    !id.startsWith(`${prefix}_`) ||
    !/^[a-z]+_[0-9a-z]{26}$/.test(id) ||
    !/^\d?$/.test(rank ?? '')
  ) {
    throw new DomainError('invalid_cursor', 'This cursor does not come from this list.')
  }
  return { position, id, ...(rank && { rank: Number(rank) }) }
}

/** Tells whether a text is a time of Postgres that it can read: with an existing day, and a possible zone. */
function isTime(position: string): boolean {
  const [, day = '', time = '', zone] =
    /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.\d{1,6})?[+-](\d{2})(?::[0-5]\d)?$/.exec(position) ?? []
  const at = Date.parse(`${day}T${time}Z`)
  const isReal = !Number.isNaN(at) && new Date(at).toISOString().startsWith(`${day}T${time}.`)
  return isReal && !day.startsWith('0000') && Number(zone) <= 15
}
