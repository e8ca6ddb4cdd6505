import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Copyable } from '../../components/copyable.tsx'
import { Empty, Failed, Loading } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { STRINGS } from '../../strings.ts'
import { type Run, type RunStep, requesterOf, runQuery, stepsQuery } from './api.ts'
import { RunEvents } from './run-events.tsx'

const words = STRINGS.run

export function RunPage() {
  const { id } = useParams({ from: '/runs/$id' })
  const run = useQuery(runQuery(id))
  const steps = useQuery(stepsQuery(id))
  if (run.isPending) return <Loading />
  if (run.data === undefined) return <Failed error={run.error} again={() => void run.refetch()} />
  return (
    <>
      <Link to="/runs" className="text-mark underline">
        {words.back}
      </Link>
      <h1 className="my-2 break-words text-xl font-semibold">
        {run.data.pack}/{run.data.template} <Status of={run.data.status} />
      </h1>
      {run.data.error !== undefined && (
        <p role="alert" className="mb-3 rounded border border-line bg-sunk p-3 text-bad">
          {words.failed}: {run.data.error.message} ({run.data.error.code})
        </p>
      )}
      <Facts run={run.data} />
      <section>
        <h2 className="mb-2 mt-6 text-lg font-semibold">{words.steps}</h2>
        {steps.isPending && <Loading />}
        {steps.error !== null && <Failed error={steps.error} again={() => void steps.refetch()} />}
        {steps.data?.length === 0 && <Empty>{words.no_steps}</Empty>}
        <ol className="space-y-1">
          {steps.data?.map((step) => (
            <StepLine key={step.id} step={step} />
          ))}
        </ol>
      </section>
      <RunEvents key={id} id={id} />
    </>
  )
}

function Facts({ run }: { run: Run }) {
  const { facts } = words
  const rows: [string, ReactNode][] = [
    [facts.id, <Copyable key="id" text={run.id} />],
    [facts.environment, `${run.environment} (${run.environment_class})`],
    [facts.requester, requesterOf(run)],
    [facts.reason, run.reason],
    [facts.created, <Time key="created" at={run.created_at} />],
    [facts.ended, run.ended_at && <Time key="ended" at={run.ended_at} />],
    [facts.cost, words.cost(String(run.total_usd), String(run.cap_usd))],
    [facts.risk, run.risk],
    [facts.lane, run.lane],
  ]
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1">
      {rows.map(([name, value]) =>
        value ? (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ) : null,
      )}
    </dl>
  )
}

function StepLine({ step }: { step: RunStep }) {
  return (
    <li className="flex flex-wrap gap-x-4 border-b border-line py-1">
      <Status of={step.state} />
      <span className="break-words font-medium">{step.name}</span>
      <code className="text-sm text-soft">{step.operator}</code>
      {step.message !== undefined && <span className="basis-full break-words text-soft">{step.message}</span>}
    </li>
  )
}
