import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import type { ApiClient } from '#cli/client/api-client.ts'
import { EXIT } from '#cli/exit-codes.ts'
import { printable } from '#cli/views/format.ts'
import { buildPipelineTimeline, type PipelineTimeline, pipelineOfRecord } from '#core/audit/pipeline-timeline.ts'
import { pipelineTimelineLines } from '#core/audit/pipeline-timeline-lines.ts'
import { buildTimeline, type RunTimeline } from '#core/audit/timeline.ts'
import { timelineLines } from '#core/audit/timeline-lines.ts'
import type { AuditEvent } from '#core/audit/types.ts'
import { DomainError } from '#core/errors.ts'
import { type Verification, type VerifiedRecord, verifyFile } from '#platform/audit-sink/verify-range.ts'
import { peopleOfRuns, withNames } from './lineage/people.ts'
import { printRemoteLineage } from './lineage/remote-lineage.ts'

/** Exit codes of this command besides the common ones. 2 is reserved for a log that is shorter than a checkpoint. */
const LINEAGE_EXIT = { ok: EXIT.ok, broken_link: 1, not_found: 3 } as const

export interface LineageDeps {
  /** the service, where this machine has no log */
  api(): Pick<ApiClient, 'runs' | 'lineage' | 'audit' | 'url'>
  /** The log to read when `--file` is not given. */
  auditFile(): string
  out(text: string): void
  err(text: string): void
  exit(code: number): void
}

interface LineageFlags {
  file?: string
  from?: string
  to?: string
  json?: boolean
  records?: boolean
}

/** `svc lineage <subject>`: the records of a run, a pipeline, a gate or any other subject, verified while they are read. */
export const registerLineage = (program: Command, deps: LineageDeps): void => {
  program
    .command('lineage')
    .description(
      'print the timeline of a run, or of a pipeline with all of its runs, or print the records of a subject, and verify the whole chain while reading',
    )
    .argument(
      '<subject>',
      'the id of a run or of a pipeline or the first characters of it, an audit record id, or the id of what a record is about',
    )
    .option(
      '--file <path>',
      'audit log to read (default: the log of this installation; without one, the service shows a run and nothing is verified)',
    )
    .option('--from <bound>', 'print records from this sequence number or time (RFC 3339) on')
    .option('--to <bound>', 'print records up to this sequence number or time (RFC 3339)')
    .option('--records', 'print the records of a run or a pipeline one by one instead of the timeline')
    .option(
      '--json',
      'print the stored records as JSON lines and the verdict, with the timeline of a run or a pipeline, as the last line',
    )
    .addHelpText(
      'after',
      '\nExit status: 0 chain ok, 1 broken link, 3 chain ok but nothing about this subject, 69 log not readable.',
    )
    .action((subject: string, flags: LineageFlags) => printLineage(subject, flags, deps))
}

const printLineage = async (named: string, flags: LineageFlags, deps: LineageDeps): Promise<void> => {
  const path = flags.file ?? deps.auditFile()
  if (flags.file === undefined && !existsSync(path)) return await printRemoteLineage(named, flags, deps)
  const from = boundOf(flags.from)
  const to = boundOf(flags.to)
  if (!from || !to) {
    deps.err('--from and --to take a sequence number or a time such as 2026-01-31T12:00:00Z')
    return deps.exit(EXIT.usage)
  }
  const subject = await wholeSubject(named, path)
  let found = 0
  const events: AuditEvent[] = []
  const lines: string[] = []
  const wantsTimeline = !flags.json && !flags.records && flags.from === undefined && flags.to === undefined
  const ownRuns = new Set<string>()
  const runs = new Set<string>()
  const result = await verifyFile(path, {
    onRecord(record) {
      const { event } = record
      if (event.run_id !== undefined && pipelineOfRecord(event) === subject) ownRuns.add(event.run_id)
      const isOfRun = event.run_id !== undefined && ownRuns.has(event.run_id)
      if (!isOfRun && !isAbout(event, subject)) return
      if (event.run_id !== undefined) runs.add(event.run_id)
      if (isOfRun || event.run_id === subject || event.subject.type === 'pipeline') events.push(event)
      if (from(event) < 0 || to(event) > 0) return
      found += 1
      if (flags.json) deps.out(record.line)
      else lines.push(describe(record))
    },
  }).catch((error) => {
    deps.err(`the audit log cannot be read: ${error instanceof Error ? error.message : error}`)
    return undefined
  })
  if (!result) return deps.exit(EXIT.unavailable)
  // of a broken chain only its records are shown
  const timelines = result.broken ? {} : timelinesOf(events)
  if (!flags.json) {
    const shown = (wantsTimeline ? timelineText(timelines) : undefined) ?? lines
    // a file that is named may be from elsewhere, and is read without the service
    const people = await peopleOfRuns(deps.api, flags.file === undefined ? [...runs] : [])
    for (const each of shown) deps.out(printable(withNames(each, people)))
  }
  deps.out(flags.json ? verdictJson(result, found, timelines) : printable(verdict(result)))
  if (result.broken) return deps.exit(LINEAGE_EXIT.broken_link)
  if (found > 0) return deps.exit(LINEAGE_EXIT.ok)
  deps.err(`no record about ${printable(subject)}`)
  deps.exit(LINEAGE_EXIT.not_found)
}

