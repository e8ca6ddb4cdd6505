import { useEffect, useRef, useState } from 'react'
import type { Decision, WaitingGate } from './api.ts'
import { entriesOf, type GateGroup, withShown } from './groups.ts'
import { useOpenGroup } from './use-open-group.ts'

interface Open {
  gate: WaitingGate
  /** its index, if it is no longer listed */
  place: number
  answering?: Decision | undefined
}

export type Queue = ReturnType<typeof useQueue>

const rowId = (id: string) => `gate-${id}`
const focusRow = (id: string) => document.getElementById(rowId(id))?.focus()

/** The selected line, the open gate and the open group. What is open stays until it is closed, whatever happens to it. */
export function useQueue(listed: WaitingGate[], isWhole: boolean, onOpen: (gate_id: string | undefined) => void) {
  const [current, setCurrent] = useState<string>()
  const [open, setOpen] = useState<Open>()
  const before = useRef<string[]>([])
  const group = useOpenGroup(listed, isWhole)
  const shown = group.open
  const items = withOpen(listed, open)
  const isShown = (run_id: string | undefined) => shown?.rows.some((row) => row.run_id === run_id) === true
  const alone = isShown(open?.gate.run_id) ? undefined : open?.gate.run_id
  const entries = withShown(entriesOf(items, alone), shown)
  const order = entries.flatMap(({ id }) => (id === shown?.id ? [id, ...shown.rows.map(({ run_id }) => run_id)] : [id]))
  const line = order.join(' ')
  const holder = entries.find((each) => each.group?.gates.some(({ run_id }) => run_id === current))?.id

  // a removed selection moves to its group, or to the next line
  useEffect(() => {
    const ids = line === '' ? [] : line.split(' ')
    if (current !== undefined && !ids.includes(current)) {
      const next = holder ?? ids[Math.min(Math.max(0, before.current.indexOf(current)), ids.length - 1)]
      setCurrent(next)
      if (next !== undefined && document.activeElement === document.body) focusRow(next)
    }
    before.current = ids
  }, [line, current, holder])

  const show = (gate: WaitingGate, answering?: Decision) => {
    setCurrent(gate.run_id)
    setOpen({ gate, answering, place: Math.max(0, items.indexOf(gate)) })
    onOpen(gate.gate_id)
  }
  return {
    items,
    entries,
    current,
    open,
    group,
    select: setCurrent,
    show,
    showGroup(of: GateGroup) {
      setCurrent(of.id)
      group.show(
        of,
        entries.findIndex(({ id }) => id === of.id),
      )
    },
    /** closes the innermost thing that is open */
    leave() {
      if (open?.answering !== undefined) return this.answer(undefined)
      if (open !== undefined) return this.close()
      if (shown === undefined) return
      if (shown.answering !== undefined) group.leaveAnswer()
      else group.close()
      focusRow(shown.id)
    },
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
