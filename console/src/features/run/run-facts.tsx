import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Copyable } from '../../components/copyable.tsx'
import { Facts, Time } from '../../components/facts.tsx'
import { CONSOLE_PATH } from '../../lib/places.ts'
import { sessionQuery } from '../../lib/session.ts'
import { elapsedText } from '../../lib/time.ts'
import { STRINGS } from '../../strings.ts'
import type { Run } from '../runs/api.ts'

const words = STRINGS.run
const { facts } = words

export function RunFacts({ run }: { run: Run }) {
  const temporal = useQuery(sessionQuery).data?.temporal_workflows
  const labels = Object.entries(run.labels).map(([name, value]) => `${name}=${value}`)
  return (
    <>
      <Facts
        rows={[
          [
            facts.alert,
            run.trigger && (
              <Link key="alert" to="." search={{ part: 'context' }} className="link">
                <bdi>{run.trigger.alert.title}</bdi>
              </Link>
            ),
          ],
          [facts.pipeline, pipelineOf(run)],
          [facts.created, <Time key="created" at={run.created_at} />],
          [facts.ended, run.ended_at && <Time key="ended" at={run.ended_at} />],
          [facts.took, elapsedText(run.started_at, run.ended_at)],
          [facts.cost, <Cost key="cost" run={run} />],
          [facts.reserved, run.reserved_usd > 0 && words.dollars(String(run.reserved_usd))],
          [facts.labels, labels.join(', ')],
        ]}
      />
      <details className="mt-2">
        <summary className="text-muted-foreground">{words.record}</summary>
        <Facts
          rows={[
            [facts.id, <Copyable key="id" text={run.id} />],
            [facts.address, <Copyable key="address" text={`${window.location.origin}${CONSOLE_PATH}runs/${run.id}`} />],
            [facts.plan_hash, run.plan_hash && <Copyable key="hash" text={run.plan_hash} />],
            [facts.lane, run.lane],
            [facts.profile, run.profile],
            [
              facts.temporal,
              temporal && (
                <a
                  key="temporal"
                  href={`${temporal}${encodeURIComponent(run.id)}`}
                  target="_blank"
                  rel="noreferrer noopener"
                  className="link"
                >
                  {facts.in_temporal}
                </a>
              ),
            ],
          ]}
        />
      </details>
    </>
  )
}

/** The pipeline whose step it is. */
function pipelineOf({ provenance }: Run): ReactNode {
  const { pipeline_id: id, pipeline_step: step } = provenance
  if (typeof id !== 'string') return null
  return (
    <Link to="/pipelines/$id" params={{ id }} className="break-all link">
      {typeof step === 'string' ? `${id}, ${step}` : id}
    </Link>
  )
}

function Cost({ run }: { run: Run }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      {words.cost(String(run.total_usd), String(run.cap_usd))}
      {run.cap_usd > 0 && <meter aria-label={words.meter} min={0} max={run.cap_usd} value={run.total_usd} />}
    </span>
  )
}
