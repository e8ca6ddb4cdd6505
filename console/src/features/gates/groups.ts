import { evidenceText } from '../../../../client/gate-text.ts'
import type { Decision, WaitingGate } from './api.ts'

/** Fewer equal gates are listed one by one. */
const MIN_EQUAL = 3
/** Characters in common that say something. */
const MIN_SHARED = 8

/** Gates of the same kind of start, template, operation, environment and risk, with different targets. */
export interface GateGroup {
  id: string
  gates: WaitingGate[]
}

/** What is one line of the queue. */
export type Entry =
  | { id: string; gate: WaitingGate; group?: undefined }
  | { id: string; group: GateGroup; gate?: undefined }

/** What comes before all other gates. */
const URGENT = ['critical', 'high']

const placeOf = ({ alert }: WaitingGate) => {
  const place = URGENT.indexOf(alert?.severity ?? '')
  return place === -1 ? URGENT.length : place
}

/** The gravest urgent severity among gates, and how many have it. */
export function worstOf(gates: readonly WaitingGate[]): { severity: string; count: number } | undefined {
  const counted = URGENT.map((severity) => ({
    severity,
    count: gates.filter(({ alert }) => alert?.severity === severity).length,
  }))
  return counted.find(({ count }) => count > 0)
}

const problemOf = ({ alert, reason }: WaitingGate) => alert?.title ?? reason

/** What the problem of a gate is, with its service. */
export function problemText(gate: WaitingGate): string | undefined {
  const problem = problemOf(gate)
  const { alert } = gate
  return alert === undefined || problem?.includes(alert.service) === true ? problem : `${alert.service}: ${problem}`
}

/** Words that more than half of these texts contain. */
export function commonWords(texts: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const text of texts) for (const word of new Set(wordsOf(text))) counts.set(word, (counts.get(word) ?? 0) + 1)
  return new Set([...counts].flatMap(([word, count]) => (2 * count > texts.length ? [word] : [])))
}

/** Words and the spaces between them. */
export const wordsOf = (text: string) => text.split(/(\s+)/)

/** Tells whether somebody has commented on a gate, or somebody else is looking at it: it is chosen only by itself. */
export function isRemarked({ comment_count, acknowledged }: WaitingGate, me: string): boolean {
  return comment_count > 0 || acknowledged.some(({ by }) => by !== me)
}

/** What gates are about, each once: services and reasons; the problems where all are of one service. */
export function namesOf(gates: readonly WaitingGate[]): string[] {
  const distinct = (of: (gate: WaitingGate) => string | undefined) => [
    ...new Set(gates.map(of).filter((name) => name !== undefined)),
  ]
  const services = distinct(({ alert, reason }) => alert?.service ?? reason)
  return services.length > 1 ? services : distinct(problemOf)
}

/** What the problems of gates say in common; nothing where one of them names none. */
export const commonProblem = (gates: readonly WaitingGate[]) => commonText(gates.map((gate) => problemOf(gate) ?? ''))

/** The group of a gate; undefined for one that asks something of its own. */
function groupId({
  kind,
  trigger,
  pack,
  template,
  step,
  action_type,
  environment,
  environment_class,
  risk,
}: WaitingGate) {
  if (kind !== 'approval') return undefined
  return `group-${encodeURIComponent(JSON.stringify([trigger, pack, template, step, action_type, environment, environment_class, risk]))}`
}

/**
 * The lines of the queue, critical alerts first, then high ones: equal gates are one, where the first of them stood. The gate that is
 * `alone` is in no group.
 */
export function entriesOf(all: readonly WaitingGate[], alone?: string): Entry[] {
  const gates = all.toSorted((one, other) => placeOf(one) - placeOf(other))
  const idOf = (gate: WaitingGate) => (gate.run_id === alone ? undefined : groupId(gate))
  const groups = new Map<string | undefined, WaitingGate[]>()
  for (const gate of gates) {
    const equal = groups.get(idOf(gate))
    if (equal === undefined) groups.set(idOf(gate), [gate])
    else equal.push(gate)
  }
  const listed = new Set<string>()
  return gates.flatMap((gate): Entry[] => {
    const id = idOf(gate)
    const equal = groups.get(id) ?? []
    if (id === undefined || equal.length < MIN_EQUAL) return [{ id: gate.run_id, gate }]
    if (listed.has(id)) return []
    listed.add(id)
    return [{ id, group: { id, gates: equal } }]
  })
}

