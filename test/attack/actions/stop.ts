import { type Action, attempt, type Did, type Situation } from '../attempt.ts'
import { forgedCommand } from '../forge.ts'
import { MESSAGES } from '../names.ts'

/** What the engine lets anybody do to a run who reaches it: nothing more is done than a stop. */
export const stop: Action = { weight: 5, act }

async function act({ world, dice, run, knowledge, harm }: Situation): Promise<Did> {
  const { engine } = world
  const way = dice.pick(['terminate', 'cancel', 'cancel in a name', 'delete'])
  const gate = await knowledge.gateOf(run)
  const command = { ...forgedCommand(world, dice, gate, ['cancel']), reason: 'forged' }
  if (!run.prey) return { variant: way, result: 'nothing' }
  const cancel = MESSAGES.find((each) => /cancel/.test(each)) ?? 'run.cancel'
  await knowledge.read(run)
  harm(run.id, way === 'terminate' || way === 'delete' ? 'terminated' : 'ended')
  return await attempt(way, async () => {
    if (way === 'terminate') await engine.terminate(run.id)
    else if (way === 'cancel') await engine.cancel(run.id)
    else if (way === 'delete') await engine.remove(run.id)
    else return await engine.update(run.id, cancel, [command], dice.hex(16))
  })
}
