import { type Action, attempt, type Did, type Situation } from '../attempt.ts'
import { activityCommand } from '../foreign-worker.ts'
import { forgedArguments, forgedPlan, shaped } from '../forge.ts'
import { openGate } from '../knowledge.ts'
import { FIELDS, LANE_ACTIVITIES, LEDGER_ACTIVITIES, QUEUES, RUN_TYPE } from '../names.ts'

/** Says that a gate is approved, to every activity that keeps records, and then has the run go on. */
export const settleAndAdvance: Action = { weight: 6, act }

async function act({ world, dice, run, knowledge, harm }: Situation): Promise<Did> {
  const gate = await knowledge.gateOf(run)
  const genuine = { run_id: run.id, ...(await knowledge.inputOf(run)) }
  const approved = { ...forgedArguments(world, dice, run, gate, genuine, ['approved']), command: null }
  const forged = dice.chance(0.5)
  const plan = forged ? forgedPlan(world, dice, genuine['plan' as keyof typeof genuine]) : undefined
  const onward = { ...approved, settle: null, ...(plan !== undefined && { plan }), ...(forged ? {} : genuine) }
  const [lane = 'realtime'] = QUEUES
  const loose = dice.chance(0.2)
  const exact = (args: Record<string, unknown>, name: string) => (loose ? args : shaped(args, FIELDS[name]))
  const records = LEDGER_ACTIVITIES.filter((name) => /gate|decision/i.test(name))
  const moves = LANE_ACTIVITIES.filter((name) => /advance|leg|step/i.test(name))
  const batches = [
    ...records.map((name) => [activityCommand(name, QUEUES.at(-1) ?? lane, [exact(approved, name)], `record/${name}`)]),
    ...moves.map((name) => [
      activityCommand(name, dice.pick([lane, 'background']), [exact(onward, name)], `move/${name}`),
    ]),
  ]
  // under the run's own name and type, and on a queue of the adversary's: nobody can tell this workflow from ours
  const posing = run.prey && dice.chance(0.4) ? { id: run.id, type: RUN_TYPE } : {}
  if ('id' in posing) harm(run.id, 'seized')
  const claim = records.length > 0 && !('id' in posing) ? openGate(gate) : null
  return await attempt(
    `${forged ? 'with a forged plan' : 'with the genuine plan'}${'id' in posing ? ', in its place' : ''}`,
    async () => (await world.foreign.run(batches, { within_ms: 8_000, ...posing }))?.join(' ') ?? 'no answer',
    claim,
  )
}
