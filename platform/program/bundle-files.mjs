import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = fileURLToPath(new URL('.', import.meta.url))
export const MAIN = 'main.mjs'

/**
 * @typedef {object} Program
 * @property {string} root directory of the sources
 * @property {string} cache directory of the bundles
 * @property {string} program path from `root` of the file to run
 */

/**
 * What the names of the bundles of a program begin with: checkouts that share a cache have their own.
 * @param {Program} wanted
 */
export const nameOf = ({ root, program }) =>
  `${program.replaceAll(/\W+/g, '-')}-${createHash('sha256').update(root).digest('hex').slice(0, 8)}`

/**
 * Says which bundle of a program was built last, from what, and the sizes of its files.
 * @param {Program} wanted
 */
export const indexOf = (wanted) => join(wanted.cache, `${nameOf(wanted)}.json`)

/**
 * @param {Program} wanted
 * @param {string} digest
 */
export const folderOf = (wanted, digest) => join(wanted.cache, `${nameOf(wanted)}-${digest}`)

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
    for (const file of ['launch.mjs', 'bundle.mjs', 'bundle-files.mjs', 'build-bundle.mjs'])
      hash.update(readFileSync(join(HERE, file)))
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
