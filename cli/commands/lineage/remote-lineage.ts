import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../../client/api-client.ts'
import { runIdOf } from '../../client/named-records.ts'
import { counted, printable } from '../../views/format.ts'
import { peopleOf, withNames } from './people.ts'

type AuditRecord = Schema<'AuditRecord'>

interface RemoteDeps {
  api(): Pick<ApiClient, 'runs' | 'lineage' | 'audit' | 'url'>
  out(text: string): void
  err(text: string): void
}

const MAX_RECORDS = 5_000

/** Prints the lineage of a run from the service, on a machine without the log. It verifies nothing. */
export async function printRemoteLineage(
  named: string,
  { json, records, from, to }: { json?: boolean; records?: boolean; from?: string; to?: string },
  deps: RemoteDeps,
): Promise<void> {
  if (!/^(run_)?[0-9a-z]{4,26}$/.test(named) || from !== undefined || to !== undefined)
    throw new DomainError(
      'not_configured',
      'this machine has no audit log, and the service shows only whole runs: run svc lineage where the service runs, or name a copy of audit.jsonl with --file',
    )
  const api = deps.api()
  const id = await runIdOf(api, named)
  const [lineage, { items }] = await Promise.all([api.lineage(id), api.audit({ run_id: id }, MAX_RECORDS)])
  const oldestFirst = items.toReversed()
  const people = peopleOf(items)
  const byName = (text: string) => withNames(text, people)
  if (json) {
    for (const record of oldestFirst) deps.out(visibleJson(record))
    deps.out(
      visibleJson({ verified: false, records: items.length, story: lineage.story, people: [...people.values()] }),
    )
  } else if (records || lineage.story.length === 0) for (const each of oldestFirst) deps.out(byName(recordLine(each)))
  else for (const { title, text } of lineage.story) deps.out(printable(byName(`${title.padEnd(9)}${text}`)))
  const head = items[0]
  const upTo =
    head === undefined ? 'no record yet' : `${counted(items.length, 'record')} up to #${head.seq} ${head.hash}`
  deps.err(
    printable(
      `not verified: ${upTo}, from ${api.url}. Only the log proves that none is missing, changed or made up: run svc lineage ${id} where the service runs, or with --file on a copy of audit.jsonl`,
    ),
  )
}

function recordLine({ seq, event }: AuditRecord): string {
  const { ts, action, actor, subject, data } = event
  const { decision, status, note } = data
  const outcome = [decision, status].filter((each) => typeof each === 'string').join(' ')
  const said = typeof note === 'string' && note !== '' ? `: ${note}` : ''
  return printable(
    [ts, `#${seq}`, action, `${actor.type}:${actor.id}`, `${subject.type}:${subject.id}`, outcome + said].join('  '),
  ).trimEnd()
}
