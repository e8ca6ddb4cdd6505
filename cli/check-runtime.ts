import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createOperators } from '#activities/operators/index.ts'
import { signInToPostgres } from '#activities/operators/postgres/session.ts'
import type { FileFault } from '#core/file-fault.ts'
import { lintPipelines } from '#platform/check/bundle-faults.ts'
import { type CheckedDeployment, checkDeployment } from '#platform/check/check-deployment.ts'
import { type Explanation, explainDeployment } from '#platform/check/explain-deployment.ts'
import { lintPack } from '#platform/check/lint-pack.ts'
import { type PackTestResults, runPackTests } from '#platform/check/pack-tests.ts'
import { type Probe, reachConnections } from '#platform/check/reach.ts'
import { sendTest } from '#platform/check/send-test.ts'
import { isNamedSecret, unsetSecrets } from '#platform/check/unset-secrets.ts'
import type { Config } from '#platform/config.ts'
import { readDefaultPolicies } from '#platform/deployment-content.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { packDirs, SHIPPED } from '#platform/packs/pack-registry.ts'
import type { SecretEnvironment } from '#platform/secrets.ts'
import { unknownSettings, unknownSettingText } from '#platform/unknown-settings.ts'

/** Checks of a deployment and of packs by their files. */
export interface Checks {
  /** `dir` replaces SVC_HOME; its `policies`, `packs` and `pipelines` replace those of the settings. `online`: the service is asked as well */
  deployment(dir?: string, online?: boolean): CheckedDeployment
  /** variables that look like settings and are none */
  settings(checked: CheckedDeployment): FileFault[]
  /** true for a pack that ships with the platform */
  ships(checked: CheckedDeployment, pack: string): boolean
  /** true for the name of one */
  isShipped(name: string): boolean
  /** secrets that are not set on this machine */
  secrets(checked: CheckedDeployment): FileFault[]
  explain(checked: CheckedDeployment, only: { environment?: string; template?: string }): Explanation[]
  connections(checked: CheckedDeployment): Promise<Probe[]>
  channels(checked: CheckedDeployment): Promise<Probe[]>
  /** undefined where there is no pack */
  lint(folder: string): FileFault[] | undefined
  /** of a bundle, or of all in a directory; undefined where there is none */
  pipelines(directory: string): FileFault[] | undefined
  tests(folder: string): (PackTestResults & { faults: FileFault[] }) | undefined
}

type Places = Pick<Config, 'home' | 'policiesDir' | 'packsDir' | 'publicUrl'> &
  Pick<Config, 'pipelinesDir'> & { models: Pick<Config['models'], 'file'> }

/** Builds what checks files on this machine; no service is needed. */
export function createChecks(config: () => Places, env: SecretEnvironment): Checks {
  const egress = createEgressClient()
  const catalog = createOperators({ egress })
  const defaults = readDefaultPolicies()
  const packAt = (folder: string) => (existsSync(join(folder, 'pack.yaml')) ? resolve(folder) : undefined)
  const lintAt = (folder: string) => lintPack({ folder, packDirs: packDirs(config().packsDir), catalog })
  return {
    deployment(dir, online = false) {
      const { home, policiesDir, packsDir, pipelinesDir, models } = dir === undefined ? config() : placesIn(dir)
      return checkDeployment({
        home,
        policiesDir,
        pipelinesDir,
        modelsFile: models.file,
        packDirs: packDirs(packsDir),
        catalog,
        defaults,
        shippedDir: SHIPPED,
        service_checks: online,
      })
    },
    settings: ({ packs, ...checked }) => {
      const files = { ...checked, packs: packs.flatMap(({ loaded }) => loaded ?? []) }
      return unknownSettings(env)
        .filter(({ name }) => !isNamedSecret(files, name))
        .map((each) => ({ file: 'environment variables', message: unknownSettingText(each), warning: true }))
    },
    ships: ({ packs }, pack) => packs.some(({ name, folder }) => name === pack && dirname(folder) === SHIPPED),
    isShipped: (name) => existsSync(join(SHIPPED, name, 'pack.yaml')),
    secrets: ({ packs, ...checked }) => unsetSecrets({ ...checked, packs: ownOf(packs) }, env),
    explain: (checked, only) => explainDeployment(checked, catalog, only),
    connections: ({ environments }) => reachConnections(environments, { env, signIn: signInToPostgres }),
    channels: ({ channels }) =>
      sendTest(channels, { egress, env, now: Date.now, url: config().publicUrl, id: () => `evt_test_${randomUUID()}` }),
    lint(folder) {
      const found = packAt(folder)
      return found === undefined ? undefined : lintAt(found).findings
    },
    pipelines(directory) {
      const { packsDir, pipelinesDir } = config()
      return lintPipelines({ directory, packDirs: packDirs(packsDir), pipelinesDir, catalog })
    },
    tests(folder) {
      const found = packAt(folder)
      if (found === undefined) return undefined
      const { pack } = lintAt(found)
      return { ...runPackTests(pack, catalog, defaults), faults: pack.faults }
    },
  }
}

/** Returns the deployment's own packs: the ingress of shipped ones need not be used. */
function ownOf(packs: CheckedDeployment['packs']) {
  return packs.flatMap(({ folder, loaded }) => (dirname(folder) === SHIPPED ? [] : (loaded ?? [])))
}

function placesIn(dir: string): Omit<Places, 'publicUrl'> {
  const home = resolve(dir)
  return {
    home,
    policiesDir: join(home, 'policies'),
    packsDir: join(home, 'packs'),
    pipelinesDir: join(home, 'pipelines'),
    models: { file: join(home, 'models.yaml') },
  }
}
