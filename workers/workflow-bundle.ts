import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode } from '@temporalio/worker'
import { isThere } from '#platform/program/release-all.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CACHE = join(ROOT, 'node_modules', '.cache', 'svc')

/** The bundle of `workflows/`, built once per content of the code that it may import. Answers its path. */
export async function prepareWorkflowBundle(): Promise<string> {
  const path = join(CACHE, `workflows-${await contentDigest()}.js`)
  if (await isThere(path)) return path
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(ROOT, 'workflows', 'index.ts'),
    workflowInterceptorModules: [join(ROOT, 'workflows', 'interceptors.ts')],
    logger: quiet,
  })
  await mkdir(dirname(path), { recursive: true })
  const draft = `${path}.${process.pid}`
  await writeFile(draft, code)
  await rename(draft, path)
  return path
}

async function contentDigest(): Promise<string> {
  const hash = createHash('sha256').update(createRequire(import.meta.url)('@temporalio/worker/package.json').version)
  for (const folder of ['core', 'workflows']) {
    const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true })
    const files = entries
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name))
    for (const file of files.sort()) hash.update(file.slice(ROOT.length)).update(await readFile(file))
  }
  return hash.digest('hex').slice(0, 20)
}

const silent = () => undefined
const quiet = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent }
