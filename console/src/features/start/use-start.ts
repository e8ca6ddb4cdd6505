import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import type { Schema } from '#client/create-client.ts'
import { type Of, type StartRequest, startRun, validate } from './api.ts'
import { InvalidInput, invalidInputOf, randomKey } from './invalid-input.ts'

export type Start = StartRequest &
  Pick<Schema<'RunRequest'>, 'dry_run' | 'reason' | 'template_digest' | 'plan_hash' | 'ask'>

/** Checks, then starts. The same start twice, by a second click or after a lost answer, is one run. */
export function useStart(of: Of, onStarted: (run: Schema<'Run'>, start: Start) => void) {
  const asked = useRef<{ text: string; key: string }>(undefined)
  return useMutation({
    mutationFn: async (start: Start) => {
      const checked = await validate(of, start)
      if (!checked.valid) throw new InvalidInput(checked.errors)
      return await startRun(of, { ...start }, keyOf(start)).catch((error: unknown) => {
        throw invalidInputOf(error) ?? error
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
