import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Asked } from '../../components/asked.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { Status } from '../../components/status.tsx'
import { ADMIN } from '../../strings/admin.ts'
import { type Health, healthQuery } from './api.ts'
import { detailText } from './detail-text.ts'

const words = ADMIN.health

export function HealthPart() {
  return <Asked query={useQuery(healthQuery)}>{(health) => <Report health={health} />}</Asked>
}

function Report({ health }: { health: Health }) {
  const { columns, lane_columns: lane } = words
  return (
    <>
      <p role="status" className="mb-3 flex flex-wrap items-center gap-2 font-medium">
        <Status of={health.status} /> {words.statuses[health.status]}
      </p>
      <PlainTable
        label={words.checks}
        columns={[columns.check, columns.state, columns.detail]}
        rows={Object.entries(health.checks).map(([name, state]) => ({
          key: name,
          cells: [
            name,
            <Status key="state" of={state} />,
            <code key="detail" className="text-sm text-muted-foreground">
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
      <Stopped health={health} />
      <Bus health={health} />
      <Findings health={health} />
      {health.versions !== undefined && (
        <Group title={words.versions}>
          <Lines lines={Object.entries(health.versions).map(([name, version]) => `${name} ${version}`)} />
        </Group>
      )}
    </>
  )
}

function Stopped({ health: { halts = [] } }: { health: Health }) {
  if (halts.length === 0) return null
  const what = ({ scope, reason }: (typeof halts)[number]) =>
    [scope.workspace, scope.environment, scope.template, scope.requester]
      .filter(Boolean)
      .join(', ')
      .concat(`: ${reason}`)
  return (
    <Group title={words.halts}>
      <Lines
        lines={halts.map((halt) =>
          words.halt_line(what(halt).replace(/^: /, `${ADMIN.halts.everything}: `), halt.by, halt.held.runs),
        )}
      />
    </Group>
  )
}

/** Subscribers that lag, and dead letters. */
function Bus({ health: { bus } }: { health: Health }) {
  if (bus === undefined) return null
  const { bus_columns: columns } = words
  return (
    <Group title={words.bus}>
      <p className={bus.waiting > 0 ? 'text-warning' : 'text-muted-foreground'}>{words.bus_waiting(bus.waiting)}</p>
      {bus.subscribers.length === 0 ? (
        <p className="text-muted-foreground">{words.no_subscribers}</p>
      ) : (
        <PlainTable
          label={words.bus}
          columns={[columns.subscriber, columns.behind, columns.dead]}
          rows={bus.subscribers.map(({ subscriber, behind, dead_letters }) => ({
            key: subscriber,
            cells: [
              subscriber,
              behind,
              <span key="dead" className={dead_letters > 0 ? 'font-medium text-destructive' : ''}>
                {dead_letters}
              </span>,
            ],
          }))}
        />
      )}
    </Group>
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
          <p className="text-success">{words.none}</p>
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
