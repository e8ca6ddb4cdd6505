import { type Action, attempt, type Did, type Situation } from '../attempt.ts'
import { forgedPlan, nominalTime } from '../forge.ts'
import { QUEUES, RUN_TYPE, TYPES } from '../names.ts'

/** Has the engine itself start our workflows: a schedule of the adversary's, fired once. */
export const schedule: Action = { weight: 2, act }

async function act({ world, dice, run, knowledge }: Situation): Promise<Did> {
  const { engine } = world
  const genuine = await knowledge.inputOf(run)
  const type = dice.chance(0.7) ? RUN_TYPE : dice.pick(TYPES)
  const args = [
    { run_id: run.id, ...genuine, plan: forgedPlan(world, dice, genuine['plan']), schedule_id: world.schedule_id },
  ]
  const id = `forged-schedule-${dice.hex(12)}`
  const start = {
    type,
    id: `firing/${world.schedule_id}-${nominalTime(dice)}`,
    queue: dice.pick(QUEUES),
    args,
  }
  return await attempt(type, async () => {
    await engine.scheduleOnce(id, start)
    await engine.unschedule(id)
  })
}
