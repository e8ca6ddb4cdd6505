/** What a publisher said, and what the database answered. */
export interface Publication {
  event_id: string
  topic: string
  workspace_id: string
  /** all of one name commit together */
  transaction: string
  /** `unknown` is a commit whose answer was lost; `undone` was never committed */
  outcome: 'acknowledged' | 'unknown' | 'undone'
}

export interface Handled {
  id: number
  topic: string
  event_id: string
  redelivered: boolean
  /** when, on the clock of the test */
  at: number
}

/** From when to when something was being killed. */
export interface Crash {
  from: number
  to: number
}

export interface SubscriberHistory {
  name: string
  wants: (message: Pick<Publication, 'topic' | 'workspace_id'>) => boolean
  /** in the order in which they were handled, over all lives of the subscriber */
  handled: Handled[]
  crashes: Crash[]
}

export interface BusHistory {
  published: Publication[]
  /** the events of the log, in the order of their numbers */
  logged: string[]
  subscribers: SubscriberHistory[]
  /** of the database */
  crashes: Crash[]
}

/** What was under way when a session was lost may be handled so long after. */
const AFTERMATH_MS = 1_000

/** Event ids by what is wrong with them; a bus that keeps its word has none. */
export interface BusFaults {
  /** acknowledged, but not in the log */
  lost: string[]
  /** in the log, but nobody committed it, or only a part of its transaction is there */
  invented: string[]
  /** in the log twice */
  doubled: string[]
  subscribers: Record<string, SubscriberFaults>
}

interface SubscriberFaults {
  skipped: string[]
  foreign: string[]
  /** came before what had a lower number, or before what its publisher had said earlier */
  reordered: string[]
  /** handled again without saying so */
  unflagged: string[]
  /** handled again though nothing was lost in between */
  repeated: string[]
}

/** Compares what was published with what the log holds and what each subscriber handled. */
export function findBusFaults({ published, logged, subscribers, crashes }: BusHistory): BusFaults {
  const known = new Map(published.map((each) => [each.event_id, each]))
  const log = new Set(logged)
  const committed = new Set(logged.map((id) => known.get(id)?.transaction))
  return {
    lost: idsOf(published.filter(({ outcome, event_id }) => outcome === 'acknowledged' && !log.has(event_id))),
    invented: [
      ...logged.filter((id) => (known.get(id)?.outcome ?? 'undone') === 'undone'),
      ...idsOf(published.filter(({ transaction, event_id }) => committed.has(transaction) && !log.has(event_id))),
    ],
    doubled: repeatsOf(logged),
    subscribers: Object.fromEntries(
      subscribers.map((each) => [
        each.name,
        faultsOf(each, [...each.crashes, ...crashes], wantedBy(each, published, log)),
      ]),
    ),
  }
}

function wantedBy({ wants }: SubscriberHistory, published: Publication[], log: Set<string>): Set<string> {
  return new Set(idsOf(published.filter((each) => log.has(each.event_id) && wants(each))))
}

function faultsOf({ handled }: SubscriberHistory, crashes: Crash[], wanted: Set<string>): SubscriberFaults {
  const faults: SubscriberFaults = { skipped: [], foreign: [], reordered: [], unflagged: [], repeated: [] }
  const seen = new Map<string, Handled>()
  const counts = new Map<string, number>()
  let place = 0
  for (const each of handled) {
    const { event_id, id, topic, at } = each
    const before = seen.get(event_id)
    seen.set(event_id, each)
    if (!wanted.has(event_id)) faults.foreign.push(event_id)
    if (before !== undefined) {
      if (!each.redelivered || before.id !== id) faults.unflagged.push(event_id)
      if (!crashes.some(({ from, to }) => before.at <= to + AFTERMATH_MS && at >= from)) faults.repeated.push(event_id)
      continue
    }
    const [publisher = '', n] = event_id.split(':')
    const key = `${publisher} ${topic}`
    if (id <= place || Number(n) <= (counts.get(key) ?? -1)) faults.reordered.push(event_id)
    place = Math.max(place, id)
    counts.set(key, Number(n))
  }
  faults.skipped = [...wanted].filter((id) => !seen.has(id))
  return faults
}

function repeatsOf(ids: string[]): string[] {
  const seen = new Set<string>()
  return ids.filter((id) => seen.size === seen.add(id).size)
}

function idsOf(publications: Publication[]): string[] {
  return publications.map(({ event_id }) => event_id)
}
