import { type Action, attempt, type Did, type Situation } from '../attempt.ts'
import { forgedCommand, nonsense } from '../forge.ts'
import { openGate } from '../knowledge.ts'
import { MESSAGES } from '../names.ts'

const LETS_THROUGH = ['approve', 'approve', 'approved', 'Approve', 'allow', '']
const STOPS = ['reject', 'dismiss', 'cleared']

/** Answers gates by Update, in people's names: of every shape, for a run that waits and for one that does not. */
export const decide: Action = { weight: 14, act }

async function act({ world, dice, run, other, knowledge, harm }: Situation): Promise<Did> {
  const { engine } = world
  const gate = await knowledge.gateOf(dice.chance(0.85) ? run : other)
  const stops = run.prey && dice.chance(0.25)
  const command = forgedCommand(world, dice, gate, stops ? STOPS : LETS_THROUGH)
  const name = MESSAGES.find((each) => /gate/.test(each)) ?? 'gate.decide'
  const shape = dice.pick(['whole', 'whole', 'whole', 'without kind', 'nonsense', 'unknown name'])
  if (stops) harm(run.id, 'ended')
  const { kind, ...kindless } = command
  const args = shape === 'nonsense' ? nonsense(dice) : [shape === 'without kind' ? kindless : command]
  const about = gate?.run_id === run.id && !stops ? openGate(gate) : null
  const approves = shape === 'whole' && kind === 'approve' && command['by'] !== ''
  const claim = approves || shape === 'without kind' ? about : null
  return await attempt(
    `${stops ? 'stop' : 'approve'}, ${shape}`,
    () =>
      engine.update(run.id, shape === 'unknown name' ? 'gate.open' : name, args, dice.chance(0.1) ? '1' : dice.hex(16)),
    claim,
  )
}
