import { z } from 'zod'
import { DomainError } from '#core/errors.ts'
import { usdFromMicro } from '#core/money.ts'
import { RUN_EVENT_TYPES } from '#core/run/event.ts'
import { findAskRun, findAskStep, listAskEvents, listAskSteps } from '#store/ask-reads/run.ts'
import { countAskRuns, listAskRuns, RUN_GROUPS } from '#store/ask-reads/runs.ts'
import { defineAskTool, Limit, MAX_ROWS, RUN_FILTER, RunIdInput, refOf } from '../define-ask-tool.ts'
import { readGates } from '../read-gates.ts'

export const listRunStepsTool = defineAskTool({
  name: 'list_run_steps',
  description: 'The steps of a run that were begun, in their order: state, attempts, message, error, cost.',
  input: z.strictObject({ run_id: RunIdInput }),
  async run({ read }, { run_id }) {
    const rows = await listAskSteps(read, run_id)
    const steps = rows.map(({ cost_micro_usd, ...row }) => ({ ...row, cost_usd: usdFromMicro(cost_micro_usd) }))
    return { data: { run_id, steps }, rows: steps.length, ref: `/runs/${run_id}/steps` }
  },
})

export const getRunStepTool = defineAskTool({
  name: 'get_run_step',
  description: 'One step of a run with its inputs and outputs.',
  input: z.strictObject({ run_id: RunIdInput, step: z.string().min(1).max(100) }),
  async run({ read }, { run_id, step }) {
    const found = await findAskStep(read, { run_id, step })
    if (found === undefined) throw new DomainError('not_found', `there is no step ${step} of ${run_id} that was begun`)
    const { cost_micro_usd, ...row } = found
    const data = { run_id, ...row, cost_usd: usdFromMicro(cost_micro_usd) }
    return { data, rows: 1, ref: `/runs/${run_id}/steps/${encodeURIComponent(step)}` }
  },
})

export const listRunEventsTool = defineAskTool({
  name: 'list_run_events',
  description: 'The last events of a run, oldest first, all of them or those of one type.',
  input: z.strictObject({ run_id: RunIdInput, type: z.enum(RUN_EVENT_TYPES).optional(), limit: Limit }),
  async run({ read }, { run_id, type, limit }) {
    const events = await listAskEvents(read, { run_id, type }, limit)
    const after_seq = events[0] === undefined ? undefined : events[0].seq - 1
    return { data: { run_id, events }, rows: events.length, ref: refOf(`/runs/${run_id}/events`, { after_seq }) }
  },
})

export const listRunsTool = defineAskTool({
  name: 'list_runs',
  description: 'Runs, newest first, with status, failure and cost; `total` says how many there are.',
  input: z.strictObject({ ...RUN_FILTER, limit: Limit }),
  async run({ read }, { limit, ...filter }) {
    const { rows, total } = await listAskRuns(read, filter, limit)
    const runs = rows.map(({ cost_micro_usd, ...row }) => ({ ...row, cost_usd: usdFromMicro(cost_micro_usd) }))
    const [pack, template] = filter.template?.split('/') ?? []
    const { status, environment, trigger } = filter
    return {
      data: { runs, total },
      rows: runs.length,
      ref: refOf('/runs', { status, pack, template, environment, trigger, limit }),
    }
  },
})

export const getRunTool = defineAskTool({
  name: 'get_run',
  description:
    'One run: its requester and reason, its state, its failure, its approvals, its cost, the alert behind it.',
  input: z.strictObject({ run_id: RunIdInput }),
  async run(ctx, { run_id }) {
    const found = await findAskRun(ctx.read, run_id)
    if (found === undefined) throw new DomainError('not_found', `there is no run ${run_id}`)
    const gates = await readGates(ctx, { run_id }, MAX_ROWS)
    const {
      cost_micro_usd,
      llm_micro_usd,
      gpu_micro_usd,
      storage_micro_usd,
      reserved_micro_usd,
      cap_micro_usd,
      ...run
    } = found
    const cost = {
      total_usd: usdFromMicro(cost_micro_usd),
      llm_usd: usdFromMicro(llm_micro_usd),
      gpu_usd: usdFromMicro(gpu_micro_usd),
      storage_usd: usdFromMicro(storage_micro_usd),
      reserved_usd: usdFromMicro(reserved_micro_usd),
      cap_usd: usdFromMicro(cap_micro_usd),
    }
    const asked = gates.map(({ run_id: _run, template: _template, environment: _environment, ...gate }) => gate)
    return { data: { ...run, cost, gates: asked }, rows: 1, ref: `/runs/${run_id}` }
  },
})

export const countRunsTool = defineAskTool({
  name: 'count_runs',
  description:
    'How many of the newest 10,000 runs there are of each status, template, environment, trigger, failure code or day, what they cost, how long they took.',
  input: z.strictObject({ ...RUN_FILTER, group_by: z.enum(RUN_GROUPS).default('status') }),
  async run({ read }, filter) {
    const rows = await countAskRuns(read, filter, MAX_ROWS)
    const groups = rows.map(({ cost_micro_usd, ...row }) => ({ ...row, cost_usd: usdFromMicro(cost_micro_usd) }))
    const { group_by, status, environment, trigger } = filter
    return { data: { group_by, groups }, rows: groups.length, ref: refOf('/runs', { status, environment, trigger }) }
  },
})
