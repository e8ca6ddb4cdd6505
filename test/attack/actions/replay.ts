import { type Action, attempt, type Did, type Situation } from '../attempt.ts'
import { openGate } from '../knowledge.ts'
import { MESSAGES } from '../names.ts'

/** Sends what the service itself signed once more: to the same gate, another one, another run, with a word changed. */
export const replay: Action = { weight: 8, act }

async function act({ world, dice, run, other, knowledge, harm }: Situation): Promise<Did> {
  const { engine } = world
  await knowledge.read(other)
  const { signed } = knowledge
  const way = dice.pick(['as it was', 'another gate', 'another person', 'by signal', 'as a rejection'])
  const draw = dice.random()
  const gate = await knowledge.gateOf(run)
  const id = dice.hex(16)
  const found = signed[Math.floor(draw * signed.length)]
  if (found === undefined) return { variant: way, result: 'nothing', detail: 'nothing signed is in any history yet' }
  if (way === 'as a rejection' && !run.prey) return { variant: way, result: 'nothing' }
  // what was a rejection there is one here, from somebody whom nobody asked
  const stops = way === 'as a rejection' || found['kind'] === 'reject' || found['kind'] === undefined
  if (stops && !run.prey) return { variant: way, result: 'nothing' }
  if (stops) harm(run.id, 'ended')
  const { from_run, ...command } = found
  const changed = {
    ...command,
    ...(way === 'as it was' ? {} : { gate_id: gate?.id }),
    ...(way === 'another person' ? { by: dice.pick(Object.values(world.voters)).id } : {}),
    ...(way === 'as a rejection' ? { kind: 'reject', decision: 'reject' } : {}),
  }
  const name = MESSAGES.find((each) => /gate/.test(each)) ?? 'gate.decide'
  const claim = way === 'another gate' && from_run !== run.id && !stops ? openGate(gate) : null
  if (way === 'by signal') return await attempt(way, () => engine.signal(run.id, name, [changed]))
  return await attempt(way, () => engine.update(run.id, name, [changed], id), claim)
}
