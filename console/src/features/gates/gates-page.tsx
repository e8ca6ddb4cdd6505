import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FilterBar } from '../../components/filter-bar.tsx'
import { Count, PageHeader } from '../../components/page-header.tsx'
import { SavedViews } from '../../components/saved-views.tsx'
import { Empty, Failed, Loading } from '../../components/states.tsx'
import { ownSearch } from '../../lib/read-search.ts'
import { sessionQuery } from '../../lib/session.ts'
import { may } from '../../lib/use-me.ts'
import { useTitle } from '../../lib/use-title.ts'
import { GATE_GROUPS } from '../../strings/gate-groups.ts'
import { STRINGS } from '../../strings.ts'
import { useFilterChoices } from '../policies/use-filter-choices.ts'
import { type Decision, FILTERS, type GatesSearch, gatesQuery, type WaitingGate } from './api.ts'
import { DismissDialog } from './dismiss-dialog.tsx'
import { GATE_FILTERS } from './filters.ts'
import { GateItem } from './gate-item.tsx'
import { GoesOn } from './goes-on.tsx'
import { GroupItem } from './group-item.tsx'
import { ClosedGate, useLinkedGate } from './linked-gate.tsx'
import { useQueue } from './use-queue.ts'
import { useQueueKeys } from './use-queue-keys.ts'

const words = STRINGS.gates
const NONE: WaitingGate[] = []

export function GatesPage() {
  useTitle(words.title)
  const search = useSearch({ from: '/gates', select: ownSearch })
  const navigate = useNavigate({ from: '/gates' })
  const roles = useQuery(sessionQuery).data?.user?.roles ?? []
  const { gate: _open, ...list } = search
  const { cursor: _page, ...filters } = list
  const { data } = useQuery(gatesQuery(list))
  const choices = useFilterChoices(GATE_FILTERS, search)
  const change = (changed: GatesSearch, replace = false) => void navigate({ search: changed, replace })
  return (
    <>
      <PageHeader
        title={words.title}
        aside={<Count of={data} words={words} />}
        about={may(roles, 'approver') ? <span className="touch:hidden">{words.hint}</span> : words.look_only}
        actions={may(roles, 'operator') && <StaleGates />}
      />
      <SavedViews page="gates" search={filters} onOpen={change} />
      <FilterBar filters={choices} values={filters} onChange={change} />
      {/* another queue starts over, with nothing opened */}
      <GateQueue key={JSON.stringify(list)} search={search} onSearch={change} />
    </>
  )
}

interface QueueProps {
  search: GatesSearch
  onSearch: (search: GatesSearch) => void
}

function GateQueue({ search, onSearch }: QueueProps) {
  const navigate = useNavigate({ from: '/gates' })
  const { gate: linked, ...list } = search
  const { cursor: _page, ...filters } = list
  const { data, error, isPending, refetch } = useQuery(gatesQuery(list))
  const onOpen = useCallback(
    (gate: string | undefined) =>
      void navigate({
        search: ({ gate: _before, ...rest }: GatesSearch) => (gate === undefined ? rest : { ...rest, gate }),
        replace: true,
      }),
    [navigate],
  )
  const isWhole = list.cursor === undefined && data?.next === undefined
  const queue = useQueue(data?.gates ?? NONE, isWhole, onOpen)
  const isClosed = useLinkedGate(linked, queue)
  const [{ message, answered }, setSaid] = useState<{ message: string; answered?: string }>({ message: '' })
  const tell = (text: string, run?: string) => setSaid({ message: text, ...(run !== undefined && { answered: run }) })
  const answerChosen = (decision: Decision) => {
    if (queue.group.open === undefined) return
    const against = queue.group.begin(decision)
    tell(against === undefined ? '' : GATE_GROUPS.refused[against])
  }
  const answer = (decision: Decision) => {
    const { group } = queue
    const id = queue.current ?? queue.entries[0]?.id
    const closed = queue.entries.find((entry) => entry.id === id)?.group
    if (closed !== undefined && closed.id !== group.open?.id) return queue.showGroup(closed)
    if (group.open?.id === id) return answerChosen(decision)
    const gate = queue.items.find(({ run_id }) => run_id === id)
    if (gate === undefined) return
    if (gate.you_may.includes(decision)) return queue.show(gate, decision)
    tell(words.not_yours[decision](gate.summary))
    queue.show(gate)
  }
  useQueueKeys({
    move: queue.move,
    answer,
    answerChosen,
    leave: () => queue.leave(),
    choose: () => queue.current !== undefined && queue.group.toggle(queue.current),
    toggleMine() {
      const { awaiting_me, ...rest } = filters
      onSearch(awaiting_me === 'true' ? rest : { ...rest, awaiting_me: 'true' })
    },
  })
  return (
    <>
      {isClosed && linked !== undefined && <ClosedGate id={linked} />}
      <p role="status" className={message === '' ? 'sr-only' : 'mb-3 break-words rounded-lg border bg-muted px-3 py-2'}>
        <bdi>{message}</bdi>
        {answered !== undefined && (
          <>
            <GoesOn run_id={answered} />{' '}
            <Link to="/runs/$id" params={{ id: answered }} className="link">
              {words.outcome.run}
            </Link>
          </>
        )}
      </p>
      {error !== null && <Failed error={error} again={() => void refetch()} />}
      {isPending && <Loading />}
      {error === null && !isPending && queue.entries.length === 0 && <Empty>{emptyText(list)}</Empty>}
      {queue.entries.length > 0 && (
        <ol aria-label={words.list} className="overflow-clip rounded-lg border bg-card">
          {queue.entries.map(({ id, gate, group }) =>
            group === undefined ? (
              <GateItem key={id} gate={gate} queue={queue} onMessage={tell} />
            ) : (
              <GroupItem key={id} group={group} queue={queue} onMessage={tell} />
            ),
          )}
        </ol>
      )}
      <nav aria-label={words.title} className="mt-4 flex gap-4">
        {search.cursor !== undefined && (
          <Link from="/gates" to="/gates" search={({ cursor: _gone, ...rest }) => rest} className="link">
            {words.first}
          </Link>
        )}
        {data?.next !== undefined && (
          <Link from="/gates" to="/gates" search={{ ...search, cursor: data.next }} className="link">
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
      <Button onClick={() => setOpen(true)} size="sm" className="ml-auto">
        {STRINGS.gates.stale.open}
      </Button>
      {open && <DismissDialog onClose={() => setOpen(false)} />}
    </>
  )
}
