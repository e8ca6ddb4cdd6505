import { type Action, attempt, type Did, type Situation } from '../attempt.ts'
import { activityCommand } from '../foreign-worker.ts'
import { forgedArguments, nonsense, RESOLUTIONS, RESOLUTIONS_THAT_LET_THROUGH, shaped } from '../forge.ts'
import { openGate } from '../knowledge.ts'
import {
  ENDS_RUNS,
  FIELDS,
  LANE_ACTIVITIES,
  LEDGER_ACTIVITIES,
  OTHER_ACTIVITIES,
  QUEUES,
  RUN_TYPE,
  TYPES,
} from '../names.ts'

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
  const exact = dice.chance(0.8) ? shaped(args, FIELDS[name]) : args
  const given = dice.chance(0.1) ? nonsense(dice) : [exact]
  const type = dice.chance(0.3) ? dice.pick(TYPES) : 'elsewhereV1'
  // under the run's own name and type, and on a queue of the adversary's: nobody can tell this workflow from ours
  const posing = run.prey && dice.chance(0.3) ? { id: run.id, type: RUN_TYPE } : { type }
  if ('id' in posing) harm(run.id, 'seized')
  const claim =
    args['resolution'] === 'approved' && given[0] === exact && /gate|decision/i.test(name) && !('id' in posing)
      ? openGate(gate)
      : null
  return await attempt(
    `${name} on ${queue}${'id' in posing ? ', in its place' : ''}`,
    async () => {
      const answers = await world.foreign.run([[activityCommand(name, queue, given)]], posing)
      return answers?.join(' ') ?? 'no answer'
    },
    claim,
  )
}
