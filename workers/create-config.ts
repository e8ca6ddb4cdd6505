import { join } from 'node:path'
import type { AuditLine } from '#core/audit/types.ts'
import { EnvironmentFile, ProfileFile } from '#core/environment/schema.ts'
import type { Ids } from '#core/id.ts'
import type { Clock } from '#core/time/time.ts'
import type { Config } from '#platform/config.ts'
import { DEFAULT_POLICIES_DIR } from '#platform/deployment-content.ts'
import { parseNamed } from '#platform/environments/environment-files.ts'
import type { Logger } from '#platform/logger.ts'
import { packDirs } from '#platform/packs/pack-registry.ts'
import { parsePolicyYaml } from '#platform/policies/parse-policy-yaml.ts'
import { createProtectiveFiles } from '#platform/protective-files/protective-files.ts'
import { sha256 } from '#platform/sha256.ts'
import { createConfigItems } from '#store/authored/config-items.ts'
import type { Db } from '#store/db.ts'
import { createConfigWatch } from './loops/config-watch.ts'

export interface ConfigParts {
  config: Pick<Config, 'home' | 'policiesDir' | 'packsDir'>
  db: Db
  audit: Pick<AuditLine, 'offer'>
  leading(): boolean
  ids: Ids
  clock: Clock
  log: Logger
}

/** Keeps the record of everything that protects. */
export function createConfig({ config, db, audit, leading, ids, clock, log }: ConfigParts) {
  const { home, policiesDir, packsDir } = config
  const dirs = packDirs(packsDir)
  const { read } = createProtectiveFiles({ home, policiesDir, packDirs: dirs, defaultsDir: DEFAULT_POLICIES_DIR })
  return createConfigWatch({
    items: createConfigItems(db),
    read,
    parsePolicies: parsePolicyYaml,
    parseEnvironment: (file, text) => parseNamed(EnvironmentFile, file, Buffer.from(text)).value,
    parseProfile: (file, text) => parseNamed(ProfileFile, file, Buffer.from(text)).value,
    audit,
    sha256,
    clock,
    ids,
    directories: [
      policiesDir,
      ...['environments', 'profiles', 'rules', 'schedules', 'skills'].map((folder) => join(home, folder)),
      ...dirs,
    ],
    leading,
    log,
  })
}
