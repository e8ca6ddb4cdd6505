import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useMe } from '../../lib/use-me.ts'
import { answerShown, type GateResult } from './answer-shown.ts'
import { type Decision, newKey, type Outcome, type WaitingGate } from './api.ts'
import { areSame, type GateGroup, isRemarked, takes } from './groups.ts'
import { takeFromQueue } from './take-from-queue.ts'
import { useOffPage } from './use-off-page.ts'

/** so many answers are under way at once */
const AT_ONCE = 3

interface Open {
  id: string
  /** exactly what was shown: each is answered by its own plan hash */
  rows: WaitingGate[]
  place: number
  /** runs of the chosen gates, each with the number of comments that it had then */
  chosen: ReadonlyMap<string, number>
  /** they were chosen all at once */
  byAll: boolean
  answering?: Decision | undefined
  note: string
  isSending: boolean
  results: ReadonlyMap<string, GateResult>
}

export type OpenGroup = ReturnType<typeof useOpenGroup>

/**
 * The opened group of the queue: what was shown of it, which gates are chosen, and what became of each answer. `isWhole`: the page lists
 * all gates that there are.
 */
export function useOpenGroup(page: readonly WaitingGate[], isWhole: boolean) {
  const client = useQueryClient()
  const me = useMe().id
  const [open, setOpen] = useState<Open>()
  // a lost answer is sent again as the same one
  const keys = useRef(new Map<string, string>())
  const change = (changed: (before: Open) => Partial<Open>) =>
    setOpen((before) => before && { ...before, ...changed(before) })
  const rows = open?.rows ?? []
  const unanswered = rows.filter(({ run_id }) => open?.results.has(run_id) !== true)
  const listed = [...page, ...useOffPage(unanswered, page, isWhole)]
  const mustConfirm = rows.some(({ needs_confirmation }) => needs_confirmation)
  const isAnswerable = (row: WaitingGate, decision?: Decision) => {
    const result = open?.results.get(row.run_id)
    // what became of a lost answer is known once the same one is sent again
    if (result?.kind === 'refused' && result.code === 'unreachable') return true
    return takes(row, listed, decision) && result?.kind !== 'done'
  }
  const nowOf = (row: WaitingGate) => listed.find(({ run_id }) => run_id === row.run_id)
  const isFree = (row: WaitingGate) => isAnswerable(row) && !isRemarked(nowOf(row) ?? row, me)
  /** with the comments that it has now */
  const choice = (row: WaitingGate): [string, number] => [row.run_id, (nowOf(row) ?? row).comment_count]
  // a comment that came after the choice may be the reason against it
  const isStill = (row: WaitingGate) => [undefined, open?.chosen.get(row.run_id)].includes(nowOf(row)?.comment_count)
  const wanted = rows.filter((row) => open?.chosen.has(row.run_id) && isAnswerable(row))
  const chosen = wanted.filter(isStill)
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
      const failed = [...before].filter(([id]) => results.get(id)?.kind === 'refused')
      return {
        isSending: false,
        chosen: new Map(failed),
        ...(failed.length === 0 && { answering: undefined, note: '' }),
      }
    })
  }

  return {
    open,
    mustConfirm,
    listed,
    chosen,
    /** what may be chosen all at once */
    free: rows.filter(isFree),
    /** how many may be chosen only by themselves */
    byItself: rows.filter((row) => isAnswerable(row) && !isFree(row)).length,
    /** how many are chosen no longer, because of a comment */
    reconsidered: open?.isSending === true ? 0 : wanted.length - chosen.length,
    toAnswer,
    /** gates as they were shown, with what people say about them now */
    asNow: (gates: readonly WaitingGate[]) =>
      gates.map((row) => {
        const { acknowledged, comment_count, newest_comment } = nowOf(row) ?? row
        return { ...row, acknowledged, comment_count, ...(newest_comment && { newest_comment }) }
      }),
    isAnswerable,
    send,
    show({ id, gates }: GateGroup, place: number) {
      const isChosen = areSame(gates) && !gates.some(({ needs_confirmation }) => needs_confirmation)
      const free = gates.filter((gate) => isChosen && gate.you_may.length > 0 && !isRemarked(gate, me))
      const none = { byAll: false, note: '', isSending: false, results: new Map() }
      setOpen({ id, rows: gates, place, chosen: new Map(free.map(choice)), ...none })
    },
    /** takes gates into the view that came after it was opened; they are not chosen */
    add: (gates: readonly WaitingGate[]) => change(({ rows: before }) => ({ rows: [...before, ...gates] })),
    close: () => setOpen(undefined),
    toggle: (run_id: string) =>
      change(({ chosen: before, byAll, isSending }) => {
        const row = rows.find((each) => each.run_id === run_id)
        if (isSending || row === undefined || !isAnswerable(row)) return {}
        const next = new Map(before)
        if (chosen.includes(row)) next.delete(run_id)
        else next.set(...choice(row))
        return { chosen: next, byAll: byAll && next.size > 0 }
      }),
    chooseAll: (all: boolean) =>
      change(({ chosen: before }) => ({
        chosen: new Map(all ? [...before, ...rows.filter(isFree).map(choice)] : []),
        byAll: all,
      })),
    /** begins the answer; says what stands against it */
    begin(decision: Decision): 'none_chosen' | 'each_by_itself' | undefined {
      if (decision === 'approve' && mustConfirm && open?.byAll === true) {
        change(() => ({ chosen: new Map(), byAll: false, answering: undefined }))
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
