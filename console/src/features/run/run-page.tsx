import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Elsewhere } from '../../components/elsewhere.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Part } from '../../components/part.tsx'
import { Loading } from '../../components/states.tsx'
import { Environment, Risk, Status } from '../../components/status.tsx'
import { Ago } from '../../components/time.tsx'
import { useTitle } from '../../lib/use-title.ts'
import { STRINGS } from '../../strings.ts'
import { AuditSlice } from '../audit/audit-slice.tsx'
import { type Run, requesterOf, runQuery } from '../runs/api.ts'
import { EventsPart } from './events-part.tsx'
import { RunArtifacts } from './run-artifacts.tsx'
import { Runbook, SimilarRuns } from './run-context.tsx'
import { RunEnding } from './run-ending.tsx'
import { RunFacts } from './run-facts.tsx'
import { RunGate } from './run-gate.tsx'
import { RunLineage } from './run-lineage.tsx'
import { RunState } from './run-state.tsx'
import { RunSteps } from './run-steps.tsx'
import { RunTrigger } from './run-trigger.tsx'
import { StartAgain } from './start-again.tsx'

const words = STRINGS.run

/** One run: its trigger, its state, its steps, its files, and its records. */
export function RunPage() {
  const { id } = useParams({ from: '/runs/$id' })
  const { data: run, error, isPending, refetch } = useQuery(runQuery(id))
  useTitle(run?.reason ?? (run && `${run.pack}/${run.template}`), run?.status.replaceAll('_', ' '))
  if (isPending) return <Loading />
  if (run === undefined) return <Elsewhere path="/runs/{id}" id={id} error={error} again={() => void refetch()} />
  const isOpen = run.status === 'awaiting_approval'
  return (
    <article key={id}>
      <PageHeader
        title={<bdi>{run.reason ?? `${run.pack}/${run.template}`}</bdi>}
        aside={<Status of={run.status} />}
        about={<About run={run} />}
        actions={
          <>
            <RunEnding run={run} />
            <StartAgain run={run} />
          </>
        }
      />
      <div className="gap-8 xl:grid xl:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="min-w-0">
          {run.dry_run && <p className="mb-2 font-medium text-warning">{words.dry_run}</p>}
          <RunState run={run} />
          <RunGate run_id={id} />
          <Contents parts={isOpen ? PARTS : [...PARTS.slice(0, 2), ...PAST, ...PARTS.slice(2)]} />
          <RunSteps run={run} folds={isOpen} />
          <RunTrigger run={run} folds={isOpen} />
          {/* an open gate shows them itself */}
          {!isOpen && (
            <>
              <Part id="before" folds title={words.context.similar}>
                <SimilarRuns run_id={id} />
              </Part>
              <Part id="runbook" folds title={words.context.runbook}>
                <Runbook run_id={id} />
              </Part>
            </>
          )}
          <EventsPart of="runs" id={id} />
          <RunArtifacts id={id} />
          <RunLineage run={run} />
          <AuditSlice run={run} />
        </div>
        <aside aria-label={words.facts_title} className="mt-8 h-fit rounded-lg border bg-card p-4 text-sm xl:mt-0">
          <RunFacts run={run} />
        </aside>
      </div>
    </article>
  )
}

/** Template, environment, risk, requester and age. */
function About({ run }: { run: Run }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Link to="/runs" className="link print:hidden">
        {words.back}
      </Link>
      {run.reason !== undefined && (
        <span>
          {run.pack}/{run.template}
        </span>
      )}
      <Environment name={run.environment} of={run.environment_class} />
      <Risk of={run.risk} />
      <bdi>{requesterOf(run)}</bdi>
      <Ago at={run.created_at} />
    </span>
  )
}

const PARTS = [
  ['steps', words.steps],
  ['trigger', words.trigger.title],
  ['events', words.events],
  ['files', words.files],
  ['lineage', words.lineage.title],
  ['record', STRINGS.slice.title],
] as const

const PAST = [
  ['before', words.context.similar],
  ['runbook', words.context.runbook],
] as const

function Contents({ parts }: { parts: readonly (readonly [string, string])[] }) {
  return (
    <nav aria-label={words.sections} className="flex flex-wrap gap-x-4 gap-y-1 text-sm print:hidden">
      {parts.map(([id, name]) => (
        <a key={id} href={`#${id}`} className="link">
          {name}
        </a>
      ))}
    </nav>
  )
}
