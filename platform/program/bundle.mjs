import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { access, constants, mkdir, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = fileURLToPath(new URL('.', import.meta.url))

/**
 * @typedef {object} Program
 * @property {string} root directory of the sources
 * @property {string} cache directory of the bundles
 * @property {string} program path from `root` of the file to run
 */

/**
 * The bundle of a program as its sources are now, built when there is none. Rejects when it cannot be kept.
 * @param {Program} wanted
 * @returns {Promise<string>} its path
 */
export async function findBundle(wanted) {
  const { root, cache, program } = wanted
  const { digest, inputs } = await readFile(indexOf(cache, program), 'utf8').then(JSON.parse, () => ({}))
  const path = bundlePath(cache, program, digest)
  if (digest !== undefined && digest === digestOf(root, inputs) && (await exists(path))) return path
  await mkdir(cache, { recursive: true })
  await access(cache, constants.W_OK)
  const { buildBundle } = await import('./build-bundle.mjs')
  return await buildBundle(wanted)
}

/** @param {string} path */
const exists = (path) =>
  access(path).then(
    () => true,
    () => false,
  )

/** @param {string} program */
const nameOf = (program) => program.replaceAll(/\W+/g, '-')

/**
 * Says which bundle of a program was built last, and from what.
 * @param {string} cache
 * @param {string} program
 */
export const indexOf = (cache, program) => join(cache, `${nameOf(program)}.json`)

/**
 * @param {string} cache
 * @param {string} program
 * @param {string} digest
 */
export const bundlePath = (cache, program, digest) => join(cache, `${nameOf(program)}-${digest}`, 'main.mjs')

/**
 * Of everything that a bundle is made from: our files by content, those of packages by size and time. Undefined when a file is gone.
 * @param {string} root
 * @param {readonly string[]} inputs paths from `root`, sorted
 * @param {(path: string) => string | Buffer} read
 * @returns {string | undefined}
 */
export function digestOf(root, inputs, read = (path) => readFileSync(join(root, path))) {
  const hash = createHash('sha256').update(root)
  try {
    for (const file of ['launch.mjs', 'bundle.mjs', 'build-bundle.mjs']) hash.update(readFileSync(join(HERE, file)))
    hash.update(read('package.json'))
    for (const path of inputs)
      hash.update(`\n${path}\n`).update(isPackaged(path) ? stampOf(join(root, path)) : read(path))
  } catch {
    return undefined
  }
  return hash.digest('hex').slice(0, 20)
}

/** @param {string} path */
export const isPackaged = (path) => path.split(sep).includes('node_modules')

/**
 * Archives of file systems keep whole seconds.
 * @param {string} path
 */
function stampOf(path) {
  const { size, mtimeMs } = statSync(path)
  return `${size} ${Math.floor(mtimeMs / 1_000)}`
}
