import type { AuditDraft } from '#core/audit/types.ts'
import { isoTime } from '#core/time.ts'
import type { ServiceContext } from '../context.ts'

/**
 * A refusal as whoever refuses reports it. Those of one kind, about one subject and to one person, are counted as one; `apart` is what else
 * sets two of a kind apart.
 */
export interface RefusalReport {
  kind: string
  apart?: readonly (string | undefined)[]
  /** only the first goes on record, and while it repeats within a day none after it, not even as a number */
  once?: true
  draft: Omit<AuditDraft, 'id' | 'ts'>
  /** how often; once where it is not said */
  more?: number
}

/** The same for refusals that are counted together. */
export function refusalKey({ draft, ...rest }: RefusalReport): string {
  return JSON.stringify([draft.action, draft.subject.id, kindOf(rest), draft.actor.id])
}

/** Puts refusals on record, or raises the number of those that are like them. */
export async function recordRefusals(
  {
    runs,
    ids,
    clock,
  }: { runs: Pick<ServiceContext['runs'], 'appendRefusals'> } & Pick<ServiceContext, 'ids' | 'clock'>,
  refusals: readonly RefusalReport[],
): Promise<void> {
  const counted = new Map<string, RefusalReport & { more: number }>()
  for (const report of refusals) {
    const key = refusalKey(report)
    counted.set(key, { ...report, more: (counted.get(key)?.more ?? 0) + (report.more ?? 1) })
  }
  if (counted.size === 0) return
  await runs.appendRefusals(
    Array.from(counted.values(), ({ draft, more, once, ...rest }) => ({
      kind: kindOf(rest),
      more,
      ...(once && { once }),
      draft: { ...draft, id: ids.next('audit'), ts: isoTime(clock()) },
    })),
  )
}

function kindOf({ kind, apart = [] }: Pick<RefusalReport, 'kind' | 'apart'>): string {
  return [kind, ...apart.filter((part) => part !== undefined)].join(' ')
}
