import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import type { RunContext } from '#core/run/context-schema.ts'
import { visible } from '#core/text/visible-text.ts'
import type { RunViews } from '#store/runs/run-views.ts'
import type { SimilarRunRow, SimilarRuns } from '#store/runs/similar-runs.ts'
import { nameFor } from '../auth/may.ts'
import { findRunbook } from '../knowledge/find-runbook.ts'
import type { KnowledgeContext } from '../knowledge/knowledge-ports.ts'

const MAX_SIMILAR = 5

/** Returns how similar runs ended and the passage of a runbook. A foreign run is treated as unknown. */
export async function getRunContext(
  ctx: Pick<KnowledgeContext, 'workspace_id' | 'environments' | 'knowledge'> & {
    actor: Pick<Actor, 'roles' | 'scopes'>
    views: RunViews
    similar: SimilarRuns
  },
  runId: string,
): Promise<RunContext> {
  const run = await ctx.views.find(ctx.workspace_id, runId)
  if (!run) throw new DomainError('not_found', `no run ${runId}`)
  const { environment, template, inputs, trigger } = run
  const service = typeof inputs['service'] === 'string' ? inputs['service'] : undefined
  const [similar, runbook] = await Promise.all([
    ctx.similar.of(ctx.workspace_id, runId, MAX_SIMILAR),
    findRunbook(ctx, { environment, template, alert: trigger?.alert, service: trigger?.alert.service ?? service }),
  ])
  return {
    run_id: runId,
    similar: similar.map((row) => toSimilar(ctx.actor, row)),
    ...(runbook !== undefined && { runbook }),
  }
}

function toSimilar(
  actor: Pick<Actor, 'roles' | 'scopes'>,
  { error, decided, ...row }: SimilarRunRow,
): RunContext['similar'][number] {
  return {
    ...row,
    ...(error !== null && { error: visible(error) }),
    decided: decided.map(({ by, name, decision, at, note }) => {
      const shown = nameFor(actor, name)
      return {
        by: visible(by),
        ...(shown !== undefined && { name: shown }),
        decision,
        at,
        ...(note !== null && { note: visible(note) }),
      }
    }),
  }
}
