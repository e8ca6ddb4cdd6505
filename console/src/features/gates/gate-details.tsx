import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Copyable } from '../../components/copyable.tsx'
import { Countdown } from '../../components/countdown.tsx'
import { Time } from '../../components/facts.tsx'
import { usePhone } from '../../lib/use-media.ts'
import { STRINGS } from '../../strings.ts'
import { LastFailure, Runbook, SimilarRuns } from '../run/run-context.tsx'
import type { PendingApproval } from './api.ts'
import { Approvers } from './approvers.tsx'
import { Authorities } from './authorities.tsx'
import { Block, type FactRow, Facts, Fold, LongText, Section } from './block.tsx'
import { EvidenceList } from './evidence-list.tsx'
import { GateAlert } from './gate-alert.tsx'

const words = STRINGS.gates.details

/** Everything that a decision about a gate needs: what, the reason given, and what was found on the first screen; on a phone all else comes after it. */
export function GateDetails({ approval }: { approval: PendingApproval }) {
  const { run_id, plan, reason, operation, simulation, evidence, cost, required, channels } = approval
  const isPhone = usePhone()
  return (
    <>
      {approval.retry === undefined && <LastFailure run_id={run_id} />}
      <div className="mt-4 gap-x-10 xl:columns-2 [&>section]:break-inside-avoid-column">
        <Section title={words.plan}>
          <LongText text={plan.summary}>
            <Block text={plan.summary} />
          </LongText>
          <div className="mt-2">
            <Facts rows={[[words.reason, reason && <bdi>{reason}</bdi>]]} />
          </div>
          {!isPhone && <Exact approval={approval} />}
        </Section>
        <Section title={words.evidence}>
          <EvidenceList evidence={evidence} />
        </Section>
        {isPhone && <Exact approval={approval} />}
        <Section title={words.why} folds>
          <Authorities approval={approval} />
        </Section>
        <Section title={words.targets}>
          <Targets operation={operation} />
          <Operation operation={operation} />
        </Section>
        <Section title={words.who} folds>
          <Approvers approval={approval} />
        </Section>
        {simulation !== undefined && (
          <Section title={words.simulation} folds>
            <Block text={JSON.stringify(simulation, null, 2)} />
          </Section>
        )}
        <Section title={words.cost} folds>
          <p>{words.money(cost)}</p>
        </Section>
        <GateAlert run_id={run_id} />
        <Section title={STRINGS.run.context.similar} folds>
          <SimilarRuns run_id={run_id} />
        </Section>
        <Section title={STRINGS.run.context.runbook} folds>
          <Runbook run_id={run_id} />
        </Section>
        <Section title={words.time} folds>
          <p>
            <Countdown to={approval.expires_at} />
          </p>
          {required.freezes !== undefined && (
            <p className="text-warning">{words.freezes(required.freezes.join(', '))}</p>
          )}
          <Facts
            rows={[
              [words.opened, <Time key="opened" at={approval.opened_at} />],
              [words.remind, approval.sla?.remind_at && <Time at={approval.sla.remind_at} />],
              [
                words.escalate,
                approval.sla?.escalate_at && <Escalation {...approval.sla} at={approval.sla.escalate_at} />,
              ],
              [words.channels, channels.join(', ')],
            ]}
          />
        </Section>
        <Section title={words.ids} folds>
          <Facts
            rows={[
              [
                STRINGS.gates.run,
                <Link key="run" to="/runs/$id" params={{ id: run_id }} className="font-mono text-sm link">
                  {run_id}
                </Link>,
              ],
              [words.gate, <Copyable key="gate" text={approval.gate_id} />],
              [words.plan_hash, <Copyable key="hash" text={approval.plan_hash} />],
            ]}
          />
        </Section>
      </div>
    </>
  )
}

/** The command, what it changes, and the inputs. */
function Exact({ approval: { plan, inputs } }: { approval: PendingApproval }) {
  return (
    <>
      {plan.command !== undefined && (
        <Detail title={words.command} folds>
          <Block text={plan.command} />
        </Detail>
      )}
      {plan.diff !== undefined && (
        <Detail title={words.diff}>
          <LongText text={plan.diff.body}>
            <Diff diff={plan.diff} />
          </LongText>
        </Detail>
      )}
      <details>
        <summary className="text-sm text-primary">{words.inputs}</summary>
        <Block text={JSON.stringify(inputs, null, 2)} />
      </details>
    </>
  )
}

