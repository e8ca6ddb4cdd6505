import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Elsewhere } from '../../components/elsewhere.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Part } from '../../components/part.tsx'
import { PartLinks } from '../../components/part-links.tsx'
import { Loading } from '../../components/states.tsx'
import { Environment, Risk, Severity, Status } from '../../components/status.tsx'
import { Ago } from '../../components/time.tsx'
import { useTitle } from '../../lib/use-title.ts'
import { STRINGS } from '../../strings.ts'
import { AuditSlice } from '../audit/audit-slice.tsx'
import { gatesQuery, pendingQuery } from '../gates/api.ts'
import { type Run, requesterOf, runQuery, stepsQuery } from '../runs/api.ts'
import { RunEnding } from './end-run.tsx'
import { EventsPart } from './events-part.tsx'
import { useRunPart, useRunParts } from './parts.ts'
import { RunArtifacts } from './run-artifacts.tsx'
import { Runbook, SimilarRuns } from './run-context.tsx'
import { RunFacts } from './run-facts.tsx'
import { RunGate } from './run-gate.tsx'
import { RunLineage } from './run-lineage.tsx'
import { RunState } from './run-state.tsx'
import { RunSteps } from './run-steps.tsx'
import { RunTrigger } from './run-trigger.tsx'
import { StartAgain } from './start-again.tsx'
import { StepGraph } from './step-graph.tsx'
import { useEvents } from './use-events.ts'

const words = STRINGS.run

/** One run: its state, what it asks and its steps at first sight; its context, events, files and records a tab away. */
export function RunPage() {
  const { id } = useParams({ from: '/runs/$id' })
  const { data: run, error, isPending, refetch } = useQuery(runQuery(id))
  useTitle(run?.reason ?? (run && `${run.pack}/${run.template}`), run?.status.replaceAll('_', ' '))
  if (isPending) return <Loading />
  if (run === undefined) return <Elsewhere path="/runs/{id}" id={id} error={error} again={() => void refetch()} />
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
      {run.dry_run && <p className="mb-2 font-medium text-warning">{words.dry_run}</p>}
      <RunState run={run} />
      <Parts run={run} />
    </article>
  )
}

function Parts({ run }: { run: Run }) {
  const { id, status } = run
  const log = useEvents({ of: 'runs', id })
  const part = useRunPart()
  const isOpen = status === 'awaiting_approval'
  const parts = useRunParts(id, log)
  if (!useHasLoaded(id, isOpen)) return <Loading />
  return (
    <>
      <PartLinks label={words.sections} parts={parts} current={part} />
      <Panel shown={part === 'summary'}>
        <div className="gap-8 xl:grid xl:grid-cols-[minmax(0,1fr)_20rem]">
          <div className={`min-w-0 ${FLUSH}`}>
            <StepGraph run={run} />
            <RunGate run_id={id} />
            <RunSteps run={run} folds={isOpen} />
          </div>
          <aside aria-label={words.facts_title} className="mt-8 h-fit rounded-lg border bg-card p-4 text-sm xl:mt-0">
            <RunFacts run={run} />
          </aside>
        </div>
      </Panel>
      <Panel shown={part === 'context'}>
        <RunTrigger run={run} />
        {/* an open gate shows them itself */}
        {!isOpen && (
          <>
            <Part id="before" title={words.context.similar}>
              <SimilarRuns run_id={id} />
            </Part>
            <Part id="runbook" title={words.context.runbook}>
              <Runbook run_id={id} />
            </Part>
          </>
        )}
      </Panel>
      <Panel shown>{part === 'events' && <EventsPart log={log} />}</Panel>
      <Panel shown={part === 'files'}>
        <RunArtifacts id={id} />
      </Panel>
      <Panel shown={part === 'record'}>
        <RunLineage run={run} />
        <AuditSlice run={run} />
      </Panel>
    </>
  )
}

/** Whether the steps and the open gate are there to be drawn at once: what comes later would move what somebody is about to press. */
function useHasLoaded(id: string, isOpen: boolean): boolean {
  const [hasLoaded, setHasLoaded] = useState(false)
  const steps = useQuery({ ...stepsQuery(id), enabled: !hasLoaded })
  const gates = useQuery({ ...gatesQuery({ q: id }), enabled: isOpen && !hasLoaded })
  const pending = useQuery({ ...pendingQuery(id), enabled: isOpen && !hasLoaded })
  const isLoading = [steps, gates, pending].some(({ isLoading }) => isLoading)
  if (!hasLoaded && !isLoading) setHasLoaded(true)
  return hasLoaded
}

/** the tabs have a space below them already */
const FLUSH = '[&>section:first-of-type]:mt-0'

/** What is behind another tab is printed with the rest. */
function Panel({ shown, children }: { shown: boolean; children: ReactNode }) {
  return <div className={`${FLUSH} ${shown ? '' : 'hidden print:block'}`}>{children}</div>
}

/** Template, environment, risk, requester and age. */
function About({ run }: { run: Run }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Link to="/runs" className="link tap print:hidden">
        {words.back}
      </Link>
      {run.reason !== undefined && (
        <span>
          {run.pack}/{run.template}
        </span>
      )}
      <Environment name={run.environment} of={run.environment_class} />
      {run.trigger !== undefined && <Severity of={run.trigger.alert.severity} />}
      <Risk of={run.risk} />
      <bdi>{requesterOf(run)}</bdi>
      <Ago at={run.created_at} />
    </span>
  )
}