const PREFIX = /^(run|pl)_[0-9a-z]{4,25}$/

/** Returns the id of the run or pipeline that begins so in the log; anything else as it is. Throws `conflict`. */
const wholeSubject = async (named: string, path: string): Promise<string> => {
  if (!PREFIX.test(named)) return named
  const ids = new Set<string>()
  await verifyFile(path, {
    onRecord({ event }) {
      // a step is a subject `run:step`
      const [subject = ''] = event.subject.id.split(':', 1)
      for (const id of [event.run_id, subject, pipelineOfRecord(event)]) if (id?.startsWith(named)) ids.add(id)
    },
    // the verification that follows reports what is wrong with the log
  }).catch(() => undefined)
  const [only = named, ...others] = ids
  if (others.length === 0) return only
  throw new DomainError(
    'conflict',
    `${ids.size} runs or pipelines begin with ${named}: ${[...ids].slice(0, 5).join(', ')}`,
  )
}

interface Timelines {
  story?: RunTimeline
  pipeline?: PipelineTimeline
}

const timelinesOf = (events: readonly AuditEvent[]): Timelines => {
  const pipeline = buildPipelineTimeline(events)
  if (pipeline !== undefined) return { pipeline }
  const timeline = buildTimeline(events)
  return timeline === undefined ? {} : { story: timeline }
}

const timelineText = ({ story, pipeline }: Timelines): string[] | undefined => {
  if (pipeline !== undefined) return pipelineTimelineLines(pipeline).map(printable)
  return story && timelineLines(story).map(printable)
}

const isAbout = (event: AuditEvent, subject: string): boolean =>
  event.run_id === subject || event.subject.id === subject || event.id === subject

/** Returns how far a record is beyond a bound; digits are a sequence number, anything else a time. */
const boundOf = (text: string | undefined): ((event: AuditEvent) => number) | undefined => {
  if (text === undefined) return () => 0
  if (/^\d+$/.test(text)) return (event) => event.seq - Number(text)
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : (event) => Date.parse(event.ts) - time
}

const describe = ({ seq, hash, event }: VerifiedRecord): string => {
  const actor = `${event.actor.type}:${event.actor.id}`
  const columns = [event.ts, `#${seq}`, event.category, event.action, actor, event.channel ?? '-', summaryOf(event)]
  return printable([...columns, hash.slice(0, 12)].join('  '))
}

/** Important members come first. */
const IMPORTANT = ['decision', 'status', 'kind', 'times', 'code', 'via', 'cause', 'note']

const importantFirst = (data: AuditEvent['data']): AuditEvent['data'] => {
  const known = Object.entries(data).filter(([, value]) => value !== null)
  const place = (key: string) => (IMPORTANT.includes(key) ? IMPORTANT.indexOf(key) : IMPORTANT.length)
  return Object.fromEntries(known.sort(([one], [other]) => place(one) - place(other)))
}

const summaryOf = ({ subject, data }: AuditEvent): string => {
  const text = typeof data.summary === 'string' ? data.summary : JSON.stringify(importantFirst(data))
  return `${subject.type}:${subject.id} ${text}`
}

const verdict = ({ records, head, broken, torn_tail }: Verification): string => {
  if (broken) return `chain BROKEN at record ${broken.seq} (line ${broken.line}): ${broken.kind}: ${broken.detail}`
  const tail = torn_tail ? `; ${torn_tail.length} bytes of an unfinished record behind it` : ''
  return `chain ok: ${records} records, head ${head.seq} ${head.hash}${tail}`
}

const verdictJson = (
  { records, head, broken, torn_tail }: Verification,
  matches: number,
  timelines: Timelines,
): string =>
  JSON.stringify({ ok: !broken, records, matches, head, broken, torn_tail_bytes: torn_tail?.length ?? 0, ...timelines })
