import { useQuery } from '@tanstack/react-query'
import { Facts } from '../../components/facts.tsx'
import { RunLink } from '../../components/link.tsx'
import { Failed, Loading } from '../../components/states.tsx'
import { effectText } from '../../strings/policies.ts'
import { START } from '../../strings/start.ts'
import { type DryRunReport, dryRunQuery } from './api.ts'

const words = START.dry

type Step = DryRunReport['steps'][number]
const COLOURS: Readonly<Record<string, string>> = {
  be_refused: 'text-destructive',
  fail: 'text-destructive',
  unknown: 'text-warning',
}

/** A dry run and, once it has ended, what it found of each step. */
export function DryRunView({ id }: { id: string }) {
  const { data: run, error, isPending, refetch } = useQuery(dryRunQuery(id))
  return (
    <section aria-labelledby="dry-run-title" className="mt-8">
      <h2 id="dry-run-title" className="text-lg font-semibold">
        {words.title}
      </h2>
      <p>
        {words.run} <RunLink id={id} />
      </p>
      {isPending && <Loading />}
      {error !== null && <Failed error={error} again={() => void refetch()} />}
      {run !== undefined && run.ended_at === undefined && <p role="status">{words.running}</p>}
      {run?.ended_at !== undefined && <Report report={reportOf(run.outputs)} why={run.error?.message ?? run.status} />}
    </section>
  )
}

function Report({ report, why }: { report: DryRunReport | undefined; why: string }) {
  if (report === undefined)
    return (
      <p role="alert" className="text-destructive">
        {words.failed(why)}
      </p>
    )
  const { steps, gates, unknown, estimate_usd, cap_usd, fits } = report
  return (
    <>
      <p role="status" className="font-medium text-success">
        {words.nothing}
      </p>
      <ol aria-label={words.title} className="my-2 space-y-3">
        {steps.map((step) => (
          <li key={step.id} className="rounded-lg border bg-card p-4">
            <StepFound step={step} />
          </li>
        ))}
      </ol>
      <p>{words.sum(gates.length, steps.length, unknown.length)}</p>
      <p className={fits ? '' : 'font-medium text-destructive'}>{words.money(estimate_usd, cap_usd, fits)}</p>
    </>
  )
}

function StepFound({ step }: { step: Step }) {
  const { id, would, executed, error, summary, command, diff, gate, policy, simulation, without, estimate_usd } = step
  const wasRead = executed && error === undefined
  const roles = (gate?.approval_roles ?? []).map((clause) => clause.join(' or ')).join(' and ')
  const count = words.approvals(gate?.approvals ?? 0)
  const matched = (policy?.matched ?? []).map(({ name, effect }) => `${name} (${effectText(effect)})`).join(', ')
  return (
    <>
      <h3 className="break-words">
        <span className="font-semibold">{id}</span>{' '}
        <span className={wasRead ? 'text-success' : (COLOURS[would] ?? 'text-muted-foreground')}>
          {wasRead ? words.was_read : words.would[would]}
        </span>
      </h3>
      <p className="break-words">{summary}</p>
      <Facts
        rows={[
          [words.command, command && <Code text={command} />],
          [words.changes, diff && <Code text={diff.body} />],
          [words.gate, gate?.because.join('; ')],
          [words.needs, gate && (roles === '' ? count : words.from(count, roles))],
          [words.policy, matched !== '' && `${effectText(policy?.effect ?? '')}: ${matched}`],
          [words.broken, policy?.broken_policies.join(', ')],
          [words.simulated, simulation?.summary],
          [words.without, without && words.without_of(without.join(', '))],
          [words.because, error && error.message !== summary && `${error.code}: ${error.message}`],
          [words.cost, estimate_usd !== undefined && estimate_usd > 0 && words.at_most(estimate_usd)],
        ]}
      />
    </>
  )
}

function Code({ text }: { text: string }) {
  return <pre className="whitespace-pre-wrap break-all rounded bg-muted p-2 text-sm">{text}</pre>
}

/** Nothing of a run that ended before it came so far. */
function reportOf(outputs: { dry_run?: unknown } | undefined): DryRunReport | undefined {
  const found = outputs?.dry_run
  return typeof found === 'object' && found !== null && 'steps' in found ? (found as DryRunReport) : undefined
}
