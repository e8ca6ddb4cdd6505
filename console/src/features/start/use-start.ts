import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import type { Schema } from '#client/create-client.ts'
import { ApiError } from '../../lib/api.ts'
import { type Of, startRun, validate, type Wish } from './api.ts'
import type { InputFault } from './form-schema.ts'

export type Start = Wish & Pick<Schema<'RunRequest'>, 'dry_run' | 'reason' | 'template_digest'>

/** The inputs do not fit, as the server says before anything is started. */
export class Misfit extends Error {
  readonly faults: readonly InputFault[]

  constructor(faults: readonly InputFault[]) {
    super(faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '))
    this.faults = faults
  }
}

/** Checks, then starts. The same start that is asked for twice, by a second click or after a lost answer, is one run. */
export function useStart(of: Of, onStarted: (run: Schema<'Run'>, start: Start) => void) {
  const asked = useRef<{ text: string; key: string }>(undefined)
  return useMutation({
    mutationFn: async (start: Start) => {
      const checked = await validate(of, start)
      if (!checked.valid) throw new Misfit(checked.errors)
      return await startRun(of, { ...start }, keyOf(start)).catch((error: unknown) => {
        throw misfitOf(error) ?? error
      })
    },
    onSuccess: (run, start) => {
      // the next one is meant as another
      asked.current = undefined
      onStarted(run, start)
    },
  })

  function keyOf(start: Start): string {
    const text = JSON.stringify(start)
    if (asked.current?.text !== text) asked.current = { text, key: randomKey() }
    return asked.current.key
  }
}

/** What was found wrong at the start itself, because something has changed since the check. */
function misfitOf(error: unknown): Misfit | undefined {
  if (!(error instanceof ApiError) || error.status !== 422) return undefined
  const faults = (error.errors as readonly Partial<InputFault>[]).flatMap(({ loc, msg }) =>
    loc?.[0] === 'inputs' && msg !== undefined ? [{ loc: loc.slice(1), msg }] : [],
  )
  return faults.length === 0 ? undefined : new Misfit(faults)
}

/** Not `randomUUID`: browsers keep that from pages that came by plain http. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
