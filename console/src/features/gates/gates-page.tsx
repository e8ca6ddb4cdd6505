import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Empty, Failed, Loading } from '../../components/states.tsx'
import { sessionQuery } from '../../lib/session.ts'
import { may } from '../../lib/use-me.ts'
import { useTitle } from '../../lib/use-title.ts'
import { STRINGS } from '../../strings.ts'
import { type Decision, gatesQuery, type WaitingGate } from './api.ts'
import { DismissDialog } from './dismiss-dialog.tsx'
import { GateFilters } from './gate-filters.tsx'
import { GateItem } from './gate-item.tsx'
import { FILTERS, type GatesSearch } from './search.ts'
import { useQueue } from './use-queue.ts'
import { useQueueKeys } from './use-queue-keys.ts'

const words = STRINGS.gates
const NONE: WaitingGate[] = []

export function GatesPage() {
  useTitle(words.title)
  const search = useSearch({ from: '/gates' })
  // another queue starts over, with nothing opened
  return <GateQueue key={JSON.stringify(search)} search={search} />
}

function GateQueue({ search }: { search: GatesSearch }) {
  const navigate = useNavigate({ from: '/gates' })
  const roles = useQuery(sessionQuery).data?.user?.roles ?? []
  const { data, error, isPending, refetch } = useQuery(gatesQuery(search))
  const queue = useQueue(data?.gates ?? NONE)
  const [message, setMessage] = useState('')
  const change = (changed: GatesSearch) => void navigate({ search: changed })
  const answer = (decision: Decision) => {
    const gate = queue.items.find(({ run_id }) => run_id === (queue.current ?? queue.items[0]?.run_id))
    if (gate === undefined) return
    if (gate.you_may.includes(decision)) return queue.show(gate, decision)
    setMessage(words.not_yours[decision](gate.summary))
    queue.show(gate)
  }
  useQueueKeys({
    move: queue.move,
    answer,
    leave: () => (queue.open?.answering === undefined ? queue.close() : queue.answer(undefined)),
    toggleMine() {
      const { awaiting_me, cursor: _page, ...rest } = search
      change(awaiting_me === 'true' ? rest : { ...rest, awaiting_me: 'true' })
    },
  })
  return (
    <>
      <div className="mb-3 flex flex-wrap items-baseline gap-4">
        <h1 className="text-xl font-semibold">{words.title}</h1>
        {data?.total !== undefined && <span className="text-soft">{words.count(data.total)}</span>}
        {data?.at_least !== undefined && <span className="text-soft">{words.at_least(data.at_least)}</span>}
        {may(roles, 'operator') && <StaleGates />}
      </div>
      <p className={`mb-3 text-sm text-soft ${may(roles, 'approver') ? 'max-sm:hidden' : ''}`}>
        {may(roles, 'approver') ? words.hint : words.look_only}
      </p>
      <GateFilters search={search} onChange={change} />
      <p
        role="status"
        className={message === '' ? 'sr-only' : 'mb-3 break-words rounded border border-line bg-sunk p-2'}
      >
        <bdi>{message}</bdi>
      </p>
      {error !== null && <Failed error={error} again={() => void refetch()} />}
      {isPending && <Loading />}
      {error === null && !isPending && queue.items.length === 0 && <Empty>{emptyText(search)}</Empty>}
      {queue.items.length > 0 && (
        <ol aria-label={words.list} className="border-t border-line">
          {queue.items.map((gate) => (
            <GateItem key={gate.run_id} gate={gate} queue={queue} onMessage={setMessage} />
          ))}
        </ol>
      )}
      <nav aria-label={words.title} className="mt-4 flex gap-4">
        {search.cursor !== undefined && (
          <Link from="/gates" to="/gates" search={({ cursor: _gone, ...rest }) => rest} className="text-mark underline">
            {words.first}
          </Link>
        )}
        {data?.next !== undefined && (
          <Link from="/gates" to="/gates" search={{ ...search, cursor: data.next }} className="text-mark underline">
            {words.next}
          </Link>
        )}
      </nav>
    </>
  )
}

function emptyText(search: GatesSearch): string {
  const set = FILTERS.filter((name) => search[name] !== undefined)
  if (set.length === 0 && search.cursor === undefined) return words.none
  return set.length === 1 && set[0] === 'awaiting_me' && search.cursor === undefined ? words.none_mine : words.none_fits
}

/** Leads to the dismissal of many gates at once. */
function StaleGates() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="ml-auto rounded border border-line px-2 py-1 text-sm"
      >
        {STRINGS.gates.stale.open}
      </button>
      {open && <DismissDialog onClose={() => setOpen(false)} />}
    </>
  )
}
