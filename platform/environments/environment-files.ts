import { join, posix } from 'node:path'
import type { z } from 'zod'
import { EnvironmentFile, ProfileFile } from '#core/environment/schema.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { loadRules } from '../packs/load-rules.ts'
import { parseDocument } from '../packs/parse-document.ts'
import { createYamlFolder, type ParsedFile, type YamlFolder } from './yaml-folder.ts'

/** The environment and profile files of a data directory. */
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

/** A file has the name of its content, so that no two files can describe the same. */
export function parseNamed<Schema extends z.ZodType<{ name: string }>>(
  schema: Schema,
  file: string,
  bytes: Uint8Array,
): ParsedFile<z.output<Schema>> {
  const parsed = parseDocument(schema, file, bytes)
  if (Array.isArray(parsed)) return { faults: parsed }
  const { data, yaml } = parsed
  if (posix.basename(file).replace(/\.ya?ml$/i, '') === data.name) return { value: data }
  return {
    faults: [
      yaml.place({ path: ['name'], message: `the name is ${data.name}, so the file must be called ${data.name}.yaml` }),
    ],
  }
}
