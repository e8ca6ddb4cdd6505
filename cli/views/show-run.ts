import type { Schema } from '#client/create-client.ts'
import { answeredBy } from '#client/gate-text.ts'
import { agoText, dueText, formatDuration } from '#core/time/format-time.ts'
import type { CliDeps } from '../deps.ts'
import { pc, printable, printableLines } from './format.ts'
import { paintStatus, statusText } from './pill-text.ts'
import { pairsText, startedBy, usd } from './run-text.ts'
import { cutTo, tableLines } from './table.ts'

type Run = Schema<'Run'>
type Step = Schema<'RunStep'>
type Pending = Schema<'PendingApproval'>
type Context = Schema<'RunContext'>

export interface ShownRun {
  run: Run
  steps: readonly Step[]
  pending: Pending | undefined
  /** beside an open gate */
  context?: Context | undefined
  /** of the API, for the links */
  url: string
  now: number
}

/** Formats a run for a person: description, reason, state, steps, cost, and further commands. */
export function showRun(
  { run, steps, pending, context, url, now }: ShownRun,
  deps: Pick<CliDeps, 'out' | 'screen'>,
): void {
  const width = deps.screen()?.width
  const row = (label: string, value: string) => {
    for (const [index, line] of printableLines(value).entries())
      deps.out(`  ${pc.dim((index === 0 ? label : '').padEnd(11))} ${line}`)
  }
  const reason = run.status_reason === undefined ? '' : ` (${printable(run.status_reason)})`
  deps.out(`${pc.bold(printable(run.id))}  ${paintStatus(statusText(run.status), run.status)}${reason}`)
  row('template', [`${run.pack}/${run.template} ${run.template_version}`, ...traitsOf(run)].join(', '))
  for (const [label, value] of whyOf(run, now)) row(label, value)
  row('stands', stateText(run, now))
  for (const held of heldBy(run, now)) row('held by', held)
  if (run.error !== undefined) row('error', `${run.error.code}: ${run.error.message}`)
  for (const answer of answersOf(run, now)) row('answered', answer)
  if (pending !== undefined) for (const [label, value] of pendingRows(pending, now)) row(label, value)
  if (context !== undefined) for (const [label, value] of contextRows(context, now)) row(label, value)
  row(
    'cost',
    `${usd(run.total_usd)} of ${usd(run.cap_usd)}${run.reserved_usd > 0 ? `, ${usd(run.reserved_usd)} reserved` : ''}`,
  )
  if (run.links['self'] !== undefined) row('link', `${url}${run.links['self']}`)
  const hasReport = steps.some(({ operator, state }) => operator.startsWith('report.render') && state === 'succeeded')
  if (hasReport) row('report', `svc run show ${run.id} --report`)
  deps.out('')
  for (const line of stepTable(steps, width)) deps.out(`  ${line}`)
  for (const step of steps) {
    for (const [label, text] of dataOf(step)) {
      const line = printable(`${step.id} ${label}: ${text}`)
      deps.out(`  ${pc.dim(width === undefined ? line : cutTo(line, width - 2))}`)
    }
  }
}

function traitsOf({ environment, risk, lane, dry_run, profile }: Run): string[] {
  return [environment, `risk ${risk}`, `lane ${lane}`, `profile ${profile}`, ...(dry_run ? ['dry run'] : [])]
}

function whyOf(run: Run, now: number): [string, string][] {
  const { by, trigger } = startedBy(run)
  const alert = run.trigger?.alert
  const more = run.attached_count === 0 ? '' : `, ${run.attached_count} more folded onto it`
  const inputs = pairsText(run.inputs)
  return [
    ...(alert === undefined
      ? []
      : ([
          ['alert', `${alert.severity}: ${alert.title} (${alert.service}, ${alert.source}, ${alert.status})${more}`],
          ...(alert.description === undefined ? [] : [['', alert.description]]),
          ...(alert.generator_url === undefined ? [] : [['', alert.generator_url]]),
          ...alert.links.map((link) => ['', `${link.title}: ${link.url}`]),
        ] as [string, string][])),
    ['started by', `${by || 'nobody known'}${trigger === '' ? '' : ` (${trigger})`}, ${agoText(run.created_at, now)}`],
    ...(run.reason === undefined ? [] : ([['reason', run.reason]] as [string, string][])),
    ...(inputs === '' ? [] : ([['inputs', inputs]] as [string, string][])),
  ]
}

function stateText({ status, progress, created_at, started_at, awaiting_since, ended_at }: Run, now: number): string {
  if (ended_at !== undefined)
    return `${status} ${agoText(ended_at, now)}, after ${formatDuration(Date.parse(ended_at) - Date.parse(created_at), 2)}`
  const since = status === 'awaiting_approval' ? awaiting_since : (started_at ?? created_at)
  const step = progress.current_step === undefined ? '' : ` at ${progress.current_step}`
  const percent = progress.percent === undefined ? '' : `, ${progress.percent} % of its steps`
  return `${status}${step} for ${formatDuration(now - Date.parse(since ?? created_at), 2)}${percent}`
}

