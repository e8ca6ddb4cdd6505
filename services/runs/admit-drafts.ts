import { createLru, type Lru } from '#core/lru.ts'
import type { Admitted, Throttled } from '#store/run-answers.ts'
import type { RunDraft } from '#store/run-drafts.ts'
import type { RunStore } from '#store/runs.ts'
import type { StartContext } from '../context.ts'
import { attachRefused } from './attach-refused.ts'
import type { Refused } from './refuse-denied.ts'
import { refuseHalted } from './refuse-halted.ts'

export type DraftWithPlan = RunDraft & { plan: NonNullable<RunDraft['plan']> }

/** Plans that a store is known to hold: content-addressed, so once is enough. */
const stored = new WeakMap<RunStore, Lru<string, true>>()
const MOST_STORED = 10_000

/**
 * Admits runs in one transaction, but none that a halt covers: that one still attaches to the active run of its fingerprint. Whether there
 * is any halt at all is asked in the statement that admits, and only then are halts read. The answers stand in the order of the drafts.
 */
export async function admitDrafts(
  ctx: StartContext,
  drafts: DraftWithPlan[],
): Promise<(Admitted | Throttled | Refused | undefined)[]> {
  if (drafts.length === 0) return []
  const known = stored.get(ctx.runs) ?? createLru(MOST_STORED)
  stored.set(ctx.runs, known)
  const send = (some: DraftWithPlan[]) =>
    some.map((draft) => (known.get(draft.plan_digest) ? withoutPlan(draft) : draft))
  const sent = (some: DraftWithPlan[]) => {
    for (const { plan_digest } of some) known.set(plan_digest, true)
  }
  const admitted = await ctx.runs.admit(send(drafts), 'unhalted')
  if (admitted.length > 0) {
    sent(drafts)
    return admitted
  }
  const halted = await Promise.all(drafts.map((draft) => refuseHalted(ctx, draft)))
  const attached = await attachRefused(
    ctx,
    drafts.map((admission, index) => ({ refused: halted[index], admission })),
  )
  const free = drafts.filter((_, index) => halted[index] === undefined)
  const answers = free.length === 0 ? [] : await ctx.runs.admit(send(free))
  sent(free)
  const ofFree = new Map(free.map((draft, index) => [draft, answers[index]]))
  return drafts.map((draft, index) => attached[index] ?? halted[index] ?? ofFree.get(draft))
}

function withoutPlan(draft: DraftWithPlan): RunDraft {
  const { plan: _plan, ...rest } = draft
  return rest
}
