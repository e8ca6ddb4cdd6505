import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { compensatedText } from '../../../../client/compensated-text.ts'
import { Asked } from '../../components/asked.tsx'
import { Copyable } from '../../components/copyable.tsx'
import { Elsewhere } from '../../components/elsewhere.tsx'
import { Data, Facts, Time } from '../../components/facts.tsx'
import { Part } from '../../components/part.tsx'
import { Environment, Status } from '../../components/status.tsx'
import { elapsedText } from '../../lib/time.ts'
import { PIPELINES } from '../../strings/pipelines.ts'
import { STRINGS } from '../../strings.ts'
import { EventsPart } from '../run/events-part.tsx'
import { useEvents } from '../run/use-events.ts'
import { requesterOf } from '../runs/api.ts'
import { type Pipeline, pipelineQuery } from './api.ts'
import { CancelPipeline } from './cancel-pipeline.tsx'
import { ComposedPart } from './composed-part.tsx'
import { PipelineGraph } from './pipeline-graph.tsx'
import { StepList } from './step-list.tsx'

/** One pipeline: its state, its steps with their waits and runs, and its events. */
export function PipelinePage() {
  const { id } = useParams({ from: '/pipelines/$id' })
  const query = useQuery(pipelineQuery(id))
  const log = useEvents({ of: 'pipelines', id })
  const { data, error, refetch } = query
  if (data === undefined && error !== null)
    return <Elsewhere path="/pipelines/{id}" id={id} error={error} again={() => void refetch()} />
  return (
    <Asked query={query}>
      {(pipeline) => (
        <article key={id}>
          <Link to="/pipelines" search={{}} className="link print:hidden">
            {PIPELINES.back}
          </Link>
          <h1 className="my-2 break-words text-xl font-semibold sm:text-2xl">
            {pipeline.title} <Status of={pipeline.status} />
          </h1>
          <PipelineState pipeline={pipeline} />
          <CancelPipeline pipeline={pipeline} />
          <PipelineFacts pipeline={pipeline} />
          <Part id="steps" title={PIPELINES.steps}>
            <PipelineGraph steps={pipeline.steps} />
            <StepList pipeline={pipeline} />
          </Part>
          <Part id="inputs" title={PIPELINES.inputs}>
            <Data value={pipeline.inputs} />
          </Part>
          {pipeline.outputs !== undefined && (
            <Part id="outputs" title={PIPELINES.outputs}>
              <Data value={pipeline.outputs} />
            </Part>
          )}
          <EventsPart log={log} folds />
          <ComposedPart pipeline={pipeline} />
        </article>
      )}
    </Asked>
  )
}

function PipelineState({ pipeline }: { pipeline: Pipeline }) {
  const { state } = PIPELINES
  const { status, status_reason, error } = pipeline
  const compensated = compensatedText(pipeline)
  return (
    <section aria-label={state.title} className="mb-4 rounded-lg border bg-muted p-3">
      <p>{state[status_reason ?? status]}</p>
      {compensated !== '' && <p className="break-words">{state.compensated(compensated)}</p>}
      {error !== undefined && (
        <p role="alert" className="mt-1 break-words text-destructive">
          {error.message} ({error.code})
        </p>
      )}
    </section>
  )
}

function PipelineFacts({ pipeline }: { pipeline: Pipeline }) {
  const { facts } = PIPELINES
  const { id, name, bundle, environment, environment_class, reason, created_at, started_at, ended_at } = pipeline
  return (
    <Facts
      rows={[
        [facts.id, <Copyable key="id" text={id} />],
        [facts.bundle, `${bundle.path}, ${name}`],
        [facts.environment, <Environment key="environment" name={environment} of={environment_class} />],
        [facts.requester, requesterOf(pipeline)],
        [facts.reason, reason],
        [facts.created, <Time key="created" at={created_at} />],
        [facts.ended, ended_at && <Time key="ended" at={ended_at} />],
        [facts.took, elapsedText(started_at, ended_at)],
        [facts.cost, STRINGS.run.cost(String(pipeline.total_usd), String(pipeline.cap_usd))],
      ]}
    />
  )
}
