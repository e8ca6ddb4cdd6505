import type { JsonObject } from '#core/json/json.ts'
import { usdFromMicro } from '#core/money.ts'
import { readTakenOver } from '#core/run/repeat.ts'
import { shownData } from '#core/run/shown-data.ts'
import { hasEnded, shownStepState } from '#core/run/status.ts'
import type { RunStep, RunStepDetail } from '#core/run/step-schema.ts'
import { isoTime } from '#core/time/time.ts'
import type { StepHistory, StepRow } from '#store/runs/step-views.ts'

/** Returns a step for the answer, each of its data within `most` bytes. */
export function toStepRecord(
  row: StepRow,
  show: { run_id: string; most: number; sha256(text: string): string },
): RunStep {
  const { run_id, most, sha256 } = show
  const self = `/runs/${run_id}/steps/${encodeURIComponent(row.id)}`
  const { inputs, outputs, simulation, error, message, plan_hash, started_at, ended_at } = row
  const taken_over_from = readTakenOver(row.taken_over_from)
  return {
    run_id,
    id: row.id,
    name: row.name,
    operator: `${row.operator}@${row.operator_version}`,
    action_type: row.action_type,
    state: shownStepState(row.state, { ended_at: row.run_ended_at }),
    attempt: row.attempt ?? 0,
    ...(started_at !== null && { started_at: iso(started_at) }),
    ...(ended_at !== null && { ended_at: iso(ended_at) }),
    ...(message !== null && message !== '' && { message }),
    ...(plan_hash !== null && { plan_hash }),
    ...(inputs !== null && { inputs }),
    // the notes of a waiting step are no output
    ...(outputs !== null && row.state !== null && hasEnded(row.state) && { outputs: shownData(outputs, most, sha256) }),
    ...(simulation !== null && { simulation: shownData(simulation, most, sha256) }),
    ...(error !== null && { error: row.state === 'ready' ? error : withoutRetry(error) }),
    cost_usd: usdFromMicro(row.cost_micro_usd ?? 0),
    ...(taken_over_from && { taken_over_from }),
    gates: row.gates,
    links: { self, run: `/runs/${run_id}`, events: `/runs/${run_id}/events` },
  }
}

/** The attempts and the log of a step, from its events. */
export function toStepHistory({ events, charges }: StepHistory): Pick<RunStepDetail, 'attempts' | 'logs'> {
  const attempts = new Map<number, RunStepDetail['attempts'][number]>()
  for (const { type, ts, data } of events) {
    const number = typeof data['attempt'] === 'number' ? data['attempt'] : [...attempts.keys()].at(-1)
    if (number === undefined || number < 1 || type === 'step.log') continue
    const known = attempts.get(number) ?? { number }
    const { attempt: _, ...rest } = withoutRetry(data)
    attempts.set(number, {
      ...known,
      ...(type === 'step.started' ? { started_at: iso(ts) } : { ended_at: iso(ts) }),
      ...(type === 'step.completed' && { outcome: 'succeeded' as const }),
      ...(type === 'step.failed' && { outcome: 'failed' as const, error: rest }),
    })
  }
  for (const { attempt, micro_usd } of charges) {
    const known = attempts.get(attempt)
    if (known !== undefined) attempts.set(attempt, { ...known, cost_usd: usdFromMicro(micro_usd) })
  }
  const logs = events.filter(({ type }) => type === 'step.log')
  return {
    attempts: [...attempts.values()],
    logs: logs.map(({ seq, ts, data }) => ({ seq, ts: iso(ts), data })),
  }
}

/** The time of the next attempt matters only until then. */
function withoutRetry({ retry_at: _, ...error }: JsonObject): JsonObject {
  return error
}

function iso(text: string): string {
  return isoTime(Date.parse(text))
}
