import type { Environment, Profile } from '#core/environment/environment.ts'
import { DomainError, type FieldError } from '#core/errors.ts'
import { type JsonObject, pointerParts } from '#core/json/json.ts'
import { compileSchedule } from '#core/schedule/compile-schedule.ts'
import type { FireRule } from '#core/schedule/next-fires.ts'
import type { ScheduleDraft } from '#core/schedule/schema.ts'
import { secretPaths } from '#core/secret/secret-paths.ts'
import { splitSecrets } from '#core/secret/split-secrets.ts'
import type { LoadedTemplate } from '#platform/packs/pack-registry.ts'
import type { ServiceContext } from '../context.ts'
import { chooseEnvironment } from '../runs/choose-environment.ts'
import { mustFit } from '../runs/configure-inputs.ts'

export interface CheckedDraft {
  rule: FireRule
  template: LoadedTemplate
  environment: Environment
  profile: Profile
  /** with the defaults of the template's schema */
  inputs: JsonObject
}

type Wanted = Pick<
  ScheduleDraft,
  | 'cron'
  | 'timezone'
  | 'days'
  | 'dst'
  | 'pack'
  | 'template'
  | 'inputs'
  | 'environment'
  | 'profile'
  | 'config_preset'
  | 'preset_version'
>

/** Checks all of a schedule that can be checked before it fires. Throws `invalid_schedule` or `validation_failed`. */
export function checkDraft(
  ctx: Pick<ServiceContext, 'environments' | 'clock' | 'workspace_slug' | 'default_environment'> & {
    packs: Pick<ServiceContext['packs'], 'findTemplate'>
  },
  draft: Wanted,
): CheckedDraft {
  const rule = compileSchedule(draft, ctx.clock())
  refusePreset(draft)
  const template = ctx.packs.findTemplate(draft.pack, draft.template)
  if (template === undefined)
    throw invalid(`there is no template ${draft.pack}/${draft.template}`, ['template'], 'unknown_template')
  const normalized = mustFit(template.inputs_schema, draft.inputs)
  refuseSecrets(template, draft.inputs)
  const { environment, profile } = chooseEnvironment(ctx, {
    ...(draft.environment !== undefined && { environment: draft.environment }),
    ...(draft.profile !== undefined && { profile: draft.profile }),
  })
  return { rule, template, environment, profile, inputs: normalized }
}

/** A schedule is read by many and kept for long: it is no place for a secret. */
function refuseSecrets({ inputs_schema }: LoadedTemplate, inputs: JsonObject): void {
  const [pointer] = Object.keys(splitSecrets(inputs, secretPaths(inputs_schema)).secrets)
  if (pointer === undefined) return
  throw invalid(
    'a schedule cannot keep a secret: let the template take it from a connection',
    ['inputs', ...pointerParts(pointer)],
    'secret_input',
  )
}

/** Presets are in the database, and files are checked without it. Callers with a database resolve them first. */
function refusePreset({ config_preset, preset_version }: Wanted): void {
  if (config_preset !== undefined)
    throw invalid('a file names no config preset: give the inputs', ['config_preset'], 'unknown_config_preset')
  if (preset_version !== undefined)
    throw invalid('preset_version needs config_preset', ['preset_version'], 'unknown_config_preset')
}

function invalid(message: string, loc: string[], type: string): DomainError {
  const error: FieldError = { pointer: `/${loc.join('/')}`, loc, msg: message, type }
  return new DomainError('validation_failed', message, { errors: [error] })
}
