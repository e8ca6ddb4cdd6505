import { ApiError } from '../../lib/api.ts'
import type { InputFault } from './form-schema.ts'

/** The server refuses the inputs before anything is started. */
export class InvalidInput extends Error {
  readonly faults: readonly InputFault[]

  constructor(faults: readonly InputFault[]) {
    super(faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '))
    this.faults = faults
  }
}

/** Returns faults found at the start itself, after a change since the check. */
export function invalidInputOf(error: unknown): InvalidInput | undefined {
  if (!(error instanceof ApiError) || error.status !== 422) return undefined
  const faults = error.errors.flatMap(({ loc, msg }) => (loc?.[1] === 'inputs' ? [{ loc: loc.slice(2), msg }] : []))
  return faults.length === 0 ? undefined : new InvalidInput(faults)
}

/** Not `randomUUID`: browsers keep that from pages that came by plain http. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
