import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Asked } from '../../components/asked.tsx'
import { buttonClasses } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Environment, Risk, Severity, Status } from '../../components/status.tsx'
import { Ago, Since } from '../../components/time.tsx'
import { useMe } from '../../lib/use-me.ts'
import { useTitle } from '../../lib/use-title.ts'
import { HOME as words } from '../../strings/home.ts'
import { STRINGS } from '../../strings.ts'
import { gatesQuery, type WaitingGate, waitingQuery } from '../gates/api.ts'
import { GroupHeading } from '../gates/group-heading.tsx'
import { entriesOf } from '../gates/groups.ts'
import { lineageQuery } from '../run/api.ts'
import { Repeats, repeatsIn } from '../run/repeats.tsx'
import type { Run } from '../runs/api.ts'
import { listQuery } from './api.ts'
import { ServiceState } from './service-state.tsx'
import { WaitingElsewhere } from './waiting-elsewhere.tsx'

const SHOWN = 6
const REPEATED_MS = 30_000

/** What waits for this user, what failed, what runs, and the state of the service; each leads to its list. */
export function HomePage() {
  useTitle(words.title)
  const me = useMe()
  return (
    <>
      <PageHeader title={words.title} about={<Waiting />} />
      <div className="gap-6 xl:grid xl:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="space-y-6">
          {me.isApprover && <Mine />}
          <Runs
            title={words.failed}
            none={words.failed_none}
            query={useQuery(listQuery('failed'))}
            search={{ status: 'failed' }}
          />
          <Runs
            title={words.running}
            none={words.running_none}
            query={useQuery(listQuery('running'))}
            search={{ status: 'running' }}
          />
        </div>
        <ServiceState />
      </div>
    </>
  )
}

function Waiting() {
  const { data } = useQuery(waitingQuery)
  const count = data?.total ?? data?.at_least
  return (
    <Link to="/gates" className="link tap">
      {count === undefined ? '' : words.all(count)}
    </Link>
  )
}

function Mine() {
  const mine = useQuery(gatesQuery({ awaiting_me: 'true' }))
  return (
    <Group title={words.mine} to={{ to: '/gates', search: { awaiting_me: 'true' } }}>
      <Asked query={mine}>
        {({ gates }) => (
          <Lines none={words.mine_none}>
            {entriesOf(gates)
              .slice(0, SHOWN)
              .map((entry) => (
                <li key={entry.id} className="border-t py-2.5 first:border-t-0">
                  {entry.group === undefined ? <Gate gate={entry.gate} /> : <Equal gates={entry.group.gates} />}
                </li>
              ))}
          </Lines>
        )}
      </Asked>
      <WaitingElsewhere />
    </Group>
  )
}

function Gate({ gate }: { gate: WaitingGate }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Link
        to="/gates"
        search={{ awaiting_me: 'true', gate: gate.gate_id }}
        className="min-w-0 flex-1 basis-64 font-medium break-words hover:underline"
      >
        <bdi>{gate.alert?.title ?? gate.reason ?? gate.summary}</bdi>
      </Link>
      {gate.alert !== undefined && <Severity of={gate.alert.severity} />}
      <Risk of={gate.risk} />
      <Environment name={gate.environment} of={gate.environment_class} />
      <span className="text-sm text-muted-foreground">
        <Since at={gate.opened_at} text={STRINGS.gates.waits} />
      </span>
    </div>
  )
}

function Equal({ gates }: { gates: WaitingGate[] }) {
  return (
    <Link to="/gates" search={{ awaiting_me: 'true' }} className="-mx-2 block rounded px-2 hover:bg-muted/60">
      <GroupHeading gates={gates} />
    </Link>
  )
}

interface RunsProps {
  title: string
  none: string
  query: ReturnType<typeof useQuery<Run[]>>
  search: { status: string }
}

function Runs({ title, none, query, search }: RunsProps) {
  return (
    <Group title={title} to={{ to: '/runs', search }}>
      <Asked query={query}>
        {(runs) => (
          <Lines none={none}>
            {runs.slice(0, SHOWN).map((run) => (
              <RunLine key={run.id} run={run} />
            ))}
          </Lines>
        )}
      </Asked>
    </Group>
  )
}

function RunLine({ run }: { run: Run }) {
  const { id, reason, pack, template, status, error, created_at, ended_at } = run
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t py-2.5 first:border-t-0">
      <Link to="/runs/$id" params={{ id }} className="min-w-0 flex-1 basis-64 font-medium break-words hover:underline">
        <bdi>{reason ?? `${pack}/${template}`}</bdi>
      </Link>
      <Status of={status} />
      <span className="text-sm text-muted-foreground">
        <Ago at={ended_at ?? created_at} />
      </span>
      {error !== undefined && (
        <span className="basis-full truncate text-sm text-muted-foreground">{error.message}</span>
      )}
      {status === 'failed' && <Repeated run={run} />}
    </li>
  )
}

/** Says of a failed run by which run it was retried or started again. */
function Repeated({ run }: { run: Run }) {
  const { data } = useQuery({ ...lineageQuery(run), refetchInterval: REPEATED_MS })
  const runs = repeatsIn(data)
  return (
    runs.length > 0 && (
      <div className="basis-full">
        <Repeats runs={runs} />
      </div>
    )
  )
}

function Group({ title, to, children }: { title: string; to: LinkProps; children: ReactNode }) {
  return (
    <Card aria-label={title}>
      <div className="mb-1 flex items-center justify-between gap-3">
        <h2 className="font-semibold">{title}</h2>
        <Link
          {...to}
          aria-label={`${words.more}: ${title}`}
          className={buttonClasses({ variant: 'ghost', size: 'sm' })}
        >
          {words.more}
        </Link>
      </div>
      {children}
    </Card>
  )
}

function Lines({ none, children }: { none: string; children: ReactNode[] }) {
  return children.length === 0 ? <p className="py-2 text-muted-foreground">{none}</p> : <ul>{children}</ul>
}
