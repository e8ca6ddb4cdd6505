import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Failed, Loading } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { useTitle } from '../../lib/use-title.ts'
import { STRINGS } from '../../strings.ts'
import { AuditSlice } from '../audit/audit-slice.tsx'
import { runQuery } from '../runs/api.ts'
import { EventsPart } from './events-part.tsx'
import { RunArtifacts } from './run-artifacts.tsx'
import { RunEnding } from './run-ending.tsx'
import { RunFacts } from './run-facts.tsx'
import { RunLineage } from './run-lineage.tsx'
import { RunState } from './run-state.tsx'
import { RunSteps } from './run-steps.tsx'
import { RunTrigger } from './run-trigger.tsx'

const words = STRINGS.run

/** One run: its trigger, its state, its steps, its files, and its records. */
export function RunPage() {
  const { id } = useParams({ from: '/runs/$id' })
  const { data: run, error, isPending, refetch } = useQuery(runQuery(id))
  useTitle(run?.reason ?? (run && `${run.pack}/${run.template}`), run?.status.replaceAll('_', ' '))
  if (isPending) return <Loading />
  if (run === undefined) return <Failed error={error} again={() => void refetch()} />
  return (
    <article key={id}>
      <Link to="/runs" className="text-mark underline print:hidden">
        {words.back}
      </Link>
      <h1 className="my-2 break-words text-xl font-semibold">
        {run.pack}/{run.template} <Status of={run.status} />
      </h1>
      {run.reason !== undefined && (
        <p className="mb-2 break-words text-lg">
          <bdi>{run.reason}</bdi>
        </p>
      )}
      {run.dry_run && <p className="mb-2 font-medium text-wait">{words.dry_run}</p>}
      <RunState run={run} />
      <RunEnding run={run} />
      <RunFacts run={run} />
      <Contents />
      <RunTrigger run={run} />
      <RunSteps run={run} />
      <EventsPart of="runs" id={id} />
      <RunArtifacts id={id} />
      <RunLineage run={run} />
      <AuditSlice run={run} />
    </article>
  )
}

const PARTS = [
  ['trigger', words.trigger.title],
  ['steps', words.steps],
  ['events', words.events],
  ['files', words.files],
  ['lineage', words.lineage.title],
  ['record', STRINGS.slice.title],
] as const

function Contents() {
  return (
    <nav aria-label={words.sections} className="mt-4 flex flex-wrap gap-x-4 gap-y-1 print:hidden">
      {PARTS.map(([id, name]) => (
        <a key={id} href={`#${id}`} className="text-mark underline">
          {name}
        </a>
      ))}
    </nav>
  )
}
