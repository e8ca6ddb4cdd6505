import { type AskGateRow, listAskGates } from '#store/ask-reads/gates.ts'
import type { AskToolContext } from './define-ask-tool.ts'

type AskedGate = Omit<AskGateRow, 'decisions'> & {
  decisions: (Omit<AskGateRow['decisions'][number], 'decision_id' | 'counted'> & { counts: boolean })[]
}

/** Gates with the answers to them, each with whether it counts: now where the gate is open, else when it was resolved. */
export async function readGates(
  { read, countedOn }: Pick<AskToolContext, 'read' | 'countedOn'>,
  filter: Parameters<typeof listAskGates>[1],
  limit: number,
): Promise<AskedGate[]> {
  const gates = await listAskGates(read, filter, limit)
  return await Promise.all(
    gates.map(async ({ decisions, ...gate }) => {
      const counting = gate.status === 'open' && decisions.length > 0 ? await countedOn(gate.gate_id) : []
      return {
        ...gate,
        decisions: decisions.map(({ decision_id, counted, ...answer }) => ({
          ...answer,
          counts: counted || counting.includes(decision_id),
        })),
      }
    }),
  )
}
