import type { TriggerRule } from '#core/trigger/rule.ts'
import type { IntakeContext } from '../service-deps.ts'
import { actOnRecovery } from './act-on-recovery.ts'
import { type Member, memberKey } from './alert-waves.ts'

export type Recovered = { outcome: 'resolved' | 'suppressed'; run_id: string; detail?: string }

/**
 * Records recoveries, and applies the rules' actions once all members of a run have recovered. Returns, by `memberKey`, the outcome of
 * members whose run is active.
 */
export async function recover(
  ctx: IntakeContext,
  { id, rules }: { id: string; rules: readonly TriggerRule[] },
  members: readonly Member[],
): Promise<Map<string, Recovered>> {
  const distinct = [...new Map(members.map((each) => [memberKey(each), each])).values()]
  const resolutions = distinct.map(({ alert, member, scope, at }) => ({
    fingerprint: alert.fingerprint,
    member,
    scope,
    ends_at: at,
  }))
  const recorded = await ctx.alertFold.resolve(ctx.workspace_id, id, resolutions)
  for (const run_id of new Set(recorded.map((each) => each.run_id))) ctx.notifyRun(run_id)
  const over = new Set(recorded.filter((each) => each.remaining === 0 && !each.late).map((each) => each.run_id))
  await Promise.all(Array.from(over, (run_id) => actOnRecovery(ctx, rules, run_id)))
  return new Map(
    recorded.map(({ fingerprint, member, run_id, late, fired_at }) => [
      memberKey({ alert: { fingerprint }, member }),
      late
        ? { outcome: 'suppressed', run_id, detail: `it came late: this alert fires again since ${fired_at}` }
        : { outcome: 'resolved', run_id },
    ]),
  )
}

/** Returns the firing members that ended while their run was started. */
export async function endedSince(ctx: IntakeContext, firing: readonly Member[]): Promise<Member[]> {
  if (ctx.forced === true) return []
  const ended = await ctx.alertFold.ended(ctx.workspace_id, [...firing])
  return firing.flatMap((each, index) => (ended[index] === undefined ? [] : [{ ...each, at: ended[index] }]))
}
