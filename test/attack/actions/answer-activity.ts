import { type Action, attempt, type Did, type Situation } from '../attempt.ts'
import { FORGED_RESULTS, forgedResult } from '../forge.ts'

/** Answers activities that others are at work on: by their ids, by a task token that was kept, by one that was made up. */
export const answerActivity: Action = { weight: 5, act }

async function act({ world, dice, run, knowledge, harm }: Situation): Promise<Did> {
  const { engine } = world
  const gate = await knowledge.gateOf(run)
  const result = forgedResult(dice, gate, dice.pick(FORGED_RESULTS))
  const way = dice.pick(['by id', 'failed by id', 'kept token', 'made-up token'])
  const kept = knowledge.tokens.length === 0 ? undefined : knowledge.tokens[dice.int(knowledge.tokens.length)]
  if (way === 'made-up token') {
    return await attempt(way, () => engine.answerActivity(Buffer.from(dice.hex(64), 'hex'), result))
  }
  if (way === 'kept token') {
    if (kept === undefined) return { variant: way, result: 'nothing' }
    const did = await attempt(way, () => engine.answerActivity(kept.token, result))
    if (did.result === 'taken') harm(kept.run_id, 'ended')
    return did
  }
  const pending = (await engine.describe(run.id))?.pending ?? []
  const id = dice.chance(0.5) ? (pending[0] ?? '1') : dice.pick(['1', '2', '3', '99', ''])
  const did = await attempt(way, () =>
    way === 'by id' ? engine.answerActivityById(run.id, id, result) : engine.failActivityById(run.id, id, 'Drill'),
  )
  if (did.result === 'taken') harm(run.id, 'ended')
  return did
}
