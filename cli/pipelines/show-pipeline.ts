import { compensatedText } from '#client/compensated-text.ts'
import type { Schema } from '#client/create-client.ts'
import { agoText, formatDuration } from '#core/time/format-time.ts'
import { pc, printable, printableLines } from '../views/format.ts'
import { paintStatus, statusText } from '../views/pill-text.ts'
import { pairsText, startedBy, usd } from '../views/run-text.ts'
import { cutTo, widthOf } from '../views/table.ts'
import { stepLines } from './step-lines.ts'
import { stepTree } from './step-tree.ts'

type Pipeline = Schema<'Pipeline'>

/** Formats a pipeline for a person: description, reason, state, cost, and its steps as a tree. */
export function pipelineLines(pipeline: Pipeline, now: number): string[] {
  const { id, status, status_reason, steps } = pipeline
  const doing = status_reason === undefined ? '' : ` (${status_reason})`
  return [
    `${pc.bold(printable(id))}  ${paintStatus(statusText(status), status)}${doing}`,
    ...rowsOf(pipeline, now).flatMap(([label, value]) =>
      printableLines(value).map((line, index) => `  ${pc.dim((index === 0 ? label : '').padEnd(11))} ${line}`),
    ),
    '',
    ...stepTree(steps).flatMap((drawn) => stepLines(drawn, id, now).map((line) => `  ${line}`)),
  ]
}

function rowsOf(pipeline: Pipeline, now: number): [string, string][] {
  const { name, title, bundle, environment, profile, reason, inputs, outputs, error } = pipeline
  const { by } = startedBy(pipeline)
  const rows: [string, string | undefined][] = [
    ['pipeline', `${name} of ${bundle.path}: ${title}`],
    ['where', `${environment}, profile ${profile}`],
    ['started by', `${by || 'nobody known'}, ${agoText(pipeline.created_at, now)}`],
    ['reason', reason],
    ['inputs', pairsText(inputs)],
    ['stands', stateText(pipeline, now)],
    ['error', error && `${error.step === undefined ? '' : `${error.step}: `}${error.code}: ${error.message}`],
    ['compensated', compensatedText(pipeline)],
    ['outputs', outputs && pairsText(outputs)],
    ['cost', costText(pipeline)],
  ]
  return rows.flatMap(([label, value]) => (value === undefined || value === '' ? [] : [[label, value]]))
}

function stateText({ status, steps, created_at, started_at, ended_at }: Pipeline, now: number): string {
  if (ended_at !== undefined)
    return `${status} ${agoText(ended_at, now)}, after ${formatDuration(Date.parse(ended_at) - Date.parse(created_at), 2)}`
  const done = steps.filter((step) => step.ended_at !== undefined).length
  const begun = started_at === undefined ? '' : ` begun ${agoText(started_at, now)},`
  return `${status},${begun} ${done} of ${steps.length} steps have ended`
}

function costText({ total_usd, cap_usd, reserved_usd }: Pipeline): string {
  return `${usd(total_usd)} of ${usd(cap_usd)}${reserved_usd > 0 ? `, ${usd(reserved_usd)} reserved` : ''}`
}

/** Formats each value of a pipeline with its layer. */
export function configLines({ settings, inputs, steps }: Schema<'PipelineConfig'>): string[] {
  return [
    pc.bold('settings'),
    ...settings.map(valueLine),
    pc.bold('inputs'),
    ...inputs.map(valueLine),
    ...steps.flatMap((step) => {
      const changed = step.template?.changed === true ? pc.yellow(' (changed since)') : ''
      return [
        `${pc.bold(printable(step.id))}${step.template === undefined ? '' : `  ${printable(step.template.name)}`}${changed}`,
        ...(step.entry === undefined ? [] : [`  ${pc.dim(entryText(step.entry))}`]),
        ...step.settings.map(valueLine),
        ...step.inputs.map(valueLine),
      ]
    }),
  ]
}

type Entry = NonNullable<Schema<'PipelineConfig'>['steps'][number]['entry']>

/** Formats which entry of a list is shown, and how to see another. */
function entryText({ index, count }: Entry): string {
  if (count === undefined) return 'for each entry of a list that is not known yet'
  const all = count === 1 ? '1 entry' : `${count} entries`
  if (index >= count) return `the list has ${all}, and none with the number ${index}; they are counted from 0`
  return count === 1
    ? 'for the only entry of its list'
    : `for entry ${index} of ${all}, counted from 0; others: --entry <n>`
}

function valueLine({ name, value, written, layer }: Schema<'PipelineConfig'>['inputs'][number]): string {
  const known = value === undefined ? '' : ` = ${typeof value === 'string' ? value : JSON.stringify(value)}`
  const as = written === undefined ? '' : ` as ${typeof written === 'string' ? written : JSON.stringify(written)}`
  return `  ${printable(`${name}${known}${as}`)}  ${pc.dim(layer)}`
}

const COMMAND = /: svc \S/

/** Lines as wide as the window, where there is one. A command is left whole, so that it can be copied. */
export function fitted(lines: readonly string[], width: number | undefined): string[] {
  return width === undefined ? [...lines] : lines.map((line) => (COMMAND.test(line) ? line : cutTo(line, width)))
}

/** As many of the first lines as a window holds, in which a long one takes several rows. */
export function firstRows(lines: readonly string[], screen: { width: number; height: number }): string[] {
  let left = screen.height - 1
  return lines.filter((line) => {
    left -= Math.max(1, Math.ceil(widthOf(line) / screen.width))
    return left >= 0
  })
}
