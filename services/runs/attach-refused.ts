import { type JsonObject, textOf } from '#core/json/json.ts'
import { inLockOrder } from '#core/trigger/fingerprint.ts'
import type { NewHaltRefusal } from '#store/halt-refusals.ts'
import type { Admitted } from '#store/runs/run-answers.ts'
import type { HaltPorts, ServiceContext } from '../context.ts'
import { type HaltedStart, refusedStart } from '../halts/refused-start.ts'
import { onRecord, type RefusalReport, recordRefusals } from '../refusals/record-refusals.ts'
import type { Refused } from './refuse-start.ts'

interface Attempt {
  refused: Refused | undefined
  admission: HaltedStart | undefined
}

/**
 * Attaches starts that a policy, a freeze or a halt refuses to the active run of their fingerprint, which was admitted before. The answers
 * are in the order of the requests, undefined where nothing attached; only unattached refusals are recorded.
 */
export async function attachRefused(
  ctx: ServiceContext & Pick<HaltPorts, 'halt_refusals'>,
  starts: Attempt[],
): Promise<(Admitted | undefined)[]> {
  const asked = inLockOrder(
    starts.flatMap(({ refused, admission }, index) =>
      refused?.audit === undefined || admission === undefined || typeof admission.fingerprint !== 'string'
        ? []
        : [{ index, fingerprint: admission.fingerprint, alerts: admission.alerts ?? [] }],
    ),
    ({ fingerprint }) => fingerprint,
  )
  const { workspace_id } = ctx
  const found =
    asked.length === 0
      ? []
      : await ctx.runs.attach(asked.map(({ fingerprint, alerts }) => ({ workspace_id, fingerprint, alerts })))
  const attached: (Admitted | undefined)[] = starts.map(() => undefined)
  asked.forEach(({ index }, place) => {
    attached[index] = found[place] ?? undefined
  })
  for (const joined of attached) if (joined !== undefined) ctx.notifyRun(joined.run_id)
  // of a storm that is denied as a whole one row is written
  await recordRefusals(
    ctx,
    starts.flatMap(({ refused }, index) => {
      if (refused?.audit === undefined || attached[index] !== undefined) return []
      const { audit: draft, error } = refused
      return [{ kind: onRecord(error).code, ...countedBy(draft.data), draft }]
    }),
  )
  const halted = starts.flatMap(({ refused, admission }, index) => {
    const halt_id = refused?.error.details['halt_id']
    if (typeof halt_id !== 'string' || admission === undefined || attached[index] !== undefined) return []
    return refusedStart(ctx, admission, { halt_id, environment: textOf(refused?.audit?.data['environment']) }) ?? []
  })
  if (halted.length > 0) await ctx.halt_refusals.record(withoutRepeats(halted))
  return attached
}

/** Adds up refusals with the same key: one statement can update a row only once. */
function withoutRepeats(refusals: NewHaltRefusal[]): NewHaltRefusal[] {
  const byKey = new Map<string, NewHaltRefusal>()
  for (const each of refusals) {
    const key = `${each.halt_id} ${each.key}`
    byKey.set(key, { ...each, refused: each.refused + (byKey.get(key)?.refused ?? 0) })
  }
  return [...byKey.values()]
}

/** A blocked run of a pipeline is retried repeatedly: it has one record for each halt and each freeze. */
function countedBy({
  environment,
  step,
  entry,
  compensation,
  halt_id,
  freeze,
  until,
}: JsonObject): Pick<RefusalReport, 'apart' | 'once'> {
  if (step === undefined) return { apart: [textOf(environment)] }
  const run = [step, entry === undefined ? '' : String(entry), compensation === true ? 'compensation' : '']
  return { apart: [environment, ...run, halt_id, freeze, until].map(textOf), once: true }
}