/** An opened group, as it was shown. */
interface Shown {
  id: string
  rows: WaitingGate[]
  /** its index, if none of it is listed */
  place: number
}

/** The lines with the opened group as it was shown: what leaves the list stays in it, and what is new is not in it. */
export function withShown(entries: Entry[], shown: Shown | undefined): Entry[] {
  if (shown === undefined) return entries
  const { id, rows, place } = shown
  const entry: Entry = { id, group: { id, gates: rows } }
  if (entries.some((each) => each.id === id)) return entries.map((each) => (each.id === id ? entry : each))
  const ids = new Set(rows.map(({ run_id }) => run_id))
  const others = entries.filter((each) => !ids.has(each.id))
  return [...others.slice(0, place), entry, ...others.slice(place)]
}

/** How a gate of an opened group is now: `changed` has another plan or another gate, `left` is in the list no longer. */
export function stateOf(row: WaitingGate, listed: readonly WaitingGate[]): 'waits' | 'changed' | 'left' {
  const now = listed.find(({ run_id }) => run_id === row.run_id)
  if (now === undefined) return 'left'
  return now.gate_id === row.gate_id && now.plan_hash === row.plan_hash ? 'waits' : 'changed'
}

/** Tells whether this answer to a gate, as it was shown, would be taken. */
export function takes(row: WaitingGate, listed: readonly WaitingGate[], decision?: Decision): boolean {
  const now = listed.find(({ run_id }) => run_id === row.run_id)
  if (now === undefined || stateOf(row, listed) !== 'waits') return false
  return decision === undefined ? now.you_may.length > 0 : now.you_may.includes(decision)
}

/** What texts have in common at their beginning and at their end, in characters. */
export function commonEnds(texts: readonly string[]): { head: number; tail: number } {
  const [first = [], ...others] = texts.map((text) => Array.from(text))
  const shortest = Math.min(first.length, ...others.map(({ length }) => length))
  const shared = (most: number, at: (text: readonly string[], index: number) => string | undefined) => {
    let count = 0
    while (count < most && others.every((text) => at(text, count) === at(first, count))) count++
    return count
  }
  const head = shared(shortest, (text, index) => text[index])
  return { head, tail: shared(shortest - head, (text, index) => text[text.length - 1 - index]) }
}

/** What texts say in common, with a mark for what differs; nothing where that is next to nothing. */
export function commonText(texts: readonly string[]): string {
  const [first = ''] = texts
  if (texts.every((text) => text === first)) return first
  const [head, , tail] = cutAt(first, commonEnds(texts))
  return head.length + tail.length < MIN_SHARED ? '' : `${head}…${tail}`
}

/** Tells whether the summary of a gate does not tell it from another one that does something else. */
export function isAlike({ summary, command }: WaitingGate, gates: readonly WaitingGate[]): boolean {
  return gates.some((other) => other.summary === summary && other.command !== command)
}

/** Tells whether gates are the same in all that a group shows of each beforehand: the plan, and why it is asked. */
export function areSame(gates: readonly WaitingGate[]): boolean {
  const shown = (gate: WaitingGate) =>
    JSON.stringify([gate.plan_hash, gate.summary, problemOf(gate), gate.alert?.service, evidenceText(gate)])
  return new Set(gates.map(shown)).size <= 1
}

/** What is confirmed of a gate: its summary, and its command where that alone tells gates apart. */
export function confirmedText(gate: WaitingGate, gates: readonly WaitingGate[]): string {
  return gate.command !== undefined && isAlike(gate, gates) ? `${gate.summary}\n${gate.command}` : gate.summary
}

/** A text in three: what it has in common with the others, what differs, and what is common again. */
export function cutAt(text: string, { head, tail }: { head: number; tail: number }): [string, string, string] {
  const letters = Array.from(text)
  const end = letters.length - tail
  return [letters.slice(0, head).join(''), letters.slice(head, end).join(''), letters.slice(end).join('')]
}

/** The listed gates of a group that are not in what was shown of it. */
export function newerOf({ id, rows }: Pick<Shown, 'id' | 'rows'>, listed: readonly WaitingGate[]): WaitingGate[] {
  const shown = new Set(rows.map(({ run_id }) => run_id))
  return listed.filter((gate) => groupId(gate) === id && !shown.has(gate.run_id))
}
