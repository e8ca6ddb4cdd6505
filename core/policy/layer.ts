import type { PolicyRule, PolicyScope } from './schema.ts'
import type { PolicyLayer } from './types.ts'

/** A valid policy and its source. */
export interface Policy {
  name: string
  layer: PolicyLayer
  source: string
  /** its pack; only in the layer `pack` */
  pack?: string
  /** only in the layer `console` */
  author?: string
  scope: PolicyScope
  rules: PolicyRule[]
}

/** A fault in a policy: `path` inside the document, `line` and `column` (from 1) in its source. */
export interface PolicyProblem {
  message: string
  path: (string | number)[]
  line?: number
  column?: number
}

/** A policy that cannot be trusted: the gate is on inside `scope`. */
export interface BrokenPolicy {
  /** its name, else its source */
  label: string
  /** absent when it could not be read; then nothing can override it */
  name?: string
  layer: PolicyLayer
  source: string
  pack?: string
  scope: PolicyScope
  problems: PolicyProblem[]
  /** its last good version, and those that were removed from beside it: their demands stay in force */
  last?: Policy[]
}

/** The policies of one layer. */
export interface LayerPolicies {
  policies: Policy[]
  broken: BrokenPolicy[]
}

export type PolicyLayers = Record<PolicyLayer, LayerPolicies>

/** The policies of all layers for a workspace, attached or not. */
export interface PolicyLayerSource {
  layers(workspaceId?: string): Promise<PolicyLayers>
}

export const EMPTY_LAYER: LayerPolicies = { policies: [], broken: [] }

export function joinLayers(parts: LayerPolicies[]): LayerPolicies {
  return { policies: parts.flatMap((part) => part.policies), broken: parts.flatMap((part) => part.broken) }
}

/** `guard.yaml:4:13: rules[0].effect: unknown effect "DENY": …` */
export function problemText(source: string, problem: PolicyProblem): string {
  const place = [source, problem.line, problem.column].filter((part) => part !== undefined).join(':')
  const path = problem.path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? key : `${text}.${key}`),
    '',
  )
  return [place, path, problem.message].filter((part) => part !== '').join(': ')
}
