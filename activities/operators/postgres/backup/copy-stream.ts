import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { OperatorError } from '#core/operator.ts'
import type { SessionQuery } from '../session.ts'
import type { RowsDigest } from './rows-digest.ts'

const CHUNK_BYTES = 64 * 1024

/** The rows of a table, or rows into it, without those columns that are computed from others. */
export function copyStatement(
  { name, columns }: { name: string; columns: string[] },
  way: 'to stdout' | 'from stdin',
): string {
  // a table without columns has rows all the same
  return `copy ${name}${columns.length === 0 ? '' : ` (${columns.join(', ')})`} ${way}`
}

/** What COPY sends of a table, in larger pieces than rows; all of it goes into the digest. */
export async function* copyOut(sql: SessionQuery, statement: string, digest: RowsDigest): AsyncIterable<Uint8Array> {
  const stream: Readable = await sql.unsafe(statement).readable()
  let pieces: Uint8Array[] = []
  let held = 0
  for await (const piece of stream as AsyncIterable<Uint8Array>) {
    digest.add(piece)
    // the driver uses its buffer again
    pieces.push(Uint8Array.from(piece))
    held += piece.byteLength
    if (held < CHUNK_BYTES) continue
    yield Buffer.concat(pieces)
    pieces = []
    held = 0
  }
  // with the last rows the driver may have stopped to listen, and nobody reads any more who would have it go on
  stream._read(0)
  if (held > 0) yield Buffer.concat(pieces)
}

/** Hands rows to COPY, and waits until the server has taken all of them. */
export async function copyIn(sql: SessionQuery, statement: string, rows: AsyncIterable<Uint8Array>): Promise<void> {
  const stream: Writable = await sql.unsafe(statement).writable()
  let failure: Error | undefined
  stream.on('error', (error) => {
    failure = error
  })
  for await (const piece of rows) {
    if (failure !== undefined) throw failure
    if (!stream.write(piece)) await Promise.race([once(stream, 'drain'), once(stream, 'close')])
  }
  if (failure !== undefined) throw failure
  stream.end()
  // the driver does not tell of a refusal that comes after the last row; the transaction does, to the next statement
  await sql.unsafe('select 1').catch((error: unknown) => {
    if (failure !== undefined) throw failure
    throw refused(statement, error)
  })
}

function refused(statement: string, cause: unknown): unknown {
  const aborted = cause instanceof Error && 'code' in cause && cause.code === '25P02'
  return aborted ? new OperatorError('sql_failed', `the server refused the rows of ${statement}`, { cause }) : cause
}
