import { join } from 'node:path'
import { EnvironmentFile, ProfileFile } from '#core/environment/schema.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { loadRules } from '#platform/packs/load-rules.ts'
import { parseNamed } from './parse-named.ts'
import { createYamlFolder, type ParsedFile, type YamlFolder } from './yaml-folder.ts'

/** What a deployment has written down in its data directory. */
export interface EnvironmentFiles {
  environments: YamlFolder<EnvironmentFile>
  profiles: YamlFolder<ProfileFile>
  rules: YamlFolder<TriggerRule[]>
}

/** `environments/*.yaml`, `profiles/*.yaml` and `rules/*.yaml` of a data directory. */
export function createEnvironmentFiles(home: string): EnvironmentFiles {
  return {
    environments: createYamlFolder(home, 'environments', (file, bytes) => parseNamed(EnvironmentFile, file, bytes), {
      marker: join(home, 'environments.held'),
    }),
    profiles: createYamlFolder(home, 'profiles', (file, bytes) => parseNamed(ProfileFile, file, bytes), {
      marker: join(home, 'profiles.held'),
    }),
    rules: createYamlFolder(home, 'rules', parseRules),
  }
}

function parseRules(file: string, bytes: Uint8Array): ParsedFile<TriggerRule[]> {
  const loaded = loadRules(bytes, { layer: 'overlay', file })
  return 'faults' in loaded ? { faults: loaded.faults } : { value: loaded.rules }
}
