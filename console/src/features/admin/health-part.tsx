import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Asked } from '../../components/asked.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { ADMIN } from '../../words/admin.ts'
import { type Health, healthQuery } from './api.ts'

const words = ADMIN.health
const COLOURS = { ok: 'text-good', degraded: 'text-wait', unavailable: 'text-bad' } as const

export function HealthPart() {
  return <Asked query={useQuery(healthQuery)}>{(health) => <Report health={health} />}</Asked>
}

function Report({ health }: { health: Health }) {
  const { columns, lane_columns: lane } = words
  return (
    <>
      <p role="status" className={`mb-3 font-medium ${COLOURS[health.status]}`}>
        {words.statuses[health.status]}
      </p>
      <PlainTable
        label={words.checks}
        columns={[columns.check, columns.state, columns.detail]}
        rows={Object.entries(health.checks).map(([name, state]) => ({
          key: name,
          cells: [
            name,
            <span key="state" className={state === 'ok' ? 'text-good' : 'font-medium text-bad'}>
              {state}
            </span>,
            <code key="detail" className="text-sm text-soft">
              {detailText(health.details?.[name])}
            </code>,
          ],
        }))}
      />
      {health.lanes !== undefined && (
        <Group title={words.lanes}>
          <PlainTable
            label={words.lanes}
            columns={[lane.lane, lane.running, lane.limit, lane.queued, lane.wait]}
            rows={Object.entries(health.lanes).map(([name, { running, limit, queued, wait_p50_ms, wait_p99_ms }]) => ({
              key: name,
              cells: [
                name,
                running,
                limit,
                queued,
                [wait_p50_ms, wait_p99_ms].map((ms) => (ms === undefined ? '–' : words.ms(ms))).join(', '),
              ],
            }))}
          />
        </Group>
      )}
      <Findings health={health} />
      {health.versions !== undefined && (
        <Group title={words.versions}>
          <Lines lines={Object.entries(health.versions).map(([name, version]) => `${name} ${version}`)} />
        </Group>
      )}
    </>
  )
}

function Findings({ health }: { health: Health }) {
  const { problems = [], channels = [], undelivered = [] } = health
  const placed = ({ file, line, column, message }: { file: string; line?: number; column?: number; message: string }) =>
    `${[file, line, column].filter((part) => part !== undefined).join(':')} ${message}`
  const others = [
    [words.channels, channels.map(({ channel, problem }) => [channel, problem].filter(Boolean).join(': '))],
    [words.other.packs, (health.packs ?? []).map(({ pack, problems: said }) => `${pack}: ${said.join('; ')}`)],
    [words.other.environments, health.environments ?? []],
    [words.other.policies, health.policies ?? []],
    [words.other.schedules, (health.schedules ?? []).map(placed)],
    [words.other.ingress, (health.ingress ?? []).map((each) => `${each.ingress}: ${placed(each)}`)],
    [
      words.undelivered,
      undelivered.map(({ channel, count, detail }) => words.undelivered_line(channel, count, detail)),
    ],
  ] as const
  return (
    <>
      <Group title={words.problems}>
        {problems.length === 0 ? (
          <p className="text-good">{words.none}</p>
        ) : (
          <Lines
            lines={problems.map((each) => `${each.warning === true ? words.warning : words.error}: ${placed(each)}`)}
          />
        )}
      </Group>
      {others.map(([title, lines]) =>
        lines.length === 0 ? null : (
          <Group key={title} title={title}>
            <Lines lines={lines} />
          </Group>
        ),
      )}
    </>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mt-4">
      <h3 className="mb-1 font-semibold">{title}</h3>
      {children}
    </section>
  )
}

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <ul className="space-y-1">
      {[...new Set(lines)].map((line) => (
        <li key={line} className="break-words">
          {line}
        </li>
      ))}
    </ul>
  )
}

function detailText(detail: Record<string, unknown> | undefined): string {
  return Object.entries(detail ?? {})
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}
