import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schema } from '../../../../client/create-client.ts'
import { api, given } from '../../lib/api.ts'
import { tell } from '../../lib/toast.ts'
import { ADMIN } from '../../strings/admin.ts'
import { type Halt, liftHalt } from './api.ts'

const words = ADMIN.halts

interface Part {
  scope: NonNullable<Schema<'HaltDraft'>['scope']>
  /** the scope in words */
  what: string
}
export interface Outcome extends Part {
  halt?: Halt
  error?: Error
}

/** Sets one halt for each scope. What was set is not set again when the rest is tried once more. */
export function useSetHalts({ mayLift, onSet }: { mayLift: boolean; onSet: () => void }) {
  const client = useQueryClient()
  const [outcomes, setOutcomes] = useState<Outcome[]>([])
  const refresh = () => client.invalidateQueries({ queryKey: ['halts'] })
  const lift = async (halts: Halt[], what: string) => {
    await Promise.all(halts.map(({ id }) => liftHalt(id))).finally(refresh)
    return words.lift_done(what)
  }
  const set = useMutation({
    mutationFn: ({ parts, reason }: { parts: Part[]; reason: string }) =>
      Promise.all(
        parts.map(async (part): Promise<Outcome> => {
          const before = outcomes.find(
            (each) => each.halt !== undefined && isSame(each, part) && each.halt.reason === reason,
          )
          if (before !== undefined) return before
          try {
            const body = { scope: part.scope, reason }
            return { ...part, halt: given(await api.POST('/console/api/halts', { body })) }
          } catch (error) {
            return { ...part, error: error instanceof Error ? error : new Error(String(error)) }
          }
        }),
      ),
    onSuccess(done) {
      const halts = done.flatMap(({ halt }) => halt ?? [])
      const isWhole = halts.length === done.length
      setOutcomes(isWhole ? [] : done)
      if (!isWhole) return
      const what = done.map((each) => each.what).join('; ')
      const text = words.set_done(what)
      if (mayLift) tell(text, () => lift(halts, what))
      else tell([text, ...liftersText(done)].join(' '))
      onSet()
    },
    onSettled: refresh,
  })
  return { set, outcomes }
}

/** Who may lift what was set; of each by itself where that differs. */
function liftersText(done: readonly Outcome[]): string[] {
  const lifted = done.flatMap(({ what, halt }) => (halt?.may_lift.length ? [{ what, names: halt.may_lift }] : []))
  const differ = new Set(lifted.map(({ names }) => names.toSorted().join('\n'))).size > 1
  return (differ ? lifted : lifted.slice(0, 1)).map(({ what, names }) =>
    differ ? words.lifters_of(what, names) : words.lifters(names),
  )
}

function isSame({ scope: one }: Part, { scope: other }: Part): boolean {
  return one.workspace === other.workspace && one.environment === other.environment && one.template === other.template
}
