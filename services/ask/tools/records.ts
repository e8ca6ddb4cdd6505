import { z } from 'zod'
import { AUDIT_CATEGORIES } from '#core/audit/types.ts'
import { GATE_STATUSES } from '#core/gate/types.ts'
import { usdFromMicro } from '#core/money.ts'
import { listAskAudit } from '#store/ask-reads/audit.ts'
import { COST_GROUPS, listAskBudgets, sumAskCosts, sumAskModelCosts } from '#store/ask-reads/costs.ts'
import { listAskHalts } from '#store/ask-reads/halts.ts'
import { defineAskTool, Limit, MAX_ROWS, RunIdInput, refOf, SinceHours } from '../define-ask-tool.ts'
import { readGates } from '../read-gates.ts'

const DAYS = 2

export const sumCostsTool = defineAskTool({
  name: 'sum_costs',
  description:
    'What the newest 10,000 runs and calls of models cost, the dearest first, and what is spent of the budgets of today and yesterday.',
  input: z.strictObject({ group_by: z.enum(COST_GROUPS).default('template'), since_hours: SinceHours.default(24 * 7) }),
  async run({ read }, { group_by, since_hours }) {
    const [rows, models, budgets] = await Promise.all([
      sumAskCosts(read, { group_by, since_hours }, MAX_ROWS),
      sumAskModelCosts(read, since_hours, MAX_ROWS),
      listAskBudgets(read, DAYS, MAX_ROWS),
    ])
    const costs = rows.map(({ group, runs, ...micro }) => ({
      group,
      runs,
      total_usd: usdFromMicro(micro.total_micro_usd),
      llm_usd: usdFromMicro(micro.llm_micro_usd),
      gpu_usd: usdFromMicro(micro.gpu_micro_usd),
      storage_usd: usdFromMicro(micro.storage_micro_usd),
    }))
    const data = {
      group_by,
      since_hours,
      costs,
      models: models.map(({ cost_micro_usd, ...each }) => ({ ...each, cost_usd: usdFromMicro(cost_micro_usd) })),
      budgets: budgets.map(({ environment, day, ...micro }) => ({
        environment,
        day,
        cap_usd: usdFromMicro(micro.cap_micro_usd),
        spent_usd: usdFromMicro(micro.spent_micro_usd),
        reserved_usd: usdFromMicro(micro.reserved_micro_usd),
      })),
    }
    return { data, rows: costs.length + models.length + budgets.length, ref: '/runs' }
  },
})

const MAX = 8

export const searchKnowledgeTool = defineAskTool({
  name: 'search_knowledge',
  description: 'Passages of runbooks and other documents of this workspace, best first: how things are done here.',
  input: z.strictObject({
    query: z.string().min(1).max(500).meta({ description: 'What to look for, in words of the documents' }),
    environment: z.string().max(64).optional().meta({ description: 'Only what this environment attaches' }),
    corpora: z.array(z.string().max(64)).min(1).max(10).optional().meta({ description: 'Only these, by name' }),
    limit: z.int().min(1).max(MAX).default(5),
  }),
  async run({ findChunks }, { query, environment, corpora, limit }) {
    const hits = await findChunks({ query, environment, corpora, limit })
    const chunks = hits.map(({ corpus_id, corpus, path, from_line, to_line, heading, text, digest }) => ({
      data: { corpus, path, from_line, to_line, text, ...(heading !== undefined && { heading }) },
      ref: refOf(`/ui/api/knowledge/${corpus_id}/passage`, { path, line: from_line, digest }),
    }))
    return { data: { chunks: [] }, rows: chunks.length, ref: '/ui/api/knowledge', chunks }
  },
})

export const searchAuditTool = defineAskTool({
  name: 'search_audit',
  description: 'Records of the audit chain, newest first: who did what, when, through which channel.',
  input: z.strictObject({
    category: z.enum(AUDIT_CATEGORIES).optional(),
    action: z.string().max(100).optional().meta({ description: 'Such as gate.decided' }),
    actor: z.string().max(200).optional().meta({ description: 'Id of who acted' }),
    run_id: RunIdInput.optional(),
    since_hours: SinceHours.optional(),
    limit: Limit,
  }),
  async run({ read }, { limit, ...filter }) {
    const records = await listAskAudit(read, filter, limit)
    const { category, actor, run_id } = filter
    return {
      data: { records },
      rows: records.length,
      ref: refOf('/console/api/audit', { category, actor, run_id, limit }),
    }
  },
})

/** Most halts that are read to find those that affect the workspace. */
const MAX_HALTS = 1_000

export const listHaltsTool = defineAskTool({
  name: 'list_halts',
  description: 'Halts that are in force here: why nothing starts or continues.',
  input: z.strictObject({}),
  async run({ read, concerns }) {
    const found = await listAskHalts(read, MAX_HALTS)
    const halts = found
      .filter(({ everywhere, environment }) => !everywhere || environment === null || concerns({ environment }))
      .slice(0, MAX_ROWS)
    return { data: { halts }, rows: halts.length, ref: '/console/api/halts' }
  },
})

export const listGatesTool = defineAskTool({
  name: 'list_gates',
  description:
    'Gates where runs wait for people: the open ones, longest wait first, or those that were approved, rejected or expired, with who answered and whether it counts.',
  input: z.strictObject({ status: z.enum(GATE_STATUSES).default('open'), limit: Limit }),
  async run(ctx, { status, limit }) {
    const gates = await readGates(ctx, { status }, limit)
    const ref = refOf('/runs', status === 'open' ? { status: 'awaiting_approval', limit } : { limit })
    return { data: { status, gates }, rows: gates.length, ref }
  },
})