/** On a phone a section of its own, elsewhere below what is done. */
function Detail({ title, folds = false, children }: { title: string; folds?: boolean; children: ReactNode }) {
  const isPhone = usePhone()
  if (isPhone)
    return (
      <Section title={title} folds={folds}>
        {children}
      </Section>
    )
  return (
    <>
      <h4 className="mt-2 text-sm text-muted-foreground">{title}</h4>
      {children}
    </>
  )
}

/** Formats each model that may answer, with its endpoint. */
function modelsText({ candidates, problem }: NonNullable<PendingApproval['operation']['models']>): string {
  return (
    problem ??
    candidates
      .map((each) => `${each.id} (${each.provider} ${each.model}, ${each.base_url ?? each.problem ?? ''})`)
      .join(', ')
  )
}

/** How it is done; on a phone only where, because the plan names what. */
function Operation({ operation }: Pick<PendingApproval, 'operation'>) {
  const isPhone = usePhone()
  const where: FactRow[] = [
    [words.environment, operation.environment],
    [words.connection, operation.connection && <Connection of={operation.connection} />],
  ]
  const how: FactRow[] = [
    [words.operator, operation.operator],
    [words.action_type, operation.action_type],
  ]
  const reach: FactRow[] = [
    [words.models, operation.models && modelsText(operation.models)],
    [words.queue, operation.queue && `${operation.queue.task_queue} (${operation.queue.name})`],
    [words.deployment, operation.deployment && JSON.stringify(operation.deployment)],
    [words.egress, operation.egress?.join(', ')],
  ]
  if (!isPhone) return <Facts rows={[...how, ...where, ...reach]} />
  return (
    <>
      <Facts rows={where} />
      <Fold summary={words.how}>
        <Facts rows={[...how, ...reach]} />
      </Fold>
    </>
  )
}

function Targets({ operation: { targets } }: Pick<PendingApproval, 'operation'>) {
  if (targets.ids.length === 0) return <p className="text-muted-foreground">{words.no_targets}</p>
  return (
    <>
      <p>
        {STRINGS.gates.targets(targets.count ?? targets.ids.length)} ({targets.kind})
        {targets.percent !== undefined && `, ${words.percent(targets.percent)}`}
      </p>
      <ul className="mb-2 list-disc pl-5">
        {targets.ids.map((id) => (
          <li key={id} className="[overflow-wrap:anywhere]">
            <bdi>{id}</bdi>
          </li>
        ))}
      </ul>
    </>
  )
}

function Connection({ of }: { of: NonNullable<PendingApproval['operation']['connection']> }) {
  const { id, kind, host, database, base_url, user } = of
  return (
    <bdi>
      {[id, kind, host, database, base_url, user].filter((part) => part !== undefined && part !== '').join(' · ')}
    </bdi>
  )
}

function Escalation({ at, escalate_to = [] }: { at: string; escalate_to?: string[] | undefined }) {
  return (
    <>
      <Time at={at} /> {escalate_to.length > 0 && words.to(escalate_to.join(', '))}
    </>
  )
}

type ShownDiff = NonNullable<PendingApproval['plan']['diff']>

const colourOf = (line: string) =>
  line.startsWith('+')
    ? 'text-success'
    : line.startsWith('-')
      ? 'text-destructive'
      : line.startsWith('@@')
        ? 'text-primary'
        : ''

/** A difference line by line; the sign at its beginning repeats what the colour shows. */
function Diff({ diff: { format, body } }: { diff: ShownDiff }) {
  return (
    <pre dir="ltr" className="whitespace-pre-wrap rounded bg-muted p-2 text-sm [overflow-wrap:anywhere]">
      {body.split('\n').map((line, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and never change places
        <span key={place} className={`block min-h-5 ${format === 'unified' ? colourOf(line) : ''}`}>
          {line}
        </span>
      ))}
    </pre>
  )
}
