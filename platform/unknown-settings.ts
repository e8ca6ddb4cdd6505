import { nearestName } from '#core/text/did-you-mean.ts'
import { environmentSchema } from './config-schema.ts'
import { SECRET_FILE_SETTINGS } from './secret-settings.ts'

/** A variable that looks like a setting and is none. */
export interface UnknownSetting {
  name: string
  /** the setting that was most likely meant */
  nearest?: string
}

/** Without them less is protected than the one who misspelt them believes. */
const PROTECTIVE = [
  'OBS_JWT_SECRET',
  'OBS_JWT_SECRET_FILE',
  'SVC_SECRET_KEY',
  'SVC_SECRET_KEY_FILE',
  'SVC_SECRET_KEYS',
  'SVC_SECRET_KEYS_FILE',
  'SVC_POLICIES_DIR',
  'SVC_PACKS_DIR',
  'SVC_APPROVAL_TTL_HOURS',
]

/** Variables of ours by their prefix that no setting has. They may be meant, as the secret that a file names with `env:`. */
export function unknownSettings(env: Record<string, string | undefined>): UnknownSetting[] {
  const settings = [...Object.keys(environmentSchema.shape), ...SECRET_FILE_SETTINGS]
  return Object.keys(env)
    .filter((name) => /^(SVC|OBS)_/.test(name) && env[name] && !settings.includes(name))
    .sort()
    .map((name) => {
      const nearest = nearestName(name, settings)
      return nearest === undefined ? { name } : { name, nearest }
    })
}

/** Tells whether ignoring the variable would be unsafe. */
export function isProtective({ nearest }: UnknownSetting, env: Record<string, string | undefined>): boolean {
  return nearest !== undefined && PROTECTIVE.includes(nearest) && !env[nearest]
}

/** `SVC_HOMME is no setting; did you mean SVC_HOME?` */
export function unknownSettingText({ name, nearest }: UnknownSetting): string {
  const hint =
    nearest === undefined ? `nothing but a reference such as env:${name} reads it` : `did you mean ${nearest}?`
  return `${name} is no setting; ${hint}`
}
