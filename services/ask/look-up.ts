import type { AskAction, AskToolUse } from '#core/ask/ask-schema.ts'
import { MAX_CHUNKS_CHARS, MAX_RESULT, shownResult } from '#core/ask/limits.ts'
import { concerns, type HaltScope } from '#core/halt/halt.ts'
import { canonicalText } from '#core/json/canonical.ts'
import { objectOf } from '#core/json/json.ts'
import { MAX_CHUNK_CHARS } from '#core/knowledge/chunk-text.ts'
import type { AskResultRow } from '#store/ask/ask-threads.ts'
import { votesOn } from '../approvals/current-votes.ts'
import { type KnowledgeQuestion, queryKnowledge } from '../knowledge/query-knowledge.ts'
import type { AskBudget } from '../models/model-call.ts'
import type { AskContext } from './ask-ports.ts'
import { buildAction, proposeRunTool } from './build-action.ts'
import type { AskFinding, AskTool } from './define-ask-tool.ts'
import { explained, parseArguments, runTool, ToolRefusal } from './run-tool.ts'

export interface ToolResult {
  /** one, or one for each chunk that fits */
  results: [AskResultRow, ...AskResultRow[]]
  /** number of chunks that did not fit */
  left_out: number
  use: AskToolUse
  /** of a proposal */
  action?: AskAction
}

/** Executes the model's tool call, and numbers its results from this number on. Throws `ToolRefusal`. */
export async function lookUp(
  ctx: AskContext,
  { tools, budget }: { tools: readonly AskTool[]; budget: AskBudget },
  call: { number: number; name: string; arguments: string },
): Promise<ToolResult> {
  const args = parseArguments(call.arguments)
  const began = ctx.clock()
  const { action, ...finding } = await findOut(ctx, { tools, budget }, { name: call.name, args })
  // secret inputs are not stored
  const kept = action === undefined ? args : { ...objectOf(args), inputs: action.inputs }
  const ms = Math.max(0, Math.round(ctx.clock() - began))
  const [first, ...others] = shownParts(finding)
  const toRow = ({ ref, result }: Shown, index: number): AskResultRow => ({
    id: `t${call.number + index}`,
    tool: call.name,
    ref,
    result,
    args: objectOf(kept),
    digest: `sha256:${ctx.sha256(result)}`,
  })
  return {
    results: [toRow(first, 0), ...others.map((each, index) => toRow(each, index + 1))],
    left_out: Math.max(0, (finding.chunks ?? []).length - others.length - 1),
    use: { name: call.name, args_hash: `sha256:${ctx.sha256(canonicalText(kept))}`, ms, rows: finding.rows },
    ...(action !== undefined && { action }),
  }
}

interface Shown {
  ref: string
  result: string
}

/** Returns the shown part of a result: all of it, or as many whole chunks as fit. */
function shownParts({ data, ref, chunks = [] }: AskFinding): [Shown, ...Shown[]] {
  const [best, ...others] = chunks.map((each) => ({
    ref: each.ref,
    result: shownResult(each.data, MAX_RESULT, MAX_CHUNK_CHARS),
  }))
  if (best === undefined) return [{ ref, result: shownResult(data, MAX_RESULT) }]
  let left = MAX_CHUNKS_CHARS - best.result.length
  const fitting = others.filter(({ result }) => {
    left -= result.length
    return left >= 0
  })
  return [best, ...fitting]
}

async function findOut(
  ctx: AskContext,
  { tools, budget }: { tools: readonly AskTool[]; budget: AskBudget },
  call: { name: string; args: unknown },
): Promise<AskFinding & { action?: AskAction }> {
  if (call.name === proposeRunTool.name) return await explained(() => propose(ctx, call.args))
  const { reads } = ctx.ask
  if (reads === undefined) throw new ToolRefusal('nothing can be read here')
  const { workspace_id, workspace_slug, packs, clock } = ctx
  const read = { workspace_id, in: <T>(query: Parameters<typeof reads.in<T>>[1]) => reads.in(workspace_id, query) }
  const asking = { ...ctx, knowledge: { ...ctx.knowledge, ...ctx.ask.knowledge }, ask_budget: budget }
  const findChunks = (question: KnowledgeQuestion) => queryKnowledge(asking, question)
  const concernsUs = (scope: HaltScope) => concerns(scope, ctx.environments.list(), [workspace_slug])
  const countedOn = async (gateId: string) => {
    const gate = await ctx.decisions.read(gateId)
    const votes = gate === undefined ? [] : await votesOn(ctx, workspace_id, gate)
    return votes.flatMap(({ decision_id }) => decision_id ?? [])
  }
  // nothing else of the request reaches a tool
  return await runTool(tools, { read, packs, clock, concerns: concernsUs, countedOn, findChunks }, call)
}

async function propose(ctx: AskContext, args: unknown): Promise<AskFinding & { action: AskAction }> {
  const { template: name, ...rest } = proposeRunTool.input.parse(args)
  const [pack = '', template = ''] = name.split('/')
  const action = await buildAction(ctx, { pack, template, ...rest })
  const { inputs, missing, environment, preflight, gates_expected, estimate_usd } = action
  const data = {
    template: name,
    inputs,
    missing,
    environment,
    verdict: preflight.verdict,
    gates_expected,
    estimate_usd,
    checks: preflight.checks.filter(({ status }) => status !== 'pass' && status !== 'skipped'),
    next: 'The form is shown beside your answer. A person sends it, or does not.',
  }
  return { data, rows: 1, ref: `/packs/${pack}/${template}/contract`, action }
}
