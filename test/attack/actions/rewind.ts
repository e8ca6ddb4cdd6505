import { type Action, attempt, type Did, type Situation } from '../attempt.ts'
import { resetPoints } from '../knowledge.ts'

/** Puts a run's workflow back to where it was before: a reset takes nothing from the record, and adds nothing. */
export const rewind: Action = { weight: 3, act }

async function act({ world, dice, run }: Situation): Promise<Did> {
  const { engine } = world
  const draw = dice.random()
  const points = await resetPoints(engine, run.id).catch(() => [])
  const point = points[Math.floor(draw * points.length)]
  if (point === undefined) return { variant: 'reset', result: 'nothing' }
  return await attempt('reset', async () => void (await engine.reset(run.id, point)))
}
