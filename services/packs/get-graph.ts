import { type PlanGraph, planGraph } from '#core/plan/graph.ts'
import { findTemplate } from './find-template.ts'
import { explainIn, type PlanContext, placeOf } from './plan-context.ts'

/** The steps of a template as a graph, with the gates that are to be expected where it would run. */
export async function getGraph(
  ctx: PlanContext,
  wish: { pack: string; template: string; environment?: string | undefined },
): Promise<PlanGraph> {
  const { plan } = findTemplate(ctx, wish.pack, wish.template)
  const explained = await explainIn(ctx, plan, placeOf(ctx, { environment: wish.environment }))
  const gates = explained && new Set(explained.steps.filter((each) => each.outcome === 'gate').map(({ step }) => step))
  return planGraph(plan, (step) => gates?.has(step) ?? true)
}
