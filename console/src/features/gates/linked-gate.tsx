import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { STRINGS } from '../../strings.ts'
import { readRuns } from '../runs/api.ts'
import { gatesQuery } from './api.ts'
import type { Queue } from './use-queue.ts'

/** Opens the gate that the address names, even if the list has not loaded it. True if it no longer waits. */
export function useLinkedGate(gate_id: string | undefined, queue: Queue): boolean {
  const isOpen = queue.open?.gate.gate_id === gate_id
  const { data } = useQuery({
    ...gatesQuery({ q: gate_id ?? '' }),
    enabled: gate_id !== undefined && !isOpen,
    refetchInterval: false,
  })
  const found = data?.gates.find((gate) => gate.gate_id === gate_id)
  const latest = useRef(queue)
  latest.current = queue
  const opened = useRef<string>(undefined)
  useEffect(() => {
    if (found === undefined || opened.current === found.gate_id) return
    opened.current = found.gate_id
    if (latest.current.open === undefined) latest.current.show(found)
  }, [found])
  return gate_id !== undefined && !isOpen && data !== undefined && found === undefined && opened.current !== gate_id
}

const words = STRINGS.gates

/** Says of a gate that is not open what became of it: its run knows. */
export function ClosedGate({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ['gate-run', id],
    queryFn: async ({ signal }) => (await readRuns({ q: id }, '', signal)).runs,
  })
  const [run] = data ?? []
  return (
    <p className="mb-3 text-warning">
      {run === undefined ? words.closed : words.closed_run}{' '}
      {run !== undefined && (
        <Link to="/runs/$id" params={{ id: run.id }} className="link">
          {words.outcome.run}
        </Link>
      )}
    </p>
  )
}
