import { useQueries } from '@tanstack/react-query'
import { hasNoGate, pendingQuery, type WaitingGate } from './api.ts'

/** Each is a request of its own: those beyond it count as waiting, and their answer says otherwise. */
const MAX_ASKED = 20

/**
 * The gates of these that a page lists no longer and that wait still, as their runs say: more urgent ones push them to the next page. A
 * list that is whole needs no such question.
 */
export function useOffPage(
  rows: readonly WaitingGate[],
  listed: readonly WaitingGate[],
  isWhole: boolean,
): WaitingGate[] {
  const absent = isWhole ? [] : rows.filter(({ run_id }) => listed.every((each) => each.run_id !== run_id))
  const asked = useQueries({ queries: absent.slice(0, MAX_ASKED).map(({ run_id }) => pendingQuery(run_id)) })
  return absent.flatMap((row, index) => {
    const { data, error = null } = asked[index] ?? {}
    if (error !== null && hasNoGate(error)) return []
    return { ...row, gate_id: data?.gate_id ?? row.gate_id, plan_hash: data?.plan_hash ?? row.plan_hash }
  })
}
