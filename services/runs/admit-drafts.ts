import { DomainError } from '#core/errors.ts'
import type { Admitted, Throttled } from '#store/runs/run-answers.ts'
import type { RunDraft } from '#store/runs/run-drafts.ts'
import type { StartContext } from '../context.ts'
import { attachRefused } from './attach-refused.ts'
import { type Refused, refuseHalted } from './refuse-start.ts'

type Answer = Admitted | Throttled | Refused | undefined

/** Each further read means that a halt was set meanwhile. */
const MAX_READS = 5

/**
 * Admits runs in one transaction, except those that a halt covers: these still attach to the active run of their fingerprint. The admitting
 * statement tells whether there is any halt, and only then are halts read. The answers are in the order of the drafts.
 */
export async function admitDrafts(ctx: StartContext, drafts: RunDraft[]): Promise<Answer[]> {
  return drafts.length === 0 ? [] : await admitUnless(ctx, drafts, [], MAX_READS)
}

/** `seen` are the halts that are known to cover none of the drafts. With any other in force halts are read again. */
async function admitUnless(ctx: StartContext, drafts: RunDraft[], seen: string[], reads: number): Promise<Answer[]> {
  const admitted = await ctx.runs.admit(drafts, seen)
  if (admitted !== undefined) return admitted
  if (reads === 0)
    throw new DomainError('dependency_unavailable', 'halts are set faster than they can be read', { retry_after_s: 1 })
  const halts = await ctx.halts.inForce()
  const halted = drafts.map((draft) => refuseHalted(ctx, draft, halts))
  const attached = await attachRefused(
    ctx,
    drafts.map((admission, index) => ({ refused: halted[index], admission })),
  )
  const free = drafts.filter((_, index) => halted[index] === undefined)
  const ids = halts.map(({ id }) => id)
  const answers = free.length === 0 ? [] : await admitUnless(ctx, free, ids, reads - 1)
  const ofFree = new Map(free.map((draft, index) => [draft, answers[index]]))
  return drafts.map((draft, index) => attached[index] ?? halted[index] ?? ofFree.get(draft))
}
