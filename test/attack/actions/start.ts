import { LANES } from '#core/contract.ts'
import { type Action, attempt, type Did, type Situation } from '../attempt.ts'
import { CONFLICT } from '../engine.ts'
import { FOREIGN_QUEUE } from '../foreign-worker.ts'
import { forgedPlan, nominalTime, nonsense } from '../forge.ts'
import { EARLIER_TYPES, QUEUES, RUN_TYPE, TYPES } from '../names.ts'

const FIRING = TYPES.find((type) => /schedule/i.test(type)) ?? 'scheduleFiringV1'

/** Starts workflows of our types with input of the adversary's own: beside a waiting run, and in its place. */
export const start: Action = { weight: 10, act }

async function act(situation: Situation): Promise<Did> {
  const { world, dice, run, knowledge, harm } = situation
  const { engine } = world
  const genuine = await knowledge.inputOf(run)
  const plan = forgedPlan(world, dice, genuine['plan'])
  const wait = { kind: 'delay', until_ms: Date.now() + 1_000 * dice.int(60), reason: 'forged' }
  const input = { run_id: run.id, ...genuine, ...dice.pick([{ plan }, { wait }, { plan, wait }, {}]) }
  const queue = dice.pick(QUEUES)
  const beside = `forged/${run.id}/${dice.hex(8)}`
  const ways: [string, () => Promise<Did>][] = [
    ['beside, forged plan', () => started('beside, forged plan', RUN_TYPE, beside, [input], 'run')],
    ['beside, genuine input', () => started('beside, genuine input', RUN_TYPE, beside, [genuine], 'run')],
    ['beside, other workspace', () => started('beside, other workspace', RUN_TYPE, beside, [elsewhere()], 'run')],
    ['same id', () => started('same id', RUN_TYPE, run.id, [input])],
    ['unknown run', () => started('unknown run', RUN_TYPE, beside, [{ ...input, run_id: `run_${'0'.repeat(26)}` }])],
    ['nonsense', () => started('nonsense', dice.pick(TYPES), beside, nonsense(dice))],
    [
      'other type',
      () =>
        started('other type', dice.pick([...TYPES, ...EARLIER_TYPES]), beside, [
          { ...input, gate_id: `gate_${dice.hex(26)}` },
        ]),
    ],
    ['firing', () => started('firing', FIRING, `firing/${world.schedule_id}-${nominalTime(dice)}`, [fired()])],
    ['our type on a foreign queue', () => started('our type on a foreign queue', RUN_TYPE, beside, [input])],
    ['signal with start', () => signalled()],
  ]
  if (run.prey) ways.push(['in its place', () => inItsPlace()])
  const [variant, way] = dice.pick(ways)
  return await way().catch((error: unknown) => ({ variant, result: 'refused' as const, detail: String(error) }))

  function fired(): Record<string, unknown> {
    return { schedule_id: world.schedule_id, workspace_id: genuine['workspace_id'] }
  }
  function elsewhere() {
    return { ...input, workspace_id: 'ws_99999999999999999999999999' }
  }
  function started(
    variant: string,
    type: string,
    id: string,
    args: unknown[],
    claim: string | null = null,
  ): Promise<Did> {
    const place = variant.includes('foreign') ? FOREIGN_QUEUE : queue
    // the workers of other queues have no part in what a run does
    const received = LANES.some((lane) => lane === place) ? claim : null
    return attempt(variant, async () => void (await engine.start({ type, id, queue: place, args })), received)
  }
  function signalled(): Promise<Did> {
    const signal = { name: 'gate.decide', args: [{ decision: 'approve' }] }
    return attempt('signal with start', async () => {
      await engine.signalWithStart({ type: RUN_TYPE, id: run.id, queue, args: [input], signal })
    })
  }
  function inItsPlace(): Promise<Did> {
    harm(run.id, 'seized')
    return attempt('in its place', async () => {
      await engine.start({ type: RUN_TYPE, id: run.id, queue, args: [input], conflict: CONFLICT.terminateExisting })
    })
  }
}
