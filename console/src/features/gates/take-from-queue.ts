import type { QueryClient } from '@tanstack/react-query'
import type { GatesSearch, Outcome, WaitingGate } from './api.ts'

interface Page {
  gates: WaitingGate[]
}

/** Removes answered gates from the queue by the API's answers, so that the next key is not about them. Reloading the list may take longer. */
export async function takeFromQueue(client: QueryClient, outcomes: readonly Outcome[]): Promise<void> {
  const answered = new Map(outcomes.map(({ gate_id, resolved }) => [gate_id, resolved]))
  // an earlier request would bring them back
  await client.cancelQueries({ queryKey: ['gates'] })
  for (const [key, page] of client.getQueriesData<Page>({ queryKey: ['gates'] })) {
    if (page?.gates === undefined) continue
    const [, search] = key as [string, GatesSearch]
    const gates = page.gates.flatMap((gate) => {
      const resolved = answered.get(gate.gate_id)
      if (resolved === undefined) return [gate]
      return resolved || search.awaiting_me === 'true' ? [] : [{ ...gate, you_may: [] }]
    })
    client.setQueryData(key, { ...page, gates })
  }
  void client.invalidateQueries({ queryKey: ['gates'] })
}
