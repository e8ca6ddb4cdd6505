import { capFromUsd } from '../money.ts'
import type { PipelineSpec, StepSpec } from './bundle-file-schema.ts'
import type { PipelineFacts } from './pipeline-facts.ts'
import { readTimer } from './read-timer.ts'
import type { PipelineDefinition, PipelineStep, TemplateName } from './types.ts'

/** Builds the definition of a valid pipeline. `order`: its steps, each after those that it needs. */
export function compilePipeline(
  name: string,
  { title, description, inputs, outputs, max_usd }: PipelineSpec,
  order: readonly StepSpec[],
  { templates, bundle_digest }: PipelineFacts,
): PipelineDefinition {
  const used = [...new Set(order.flatMap(({ uses, compensate }) => [uses ?? [], compensate ?? []].flat()))].sort()
  return {
    v: 1,
    name,
    title,
    ...(description !== undefined && { description }),
    inputs_schema: inputs,
    steps: order.map(compileStep),
    outputs,
    ...(max_usd !== undefined && { cap_micro_usd: capFromUsd(max_usd) }),
    template_digests: Object.fromEntries(used.map((each) => [each, templates.get(each)?.plan.digest ?? ''])),
    bundle_digest,
  }
}

function compileStep(step: StepSpec): PipelineStep {
  const { id, title = id, needs, when, on_failure, timeout: timeout_ms = 0 } = step
  const base = { id, title, needs, ...(when !== undefined && { when }), on_failure }
  if (step.uses !== undefined)
    return {
      ...base,
      kind: 'run',
      uses: templateName(step.uses),
      with: step.with ?? {},
      gate: step.gate ?? 'none',
      timeout_ms,
      ...(step.for_each !== undefined && { for_each: step.for_each }),
      ...(step.compensate !== undefined && { compensate: templateName(step.compensate) }),
    }
  if (step.on !== undefined)
    return {
      ...base,
      kind: 'event',
      topic: step.on,
      ...(step.matches !== undefined && { matches: step.matches }),
      look_back_ms: step.look_back ?? 0,
      timeout_ms,
    }
  const { timer } = readTimer(step.schedule ?? '', [])
  if (timer === undefined) throw new Error(`step ${id} was not checked`)
  return { ...base, kind: 'timer', timer }
}

function templateName(text: string): TemplateName {
  const [pack = '', template = ''] = text.split('/')
  return { pack, template }
}
