import { randomUUID } from 'node:crypto'
import { DomainError } from '#core/errors.ts'

/** Refusals were thrown, so that what is left has the body that the description says. */
export async function bodyOf<Body>(answer: Promise<{ data?: Body }>): Promise<Body> {
  const { data } = await answer
  return data as Body
}

/** Of what answers nothing. */
export async function done(answer: Promise<unknown>): Promise<void> {
  await answer
}

/** What creates or decides carries a key, so that it may be sent again when the connection breaks. */
export async function once<Body>(send: (header: { 'idempotency-key': string }) => Promise<Body>): Promise<Body> {
  const header = { 'idempotency-key': randomUUID() }
  try {
    return await send(header)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return await send(header)
  }
}
