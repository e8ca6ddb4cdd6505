import { type ConfigChange, loosenedGates } from '#core/config/changes.ts'
import { loosenedSettings } from '#core/config/loosened-settings.ts'
import type { ConfigItem, KnownItem } from '#core/config/types.ts'
import { applyEnvironmentFile, profileFromFile, SEEDED_ENVIRONMENTS } from '#core/environment/defaults.ts'
import type { EnvironmentFile, ProfileFile } from '#core/environment/schema.ts'

/** Parsers of files; undefined results for broken ones. */
export interface SettingsParsers {
  parseEnvironment(file: string, text: string): EnvironmentFile | undefined
  parseProfile(file: string, text: string): ProfileFile | undefined
}

/** Settings of the file of an environment or a profile by which a change may have loosened something. */
export function loosenedByFile(parsers: SettingsParsers, { before, after }: ConfigChange): string[] {
  const item = after ?? before
  if (item === undefined || !/^[^/]+\/[^/]+\.ya?ml$/i.test(item.item)) return []
  if (item.kind === 'environment') {
    const read = (file: string, text: string) => {
      const parsed = parsers.parseEnvironment(file, text)
      const seeded = SEEDED_ENVIRONMENTS.find(({ name }) => name === parsed?.name)
      return parsed && applyEnvironmentFile(seeded, parsed)
    }
    return compared(before, after, read, loosenedSettings)
  }
  if (item.kind !== 'profile') return []
  const read = (file: string, text: string) => {
    const parsed = parsers.parseProfile(file, text)
    return parsed && profileFromFile(parsed)
  }
  return compared(before, after, read, loosenedGates)
}

function compared<Value>(
  before: KnownItem | undefined,
  after: ConfigItem | undefined,
  read: (file: string, text: string) => Value | undefined,
  compare: (was: Value | undefined, is: Value | undefined) => string[],
): string[] {
  const wasThere = before !== undefined && before.state !== null
  const was = wasThere && before.body !== undefined ? read(before.item, before.body) : undefined
  const is = after?.body === undefined ? undefined : read(after.item, after.body)
  // a file that breaks keeps its last values
  if (after !== undefined && is === undefined) return []
  return wasThere && was === undefined ? ['unknown'] : compare(was, is)
}
