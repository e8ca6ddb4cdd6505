import { useEffect, useRef, useState } from 'react'
import type { Decision, WaitingGate } from './api.ts'

interface Open {
  gate: WaitingGate
  /** its index, if it is no longer listed */
  place: number
  answering?: Decision | undefined
}

export type Queue = ReturnType<typeof useQueue>

const rowId = (run_id: string) => `gate-${run_id}`
const focusRow = (run_id: string) => document.getElementById(rowId(run_id))?.focus()

/** The selected gate, and the open one. An open gate stays until it is closed, whatever happens to it. */
export function useQueue(listed: WaitingGate[], onOpen: (gate_id: string | undefined) => void) {
  const [current, setCurrent] = useState<string>()
  const [open, setOpen] = useState<Open>()
  const before = useRef<string[]>([])
  const items = withOpen(listed, open)
  const order = items.map(({ run_id }) => run_id)
  const line = order.join(' ')

  // a removed selection moves to the next gate
  useEffect(() => {
    const ids = line === '' ? [] : line.split(' ')
    if (current !== undefined && !ids.includes(current)) {
      const next = ids[Math.min(Math.max(0, before.current.indexOf(current)), ids.length - 1)]
      setCurrent(next)
      if (next !== undefined && document.activeElement === document.body) focusRow(next)
    }
    before.current = ids
  }, [line, current])

  const show = (gate: WaitingGate, answering?: Decision) => {
    setCurrent(gate.run_id)
    setOpen({ gate, answering, place: Math.max(0, order.indexOf(gate.run_id)) })
    onOpen(gate.gate_id)
  }
  return {
    items,
    current,
    open,
    select: setCurrent,
    show,
    close() {
      const run_id = open?.gate.run_id
      setOpen(undefined)
      onOpen(undefined)
      if (run_id !== undefined) focusRow(run_id)
    },
    answer(decision: Decision | undefined) {
      setOpen(open && { ...open, answering: decision })
      if (decision === undefined && open !== undefined) focusRow(open.gate.run_id)
    },
    move(by: number) {
      const next =
        order[Math.max(0, Math.min(order.length - 1, current === undefined ? 0 : order.indexOf(current) + by))]
      if (next === undefined) return
      setCurrent(next)
      focusRow(next)
    },
    rowId,
  }
}

function withOpen(listed: WaitingGate[], open: Open | undefined): WaitingGate[] {
  if (open === undefined || listed.some(({ run_id }) => run_id === open.gate.run_id)) return listed
  return [...listed.slice(0, open.place), open.gate, ...listed.slice(open.place)]
}
