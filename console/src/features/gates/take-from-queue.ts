import type { QueryClient } from '@tanstack/react-query'
import type { Outcome, WaitingGate } from './api.ts'
import type { GatesSearch } from './search.ts'

interface Page {
  gates: WaitingGate[]
}

/**
 * Takes an answered gate from the queue as the API's answer says, so that the next key is not about it. The list is asked for anew, and
 * that may take its time.
 */
export async function takeFromQueue(client: QueryClient, gate_id: string, { resolved }: Outcome): Promise<void> {
  // a page that was asked for before the answer would bring it back
  await client.cancelQueries({ queryKey: ['gates'] })
  for (const [key, page] of client.getQueriesData<Page>({ queryKey: ['gates'] })) {
    if (page?.gates === undefined) continue
    const [, search] = key as [string, GatesSearch]
    const leaves = resolved || search.awaiting_me === 'true'
    const gates = leaves
      ? page.gates.filter((gate) => gate.gate_id !== gate_id)
      : page.gates.map((gate) => (gate.gate_id === gate_id ? { ...gate, you_may: [] } : gate))
    client.setQueryData(key, { ...page, gates })
  }
  void client.invalidateQueries({ queryKey: ['gates'] })
}
