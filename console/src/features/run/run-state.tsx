import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Copyable } from '../../components/copyable.tsx'
import { Facts, Time } from '../../components/facts.tsx'
import { Failed, Loading } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { ApiError } from '../../lib/api.ts'
import { useMe } from '../../lib/use-me.ts'
import { STRINGS } from '../../strings.ts'
import type { Run } from '../runs/api.ts'
import { gateQuery, type Pending } from './api.ts'

const words = STRINGS.run
const { state, gate: gateWords } = words

/** The state of a run, what it waits for, and the reason of its end. */
export function RunState({ run }: { run: Run }) {
  return (
    <section aria-label={state.title} className="mb-4 rounded border border-line bg-sunk p-3">
      <p>{formatState(run)}</p>
      {run.halts?.map(({ id, reason, by, created_at }) => (
        <p key={id} className="mt-1 break-words text-wait">
          {gateWords.halted}: {reason} ({by}, <Time at={created_at} />)
        </p>
      ))}
      {run.error !== undefined && (
        <p role="alert" className="mt-1 break-words text-bad">
          {words.failed}: {run.error.message} ({run.error.code})
        </p>
      )}
      {run.status === 'awaiting_approval' && <OpenGate id={run.id} />}
    </section>
  )
}

function formatState({ status, status_reason, lane, progress }: Run): string {
  if (status_reason === 'halted' || status_reason === 'halt_lifted') return state[status_reason]
  if (status === 'queued') return state.queued(lane)
  if (status !== 'running') return state[status]
  const step = progress.steps.find(({ id }) => id === progress.current_step)
  return state.running(step?.name ?? progress.current_step ?? progress.phase)
}

function OpenGate({ id }: { id: string }) {
  const me = useMe()
  const { data, error, isPending, refetch } = useQuery(gateQuery(id))
  if (isPending) return <Loading />
  // just answered: the run is reloaded
  if (error instanceof ApiError && error.code === 'run_not_awaiting') return null
  if (data === undefined) return <Failed error={error} again={() => void refetch()} />
  return (
    <div className="mt-3">
      <h2 className="mb-1 font-semibold">{gateWords.title}</h2>
      <p className="mb-2 break-words">{data.plan.summary}</p>
      <Facts
        rows={[
          [gateWords.target, data.operation.targets.ids.join(', ')],
          [gateWords.because, data.because.join('; ')],
          [gateWords.needs, data.missing.text],
          [gateWords.answers, <Answers key="answers" decisions={data.decisions} />],
          [gateWords.halted, data.halts?.map(({ reason, by }) => `${reason} (${by})`).join('; ')],
          [gateWords.opened, <Time key="opened" at={data.opened_at} />],
          [gateWords.expires, <Time key="expires" at={data.expires_at} />],
          [gateWords.plan_hash, <Copyable key="hash" text={data.plan_hash} />],
          [gateWords.terminal, <Copyable key="command" text={gateWords.command(id, data.plan_hash)} />],
        ]}
      />
      <Link to="/gates" className="text-mark underline print:hidden">
        {me.isApprover ? gateWords.answer : gateWords.look}
      </Link>
    </div>
  )
}

function Answers({ decisions }: Pick<Pending, 'decisions'>) {
  if (decisions.length === 0) return gateWords.no_answer
  return (
    <ul>
      {decisions.map(({ by, person, via, decision, counts, at, note }) => (
        <li key={`${by} ${at}`}>
          {person?.display ?? by}
          {via !== undefined && ` ${STRINGS.gates.details.via(via.display)}`}: <Status of={decision} />{' '}
          {!counts && STRINGS.gates.details.counts_not} <Time at={at} /> {note}
        </li>
      ))}
    </ul>
  )
}
