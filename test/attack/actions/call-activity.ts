import { type Action, attempt, type Did, type Situation } from '../attempt.ts'
import { activityCommand } from '../foreign-worker.ts'
import { forgedArguments, nonsense, RESOLUTIONS, RESOLUTIONS_THAT_LET_THROUGH } from '../forge.ts'
import { openGate } from '../knowledge.ts'
import { ENDS_RUNS, LANE_ACTIVITIES, LEDGER_ACTIVITIES, OTHER_ACTIVITIES, QUEUES, TYPES } from '../names.ts'

/** Has our own workers carry out our own activities, called by a workflow that is not ours, with arguments that are not true. */
export const callActivity: Action = { weight: 16, act }

async function act({ world, dice, run, knowledge, harm }: Situation): Promise<Did> {
  const gate = await knowledge.gateOf(run)
  const genuine = { run_id: run.id, ...(await knowledge.inputOf(run)) }
  const ends = run.prey && dice.chance(0.4)
  const args = forgedArguments(world, dice, run, gate, genuine, ends ? RESOLUTIONS : RESOLUTIONS_THAT_LET_THROUGH)
  const names = dice.chance(0.8) ? LANE_ACTIVITIES : OTHER_ACTIVITIES
  const name = dice.pick(names.filter((each) => run.prey || !ENDS_RUNS.test(each)))
  if (ends || ENDS_RUNS.test(name)) harm(run.id, 'ended')
  const known = LEDGER_ACTIVITIES.includes(name) ? QUEUES : QUEUES.slice(0, 2)
  const queue = OTHER_ACTIVITIES.includes(name) ? (QUEUES.at(-1) ?? '') : dice.pick(known)
  const given = dice.chance(0.1) ? nonsense(dice) : [args]
  const type = dice.chance(0.3) ? dice.pick(TYPES) : 'elsewhereV1'
  const claim =
    args['resolution'] === 'approved' && given[0] === args && /gate|decision/i.test(name) ? openGate(gate) : null
  return await attempt(
    `${name} on ${queue}`,
    async () => {
      const answers = await world.foreign.run([[activityCommand(name, queue, given)]], { type })
      return answers?.join(' ') ?? 'no answer'
    },
    claim,
  )
}
