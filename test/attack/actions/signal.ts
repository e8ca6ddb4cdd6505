import { type Action, attempt, type Did, type Situation } from '../attempt.ts'
import { forgedCommand, nonsense } from '../forge.ts'
import { openGate } from '../knowledge.ts'
import { MESSAGES } from '../names.ts'

/** Signals our workflows: in the shape of the Web UI, in that of our own messages, in none. */
export const signal: Action = { weight: 10, act }

async function act({ world, dice, run, knowledge, harm }: Situation): Promise<Did> {
  const { engine } = world
  const gate = await knowledge.gateOf(run)
  const name = dice.chance(0.8)
    ? dice.pick(MESSAGES)
    : dice.pick(['action.stand_down', 'gate.open', '__stack_trace', ''])
  const rejects = run.prey && dice.chance(0.2)
  const decision = rejects ? 'reject' : dice.pick(['approve', 'approve', 'approved', 'yes'])
  const named = dice.chance(0.5) ? { gate_id: gate?.id } : {}
  const shape = dice.pick(['short', 'whole', 'nonsense'])
  const id = dice.chance(0.1) ? `action-${gate?.id}` : run.id
  if (/cancel/.test(name) && !run.prey) return { variant: `${name}, ${shape}`, result: 'nothing' }
  if (rejects || /cancel/.test(name)) harm(run.id, 'ended')
  const args = {
    short: [{ decision, note: 'forged', ...named }],
    whole: [forgedCommand(world, dice, gate, [decision])],
    nonsense: nonsense(dice),
  }[shape]
  const approves = shape === 'short' && decision === 'approve' && /gate/.test(name) && id === run.id
  const claim = approves ? openGate(gate) : null
  return await attempt(`${name}, ${shape}`, () => engine.signal(id, name, args ?? []).then(() => undefined), claim)
}
