import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { answerShown, type GateResult } from './answer-shown.ts'
import { type Decision, newKey, type Outcome, type WaitingGate } from './api.ts'
import { areSame, type GateGroup, needsConfirmation, takes } from './groups.ts'
import { takeFromQueue } from './take-from-queue.ts'

/** so many answers are under way at once */
const AT_ONCE = 3

interface Open {
  id: string
  /** exactly what was shown: each is answered by its own plan hash */
  rows: WaitingGate[]
  place: number
  /** runs of the chosen gates */
  chosen: ReadonlySet<string>
  /** they were chosen all at once */
  byAll: boolean
  answering?: Decision | undefined
  note: string
  isSending: boolean
  results: ReadonlyMap<string, GateResult>
}

export type OpenGroup = ReturnType<typeof useOpenGroup>

/** The opened group of the queue: what was shown of it, which gates are chosen, and what became of each answer. */
export function useOpenGroup(listed: readonly WaitingGate[]) {
  const client = useQueryClient()
  const [open, setOpen] = useState<Open>()
  // a lost answer is sent again as the same one
  const keys = useRef(new Map<string, string>())
  const change = (changed: (before: Open) => Partial<Open>) =>
    setOpen((before) => before && { ...before, ...changed(before) })
  const rows = open?.rows ?? []
  const mustConfirm = rows.some(needsConfirmation)
  const isAnswerable = (row: WaitingGate, decision?: Decision) => {
    const result = open?.results.get(row.run_id)
    // what became of a lost answer is known once the same one is sent again
    if (result?.kind === 'refused' && result.code === 'unreachable') return true
    return takes(row, listed, decision) && result?.kind !== 'done'
  }
  const chosen = rows.filter((row) => open?.chosen.has(row.run_id) && isAnswerable(row))
  const answered = open?.answering
  const toAnswer = answered === undefined ? [] : chosen.filter((row) => isAnswerable(row, answered))

  async function send(): Promise<void> {
    if (open === undefined || answered === undefined || open.isSending || toAnswer.length === 0) return
    const { note } = open
    change(() => ({ isSending: true }))
    const outcomes: Outcome[] = []
    const queue = [...toAnswer]
    const put = (run_id: string, result: GateResult) =>
      change(({ results }) => ({ results: new Map(results).set(run_id, result) }))
    const work = async () => {
      for (let gate = queue.shift(); gate !== undefined; gate = queue.shift()) {
        put(gate.run_id, { kind: 'sending' })
        const name = JSON.stringify([gate.gate_id, answered, note])
        const key = keys.current.get(name) ?? newKey(gate.gate_id)
        keys.current.set(name, key)
        const result = await answerShown({ gate, decision: answered, note, key })
        if (result.kind !== 'refused' || result.code !== 'unreachable') keys.current.delete(name)
        if (result.kind === 'done') outcomes.push(result.outcome)
        put(gate.run_id, result)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    await takeFromQueue(client, outcomes)
    change(({ chosen: before, results }) => {
      const failed = [...before].filter((id) => results.get(id)?.kind === 'refused')
      return {
        isSending: false,
        chosen: new Set(failed),
        ...(failed.length === 0 && { answering: undefined, note: '' }),
      }
    })
  }

  return {
    open,
    mustConfirm,
    listed,
    chosen,
    toAnswer,
    isAnswerable,
    send,
    show({ id, gates }: GateGroup, place: number) {
      const isChosen = areSame(gates) && !gates.some(needsConfirmation)
      const free = gates.filter(({ you_may }) => isChosen && you_may.length > 0)
      const none = { byAll: false, note: '', isSending: false, results: new Map() }
      setOpen({ id, rows: gates, place, chosen: new Set(free.map(({ run_id }) => run_id)), ...none })
    },
    /** takes gates into the view that came after it was opened; they are not chosen */
    add: (gates: readonly WaitingGate[]) => change(({ rows: before }) => ({ rows: [...before, ...gates] })),
    close: () => setOpen(undefined),
    toggle: (run_id: string) =>
      change(({ chosen: before, byAll, isSending }) => {
        const row = rows.find((each) => each.run_id === run_id)
        if (isSending || row === undefined || !isAnswerable(row)) return {}
        const next = new Set(before)
        if (!next.delete(run_id)) next.add(run_id)
        return { chosen: next, byAll: byAll && next.size > 0 }
      }),
    chooseAll: (all: boolean) =>
      change(() => ({
        chosen: new Set(rows.filter((row) => all && isAnswerable(row)).map(({ run_id }) => run_id)),
        byAll: all,
      })),
    /** begins the answer; says what stands against it */
    begin(decision: Decision): 'none_chosen' | 'each_by_itself' | undefined {
      if (decision === 'approve' && mustConfirm && open?.byAll === true) {
        change(() => ({ chosen: new Set(), byAll: false, answering: undefined }))
        return 'each_by_itself'
      }
      if (!chosen.some((row) => isAnswerable(row, decision))) return 'none_chosen'
      change(() => ({ answering: decision }))
      return undefined
    },
    leaveAnswer: () => change(({ isSending }) => (isSending ? {} : { answering: undefined })),
    write: (note: string) => change(() => ({ note })),
  }
}
