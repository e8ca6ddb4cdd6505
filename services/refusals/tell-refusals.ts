import type { AuditDraft } from '#core/audit/types.ts'
import { isoTime } from '#core/time.ts'
import type { ServiceContext } from '../context.ts'

/**
 * A refusal as whoever refuses tells it. Those of one kind, about one subject and to one person, are counted as one; `apart` is what else
 * sets two of a kind apart.
 */
export interface ToldRefusal {
  kind: string
  apart?: readonly (string | undefined)[]
  draft: Omit<AuditDraft, 'id' | 'ts'>
  /** how often; once where it is not said */
  more?: number
}

/** The same for refusals that are counted together. */
export function refusalKey({ draft, ...told }: ToldRefusal): string {
  return JSON.stringify([draft.action, draft.subject.id, kindOf(told), draft.actor.id])
}

/** Puts refusals on record, or raises the number of those that are like them. */
export async function tellRefusals(
  {
    runs,
    ids,
    clock,
  }: { runs: Pick<ServiceContext['runs'], 'appendRefusals'> } & Pick<ServiceContext, 'ids' | 'clock'>,
  refusals: readonly ToldRefusal[],
): Promise<void> {
  const counted = new Map<string, ToldRefusal & { more: number }>()
  for (const told of refusals) {
    const key = refusalKey(told)
    counted.set(key, { ...told, more: (counted.get(key)?.more ?? 0) + (told.more ?? 1) })
  }
  if (counted.size === 0) return
  await runs.appendRefusals(
    Array.from(counted.values(), ({ draft, more, ...told }) => ({
      kind: kindOf(told),
      more,
      draft: { ...draft, id: ids.next('audit'), ts: isoTime(clock()) },
    })),
  )
}

function kindOf({ kind, apart = [] }: Pick<ToldRefusal, 'kind' | 'apart'>): string {
  return [kind, ...apart.filter((part) => part !== undefined)].join(' ')
}
