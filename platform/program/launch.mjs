import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findBundle } from './bundle.mjs'
import { nameSourcesIn } from './source-stack.mjs'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Where what is built from the sources is kept: outside of them, and where packages are still found. */
export const CACHE = join(ROOT, 'node_modules', '.cache', 'svc')

/**
 * Runs a program of ours from its bundle; from its sources where none can be kept.
 * @param {string} program its path from the root
 * @param {readonly string[]} args what it finds in `process.argv`
 */
export async function launch(program, args) {
  const path = join(ROOT, program)
  process.argv = [process.argv[0] ?? '', path, ...args]
  const bundle = await findBundle({ root: ROOT, cache: CACHE, program }).catch(() => undefined)
  if (bundle === undefined) {
    const { register } = await import('tsx/esm/api')
    register()
  } else nameSourcesIn(new URL('.', pathToFileURL(bundle)).href)
  await import(pathToFileURL(bundle ?? path).href)
}
