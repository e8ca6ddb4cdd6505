import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { answeredBy } from '../../../../client/gate-text.ts'
import { Copyable } from '../../components/copyable.tsx'
import { Data, Time } from '../../components/facts.tsx'
import { Failed, Loading } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { elapsedText } from '../../lib/time.ts'
import { STRINGS } from '../../strings.ts'
import { RunRemoteJob } from '../remote-jobs/run-remote-job.tsx'
import type { Run, RunStep } from '../runs/api.ts'
import { type StepDetail, stepQuery } from './api.ts'

const words = STRINGS.run.step
const MAX_LOGS = 200
const REMOTE = 'temporal.activity@'

/** All that is known of a step: what went in and came out, its attempts, its log, its simulation, its gates. */
export function StepPart({ run, step }: { run: Run; step: RunStep }) {
  const { data, error, isPending, refetch } = useQuery(stepQuery(run.id, step.id))
  if (isPending) return <Loading />
  if (data === undefined) return <Failed error={error} again={() => void refetch()} />
  const gates = run.gates.filter((gate) => gate.step === step.id)
  const isBlank =
    [data.inputs, data.outputs, data.error].every((each) => each === undefined) &&
    data.attempts.length + gates.length === 0
  return (
    <div className="mt-2 space-y-3 border-l-2 pl-4">
      {isBlank && <p className="text-muted-foreground">{words.nothing}</p>}
      {data.error !== undefined && (
        <Block title={words.error}>
          <Data value={data.error} />
        </Block>
      )}
      {step.operator.startsWith(REMOTE) && data.attempts.length > 0 && (
        <Block title={STRINGS.run.remote}>
          <RunRemoteJob run={run.id} step={step.id} />
        </Block>
      )}
      {gates.length > 0 && (
        <Block title={words.gates}>
          <Gates gates={gates} />
        </Block>
      )}
      <StepDataBlock title={words.inputs} data={data.inputs} />
      <StepDataBlock title={words.simulation} data={data.simulation} />
      <StepDataBlock title={words.outputs} data={data.outputs} />
      {data.attempts.length > 0 && (
        <Block title={words.attempts}>
          <Attempts step={data} />
        </Block>
      )}
      {data.logs.length > 0 && (
        <Block title={words.logs}>
          <Logs step={data} />
        </Block>
      )}
      {data.plan_hash !== undefined && (
        <Block title={words.plan_hash}>
          <Copyable text={data.plan_hash} />
        </Block>
      )}
    </div>
  )
}

function Block({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h3 className="text-sm font-semibold text-muted-foreground">{title}</h3>
      {children}
    </div>
  )
}

function StepDataBlock({ title, data }: { title: string; data: StepDetail['inputs'] }) {
  if (data === undefined) return null
  return (
    <Block title={title}>
      {data.cut === true && <p className="text-muted-foreground">{words.cut(data.bytes)}</p>}
      <Data value={data.cut === true ? data.excerpt : data.value} />
      <span className="text-sm text-muted-foreground">
        {words.digest} <Copyable text={data.digest} />
      </span>
    </Block>
  )
}

function Gates({ gates }: { gates: Run['gates'] }) {
  return (
    <ul>
      {gates.map(({ gate_id, status, opened_at, resolved_at, decisions = [] }) => (
        <li key={gate_id} className="space-y-1">
          <Status of={status} /> <Copyable text={gate_id} /> <Time at={opened_at} />
          {resolved_at !== undefined && (
            <>
              {' – '}
              <Time at={resolved_at} />
            </>
          )}
          <ul className="pl-4">
            {decisions.map(({ by, name, via, decision, channel, at, note }) => (
              <li key={`${by} ${at}`} className="break-words">
                {answeredBy({ by, name })}
                {via !== undefined && ` ${STRINGS.gates.details.via(via.name ?? via.id)}`}: <b>{decision}</b> ({channel}
                ) <Time at={at} />
                {note !== undefined && <q className="ml-2">{note}</q>}
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  )
}

function Attempts({ step }: { step: StepDetail }) {
  return (
    <ol>
      {step.attempts.map(({ number, started_at, ended_at, outcome, error, cost_usd }) => (
        <li key={number}>
          {number}. {outcome ?? words.outcome} {started_at !== undefined && <Time at={started_at} />}{' '}
          {elapsedText(started_at, ended_at)}{' '}
          {cost_usd !== undefined && cost_usd > 0 && STRINGS.run.dollars(String(cost_usd))}
          {error !== undefined && <Data value={error} />}
        </li>
      ))}
    </ol>
  )
}

function Logs({ step }: { step: StepDetail }) {
  return (
    <>
      {step.logs.length >= MAX_LOGS && <p className="text-muted-foreground">{words.logs_cut}</p>}
      <Data value={step.logs.map(({ ts, data }) => `${ts} ${logText(data)}`).join('\n')} />
    </>
  )
}

function logText({ message, ...rest }: Record<string, unknown>): string {
  const more = Object.keys(rest).length === 0 ? '' : JSON.stringify(rest)
  return [typeof message === 'string' ? message : undefined, more].filter(Boolean).join(' ')
}
