import type { Ingress } from '#core/ingress/ingress.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { PipelineTemplates } from '#core/pipeline/pipeline-facts.ts'
import type { Plan } from '#core/plan/types.ts'
import type { Risk } from '#core/policy/types.ts'
import type { DeclaredSchedule } from '#core/schedule/schema.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import type { PackPolicyDocument } from '../policies/policy-source.ts'
import type { SkillFile } from '../skills/load-skill.ts'
import type { PackManifest } from './pack-schema.ts'

/** A template that can be run: its compiled plan and what people need to know to start it. */
export interface LoadedTemplate {
  pack: string
  template: string
  /** version and digest of the pack */
  version: string
  digest: string
  title: string
  description?: string
  risk: Risk
  inputs_schema: JsonObject
  /** expressions over the steps */
  outputs: JsonObject
  plan: Plan
}

/** A valid pack, from its directory. */
export interface LoadedPack {
  name: string
  version: string
  /** `sha256:` over all its files */
  digest: string
  title: string
  description?: string
  license?: string
  capabilities: string[]
  connections: PackManifest['connections']
  templates: LoadedTemplate[]
  rules: TriggerRule[]
  /** signed webhooks, each with rules of its own */
  ingress: Ingress[]
  policies: PackPolicyDocument[]
  /** paths of its metric contracts */
  metrics?: string[]
  skills: SkillFile[]
  schedules?: DeclaredSchedule[]
}

/** The templates of sound packs, as pipelines name them. */
export function templatesByName(packs: readonly Pick<LoadedPack, 'templates'>[]): PipelineTemplates {
  return new Map(packs.flatMap(({ templates }) => templates.map((each) => [`${each.pack}/${each.template}`, each])))
}
