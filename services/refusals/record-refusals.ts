import type { AuditDraft } from '#core/audit/types.ts'
import type { DomainError } from '#core/errors.ts'
import type { Ids } from '#core/id.ts'
import { type Clock, isoTime } from '#core/time/time.ts'
import type { Refusals } from '#store/audit/refusals.ts'
import type { RunStore } from '#store/runs/runs.ts'
import type { ServiceContext } from '../context.ts'

const BATCH = 100

interface ReportDeps {
  refusals: Pick<Refusals, 'unreported'>
  runs: Pick<RunStore, 'appendRefusals'>
  ids: Ids
  clock: Clock
}

/** Records the number of counted refusals, since there may be no later one of their kind. */
export async function reportRefusals({ refusals, runs, ids, clock }: ReportDeps): Promise<void> {
  const waiting = await refusals.unreported(BATCH)
  if (waiting.length === 0) return
  await runs.appendRefusals(
    waiting.map(({ draft, ...row }) => ({
      ...row,
      more: 0,
      draft: { ...draft, id: ids.next('audit'), ts: isoTime(clock()) },
    })),
  )
}

const recorded = new WeakSet<DomainError>()

/** Marks a refusal as recorded, so that it is not recorded again. */
export function onRecord<Refusal extends DomainError>(error: Refusal): Refusal {
  recorded.add(error)
  return error
}

export function isOnRecord(error: DomainError): boolean {
  return recorded.has(error)
}

/** A reported refusal. Those of one kind, about one subject and to one person, are counted as one; `apart` distinguishes further. */
export interface RefusalReport {
  kind: string
  apart?: readonly (string | undefined)[]
  /** only the first is recorded, and none within a day of the last one, not even as a number */
  once?: true
  draft: Omit<AuditDraft, 'id' | 'ts'>
  /** count; default 1 */
  more?: number
}

/** The same for refusals that are counted together. */
export function refusalKey({ draft, ...rest }: RefusalReport): string {
  return JSON.stringify([draft.action, draft.subject.id, kindOf(rest), draft.actor.id])
}

/** Records refusals, or raises the number of similar ones. */
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
