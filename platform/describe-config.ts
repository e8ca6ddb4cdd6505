import type { Config } from './config.ts'
import { type Environment, environmentSchema, isSetting, metaOf, type SettingName } from './config-schema.ts'

export interface ConfigRow {
  name: string
  /** null when unset */
  value: string | null
  default: string | null
  source: 'env' | 'default'
  takes: string
  meaning: string
}

/** The effective settings for a person: secrets hidden, with the source of each value. */
export function describeConfig(config: Config): ConfigRow[] {
  const defaults = environmentSchema.parse({})
  return Object.keys(environmentSchema.shape)
    .filter(isSetting)
    .map((name) => {
      const { takes, description } = metaOf(name)
      return {
        name,
        value: display(name, config.environment[name]),
        default: display(name, defaults[name]),
        source: config.given.has(name) ? 'env' : 'default',
        takes,
        meaning: description,
      }
    })
}

function display(name: SettingName, value: Environment[SettingName]): string | null {
  if (value === undefined) return null
  const { secret } = metaOf(name)
  if (secret === 'all') return '(hidden)'
  return secret === 'password' ? hidePassword(String(value)) : String(value)
}

function hidePassword(text: string): string {
  const url = new URL(text)
  if (url.password) url.password = 'hidden'
  for (const name of url.searchParams.keys()) if (/pass|key|secret/i.test(name)) url.searchParams.set(name, 'hidden')
  return url.toString()
}
