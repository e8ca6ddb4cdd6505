import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { OperatorCatalog } from '#core/operator.ts'
import type { Config } from './config.ts'
import type { ConsoleSettingsOptions } from './environments/console-settings.ts'
import { createEnvironmentSource } from './environments/environment-source.ts'
import type { Logger } from './logger.ts'
import { templatesByName } from './packs/loaded-pack.ts'
import { createPackRegistry, packDirs } from './packs/pack-registry.ts'
import { pipelineRoots } from './pipelines/pipeline-roots.ts'
import { createPipelineSource } from './pipelines/pipeline-source.ts'
import { createPolicyNames } from './policies/policy-names.ts'
import { createPolicySource, type PackPolicyDocument, type PolicySourceOptions } from './policies/policy-source.ts'
import { createScheduleSource } from './schedules/schedule-source.ts'
import type { SecretEnvironment } from './secrets.ts'
import { createSkillCatalogue } from './skills/skill-catalogue.ts'

export const DEFAULT_POLICIES_DIR = fileURLToPath(new URL('../policies', import.meta.url))

export interface ContentOptions {
  config: Config
  operators: OperatorCatalog
  consolePolicies: PolicySourceOptions['consolePolicies']
  /** loads the console's environments and profiles */
  consoleSettings?: ConsoleSettingsOptions['load']
  log: Logger
  /** the variables that secret references name */
  env?: SecretEnvironment
}

/** Makes the content of a deployment: packs, policies and environments, each followed while the process runs. */
export function createDeploymentContent({
  config,
  operators,
  consolePolicies,
  consoleSettings,
  log,
  env,
}: ContentOptions) {
  const packs = createPackRegistry({
    dirs: packDirs(config.packsDir),
    optional: join(config.home, 'packs'),
    catalog: operators,
    log,
  })
  const environments = createEnvironmentSource({
    home: config.home,
    log,
    open: config.auth.jwtSecret === undefined,
    env: env ?? {},
    ...(consoleSettings !== undefined && { console: { load: consoleSettings } }),
  })
  const skills = createSkillCatalogue({ packs, home: config.home, log })
  const schedules = createScheduleSource({ packs, skills, home: config.home, log })
  const { pipelinesDir } = config
  const pipelines = createPipelineSource({
    roots: () =>
      pipelineRoots({
        pipelinesDir,
        packDirs: packDirs(config.packsDir),
        optional: pipelinesDir === join(config.home, 'pipelines'),
      }).filter(({ pack }) => pack === undefined || packs.list().some(({ name }) => name === pack)),
    templates: () => templatesByName(packs.list()),
  })
  const defaults = readDefaultPolicies()
  const policies = createPolicySource({
    overlayDir: config.policiesDir,
    overlayRequired: config.policiesDir !== join(config.home, 'policies'),
    heldFile: join(config.home, 'policies.held'),
    packPolicies: () => [...defaults, ...packs.policies()],
    consolePolicies,
    names: createPolicyNames({ packs, environments, operators }),
    log,
  })
  return {
    packs,
    skills,
    schedules,
    pipelines,
    environments,
    policies,
    close(): void {
      policies.close()
      schedules.close()
      skills.close()
      packs.close()
      environments.close()
    },
  }
}

/** The platform's own defaults are in the pack layer, so that every deployment can override them by name. */
export function readDefaultPolicies(): PackPolicyDocument[] {
  return readdirSync(DEFAULT_POLICIES_DIR)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => ({
      pack: 'svc',
      source: `policies/${file}`,
      text: readFileSync(`${DEFAULT_POLICIES_DIR}/${file}`, 'utf8'),
    }))
}