function heldBy({ halts }: Run, now: number): string[] {
  if (halts?.length === 0) return ['its workspace, which is archived']
  return (halts ?? []).map(({ id, by, reason, created_at }) => `${id} by ${by}, ${agoText(created_at, now)}: ${reason}`)
}

const DECIDED = { approve: 'approved', reject: 'rejected' } as const

/** Formats the decisions, with their authors and notes. */
function answersOf({ gates }: Run, now: number): string[] {
  return gates.flatMap(({ step, decisions = [] }) =>
    decisions.map(({ by, name, via, decision, channel, at, note }) => {
      return `${step} ${DECIDED[decision]} by ${answeredBy({ by, name })}${via === undefined ? '' : ` through ${via.name ?? via.id}`} (${channel}), ${agoText(at, now)}${note === undefined ? '' : `: ${note}`}`
    }),
  )
}

function pendingRows(pending: Pending, now: number): [string, string][] {
  const { run_id, plan, required, missing, evidence, expires_at, because, shaped_by = [] } = pending
  return [
    ['proposed', plan.summary],
    ...evidence.map(({ title, excerpt }): [string, string] => ['evidence', `${title}\n${excerpt ?? ''}`]),
    ['because', because.join('; ')],
    ['needs', `${missing.text}${required.prevent_self ? ', not from who shaped it' : ''}`],
    ...shaped_by.map(({ id, person, text }): [string, string] => ['shaped by', `${person?.display ?? id} ${text}`]),
    ['due', `${dueText(expires_at, now)} (${expires_at})`],
    ['answer with', `svc remote approve ${run_id}`],
  ]
}

/** Formats how similar runs ended, and what a document of the workspace says: a quotation, line by line behind a bar. */
function contextRows({ similar, runbook }: Context, now: number): [string, string][] {
  return [
    ...similar.map(({ run_id, status, like, ended_at, error, decided }): [string, string] => {
      const by = decided.map((each) => `${DECIDED[each.decision]} by ${answeredBy(each)}`).join(', ')
      const facts = [`${run_id} ${status} ${agoText(ended_at, now)} (same ${like})`, by, error]
      return ['before', facts.filter((each) => each !== undefined && each !== '').join(', ')]
    }),
    ...(runbook === undefined ? [] : [quotation(runbook)]),
  ]
}

function quotation({ passage, why }: NonNullable<Context['runbook']>): [string, string] {
  const { corpus, path, from_line, to_line, text } = passage
  const where = `${corpus}: ${path}:${from_line}-${to_line}${why === 'named' ? ', named by the alert' : ''}, quoted`
  return [
    'runbook',
    [
      where,
      ...text
        .trimEnd()
        .split('\n')
        .map((line) => `| ${line}`),
    ].join('\n'),
  ]
}

function stepTable(steps: readonly Step[], width: number | undefined): string[] {
  return tableLines<Step>(
    [
      { title: 'STEP', text: ({ id }) => id },
      { title: 'STATE', text: ({ state }) => statusText(state), paint: (text, { state }) => paintStatus(text, state) },
      { title: 'OPERATOR', text: ({ operator }) => operator },
      { title: 'MESSAGE', text: messageOf, cut: true },
      { title: 'GATE', text: ({ gates }) => gates.map(({ status }) => status).join(', ') },
      { title: 'TOOK', text: tookText },
      { title: 'COST', text: ({ cost_usd }) => (cost_usd === 0 ? '' : usd(cost_usd)) },
    ],
    steps,
    width === undefined ? undefined : width - 2,
  )
}

function messageOf({ message, error, name, id }: Step): string {
  if (error !== undefined) return `${String(error['code'] ?? '')}: ${againText(error)}${String(error['message'] ?? '')}`
  return message ?? (name === id ? '' : name)
}

function againText({ retry_at }: Record<string, unknown>): string {
  return typeof retry_at === 'string' ? `again at ${retry_at}: ` : ''
}

function tookText({ started_at, ended_at }: Step): string {
  if (started_at === undefined || ended_at === undefined) return ''
  const ms = Date.parse(ended_at) - Date.parse(started_at)
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : formatDuration(ms, 2)
}

function dataOf({ inputs, outputs }: Step): [string, string][] {
  return [
    ...(inputs === undefined ? [] : ([['in', stepDataText(inputs)]] as [string, string][])),
    ...(outputs === undefined ? [] : ([['out', stepDataText(outputs)]] as [string, string][])),
  ]
}

/** Data of a step as text: whole, else its beginning. */
function stepDataText({ value, excerpt, cut, bytes }: Schema<'StepData'>): string {
  return cut === true ? `${excerpt ?? ''}… (${bytes} bytes)` : JSON.stringify(value)
}
