import { silentPattern } from '../bus/known-topics.ts'
import { matchTopics } from '../bus/topic.ts'
import { DomainError } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import type { NamesInScope } from '../plan/check-references.ts'
import { checkCondition, checkList, checkValue } from '../plan/check-value.ts'
import type { Fault } from '../plan/fault.ts'
import { expressionType, mayBe } from '../plan/value-type.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import type { StepSpec } from './bundle-file-schema.ts'
import { checkCompensation, checkWith } from './check-with.ts'
import type { PipelineTemplates } from './pipeline-facts.ts'
import { readTimer } from './read-timer.ts'
import { EVENT_VARIABLES, ITEM_VARIABLES, withVariables } from './step-names.ts'

/** Keys of a step that decide its kind. */
const KINDS = ['uses', 'schedule', 'on'] as const
type Kind = (typeof KINDS)[number]

/** Keys that only steps of one kind take. */
const ONLY_WITH = {
  with: 'uses',
  gate: 'uses',
  for_each: 'uses',
  compensate: 'uses',
  matches: 'on',
  look_back: 'on',
} as const satisfies Partial<Record<keyof StepSpec, Kind>>
const CHOOSY = Object.keys(ONLY_WITH) as (keyof typeof ONLY_WITH)[]

export interface StepPlace {
  path: Fault['path']
  /** of the steps that have ended when this one begins */
  names: NamesInScope
  templates: PipelineTemplates
  /** schema of the inputs of the pipeline */
  inputs: JsonObject
}

/** Returns every fault of one step. */
export function checkStep(step: StepSpec, place: StepPlace): Fault[] {
  const { path, names } = place
  return [
    ...checkKind(step, path),
    ...(step.when === undefined ? [] : checkCondition(step.when, [...path, 'when'], names)),
    ...checkRun(step, place),
    ...(step.schedule === undefined ? [] : readTimer(step.schedule, [...path, 'schedule']).faults),
    ...(typeof step.schedule === 'string' ? checkValue(step.schedule, [...path, 'schedule'], names) : []),
    ...checkEvent(step, place),
  ]
}

function checkKind(step: StepSpec, path: Fault['path']): Fault[] {
  const found = KINDS.filter((kind) => step[kind] !== undefined)
  const [kind, second] = found
  if (kind === undefined)
    return [{ path: [...path, 'id'], message: `step ${step.id} does nothing: give it uses, schedule or on` }]
  if (second !== undefined)
    return [
      {
        path: [...path, second],
        message: `a step has exactly one of uses, schedule and on, but ${step.id} has ${found.join(' and ')}; split it`,
        key: true,
      },
    ]
  return [
    ...CHOOSY.filter((key) => step[key] !== undefined && ONLY_WITH[key] !== kind).map((key) => ({
      path: [...path, key],
      message: `${key} only works with ${ONLY_WITH[key]}, but ${step.id} has ${kind}: remove it`,
      key: true,
    })),
    ...checkTimeout(step, kind, path),
  ]
}

function checkTimeout({ id, timeout }: StepSpec, kind: Kind, path: Fault['path']): Fault[] {
  if (kind === 'schedule') {
    const message = 'a schedule takes no timeout: remove it'
    return timeout === undefined ? [] : [{ path: [...path, 'timeout'], message, key: true }]
  }
  const message = `step ${id} has no timeout: add one, such as timeout: 10m`
  return timeout === undefined ? [{ path: [...path, kind], message, key: true }] : []
}

function checkRun(step: StepSpec, { path, names, templates, inputs: known }: StepPlace): Fault[] {
  const { uses, for_each, compensate, with: inputs = {} } = step
  if (uses === undefined) return []
  const perRun = for_each === undefined ? names : withVariables(names, ITEM_VARIABLES)
  const template = templates.get(uses)
  const undo = compensate === undefined ? undefined : templates.get(compensate)
  return [
    ...checkTemplate(uses, [...path, 'uses'], templates),
    ...checkValue(inputs, [...path, 'with'], perRun),
    ...(for_each === undefined
      ? []
      : checkItems(for_each.items, [...path, 'for_each', 'items'], { names, inputs: known })),
    ...(template === undefined ? [] : checkWith({ run: uses, inputs, known }, template, path)),
    ...(compensate === undefined ? [] : checkTemplate(compensate, [...path, 'compensate'], templates)),
    ...(compensate === undefined || undo === undefined || template === undefined
      ? []
      : checkCompensation(compensate, undo, { run: uses, inputs, template }, path)),
  ]
}

function checkItems(
  items: string,
  path: Fault['path'],
  { names, inputs }: Pick<StepPlace, 'names' | 'inputs'>,
): Fault[] {
  const faults = checkList(items, path, names)
  const type = expressionType(items, { inputs })
  if (faults.length > 0 || mayBe(type, 'array')) return faults
  return [{ path, message: `a list is needed here, but ${items.trim()} has the type ${type}` }]
}

function checkTemplate(name: string, path: Fault['path'], templates: PipelineTemplates): Fault[] {
  if (templates.has(name)) {
    const message = `${name} cannot be loaded, so this step cannot be checked: fix its pack first`
    return templates.get(name) === undefined ? [{ path, message }] : []
  }
  const all = [...templates.keys()]
  const own = all.filter((each) => each.split('/')[0] === name.split('/')[0])
  const hint = didYouMean(name, own) || didYouMean(name, all)
  return [{ path, message: `there is no template ${name}${hint}` }]
}

function checkEvent({ on, matches }: StepSpec, { path, names }: StepPlace): Fault[] {
  const condition =
    matches === undefined ? [] : checkCondition(matches, [...path, 'matches'], withVariables(names, EVENT_VARIABLES))
  if (on === undefined) return condition
  try {
    matchTopics([on])
    const silent = silentPattern(on)
    return [...(silent === undefined ? [] : [{ path: [...path, 'on'], message: silent, warning: true }]), ...condition]
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return [{ path: [...path, 'on'], message: error.message }, ...condition]
  }
}
