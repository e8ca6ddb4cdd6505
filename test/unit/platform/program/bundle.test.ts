import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { findBundle } from '#platform/program/bundle.mjs'

const PROGRAM_FOLDER = fileURLToPath(new URL('../../../../platform/program', import.meta.url))
const PACKAGES = fileURLToPath(new URL('../../../../node_modules', import.meta.url))
const run = promisify(execFile)
const roots: string[] = []

afterEach(async () => {
  for (const root of roots.splice(0)) await rm(root, { recursive: true, force: true })
})

/** A project of its own, with the packages that build and run it. */
function project(files: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), 'svc-program-'))
  roots.push(root)
  for (const folder of ['app', 'platform', 'node_modules']) mkdirSync(join(root, folder))
  for (const name of ['esbuild', '@esbuild', 'tsx', 'get-tsconfig', 'resolve-pkg-maps'])
    if (readdirSync(PACKAGES).includes(name)) symlinkSync(join(PACKAGES, name), join(root, 'node_modules', name))
  const write = (path: string, text: string) => writeFileSync(join(root, path), text)
  write('package.json', '{ "type": "module", "imports": { "#app/*": "./app/*" } }')
  for (const [path, text] of Object.entries(files)) write(path, text)
  const cache = join(root, 'node_modules', '.cache', 'svc')
  return { root, write, cache, bundle: () => findBundle({ root, cache, program: 'app/main.ts' }) }
}

const GREETING = {
  'app/main.ts': `import { greet } from '#app/greet.ts'\nconsole.log(greet(process.argv[2]))\n`,
  'app/greet.ts': `import { readFileSync } from 'node:fs'\nexport const greet = (name: string | undefined) => readFileSync(new URL('word.txt', import.meta.url), 'utf8') + name\n`,
  'app/word.txt': 'Hello, ',
}

const LAZY = {
  'app/main.ts': `const { word } = await import('#app/late.ts')\nconsole.log(word)\n`,
  'app/late.ts': `export const word = 'late'\n`,
}

const DAY_S = 86_400

/** Seconds since the bundle at `path` was last used. */
const ageOf = (path: string) => (Date.now() - statSync(dirname(path)).mtimeMs) / 1_000

function setAge(path: string, seconds: number) {
  const at = Date.now() / 1_000 - seconds
  utimesSync(dirname(path), at, at)
}

const output = async (path: string, ...args: string[]) => (await run(process.execPath, [path, ...args])).stdout.trim()

describe('the bundle of a program', () => {
  test('is one build for each content, finds the files beside its sources, and is never older than they are', async () => {
    const { write, bundle, cache } = project(GREETING)
    const first = await bundle()
    expect(await output(first, 'Ann')).toBe('Hello, Ann')
    expect(await bundle()).toBe(first)

    write('app/word.txt', 'Dear ')
    expect(await output(await bundle(), 'Ann')).toBe('Dear Ann')

    write('app/greet.ts', `export const greet = (name: string | undefined) => 'Goodbye, ' + name\n`)
    const second = await bundle()
    expect(second).not.toBe(first)
    expect(await output(second, 'Ann')).toBe('Goodbye, Ann')

    write('app/greet.ts', GREETING['app/greet.ts'])
    expect(await bundle()).toBe(first)
    expect(readdirSync(cache).filter((name) => name.startsWith('draft'))).toEqual([])
  })

  test('a changed map of imports counts as a change', async () => {
    const { write, bundle } = project({ ...GREETING, 'app/other.ts': `export const greet = () => 'other'\n` })
    await bundle()
    write('package.json', '{ "type": "module", "imports": { "#app/greet.ts": "./app/other.ts" } }')
    expect(await output(await bundle())).toBe('other')
  })

  test('finds what a CommonJS package exports, however it is imported', async () => {
    const { write, root, bundle } = project({
      'app/main.ts': `import { word } from 'old'\nconst later = await import('old')\nconsole.log(word, later.word)\n`,
    })
    mkdirSync(join(root, 'node_modules', 'old'))
    write('node_modules/old/package.json', '{ "name": "old", "main": "index.js" }')
    write('node_modules/old/index.js', `exports.word = 'kept'`)
    expect(await output(await bundle())).toBe('kept kept')
  })

  test.each([
    ['its main file is empty', 'main.mjs', ''],
    ['a file that is imported later is cut', /^late.*\.mjs$/, 'export'],
    ['a file that is imported later is gone', /^late.*\.mjs$/, undefined],
    ['its index is cut', '../index', '{ "digest": '],
    ['its index holds nothing', '../index', 'null'],
  ])('is rebuilt when %s', async (_, damaged, text) => {
    const { bundle, cache } = project(LAZY)
    const path = await bundle()
    const folder = dirname(path)
    const index = readdirSync(cache).find((name) => name.endsWith('.json')) ?? ''
    const name = damaged === '../index' ? `../${index}` : readdirSync(folder).find((file) => file.match(damaged))
    const victim = join(folder, name ?? '')
    const whole = readFileSync(victim, 'utf8')
    rmSync(victim)
    if (text !== undefined) writeFileSync(victim, text)
    expect(await bundle()).toBe(path)
    expect(readFileSync(victim, 'utf8')).toBe(whole)
    expect(await output(path)).toBe('late')
    expect(readdirSync(cache).filter((file) => file.startsWith('draft'))).toEqual([])
  })

  test('stays for a process that runs from it, however many are built after it', async () => {
    const { write, bundle } = project(LAZY)
    const first = await bundle()
    for (let n = 0; n < 4; n += 1) {
      write('app/main.ts', `console.log(${n})\n`)
      await bundle()
    }
    expect(await output(first)).toBe('late')
  })

  test('goes when no start has used it for seven days and three are newer', async () => {
    const { write, bundle } = project(GREETING)
    const version = async (n: number) => {
      write('app/greet.ts', `export const greet = () => ${n}\n`)
      return await bundle()
    }
    const built: string[] = []
    for (let n = 0; n < 5; n += 1) built.push(await version(n))
    built.forEach((path, n) => {
      setAge(path, (n < 4 ? 8 * DAY_S : 6 * DAY_S) - n)
    })
    await version(5)
    expect(built.map((path) => existsSync(path))).toEqual([false, false, false, true, true])
  })

  test('is marked as used at a start, at most once an hour', async () => {
    const { bundle } = project(GREETING)
    const path = await bundle()
    setAge(path, 1_800)
    await bundle()
    expect(ageOf(path)).toBeGreaterThan(1_700)
    setAge(path, 8 * DAY_S)
    await bundle()
    expect(ageOf(path)).toBeLessThan(600)
  })

  test('of another checkout that shares the packages is neither removed nor rebuilt', async () => {
    const [ours, theirs] = [project(GREETING), project(GREETING)]
    const first = await ours.bundle()
    const index = readdirSync(ours.cache).filter((name) => name.endsWith('.json'))
    setAge(first, 8 * DAY_S)
    for (let n = 0; n < 5; n += 1) {
      theirs.write('app/greet.ts', `export const greet = () => ${n}\n`)
      const path = await findBundle({ root: theirs.root, cache: ours.cache, program: 'app/main.ts' })
      setAge(path, n)
    }
    expect(await output(first, 'Ann')).toBe('Hello, Ann')
    const written = statSync(join(ours.cache, index[0] ?? '')).mtimeMs
    expect(await ours.bundle()).toBe(first)
    expect(statSync(join(ours.cache, index[0] ?? '')).mtimeMs).toBe(written)
  })

  test('sources that do not parse, or a place that cannot be written, give none', async () => {
    const broken = project({ 'app/main.ts': 'const = 1' })
    await expect(broken.bundle()).rejects.toThrow()
    const full = project({ ...GREETING, 'node_modules/.cache': 'a file' })
    await expect(full.bundle()).rejects.toThrow()
  })
})

describe('a started program', () => {
  const FAILING = {
    'app/main.ts': `import { fail } from '#app/fail.ts'

console.log(process.argv.slice(1).join(' '))
fail()
`,
    'app/fail.ts': `interface Why { readonly text: string }

export function fail(why: Why = { text: 'on purpose' }): never {
  throw new TypeError(why.text)
}
`,
  }

  test.each([
    ['its bundle', {}],
    ['its sources, where no bundle can be kept', { 'node_modules/.cache': 'a file' }],
  ])('runs from %s, knows its arguments, and its errors name places in the sources', async (_, files) => {
    const { root, cache } = project({ ...FAILING, ...files })
    cpSync(PROGRAM_FOLDER, join(root, 'platform', 'program'), { recursive: true })
    const words = [join(root, 'platform', 'program', 'run.mjs'), 'app/main.ts', 'one', 'two']
    const failure = await run(process.execPath, words).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      code: 1,
      stdout: `${join(root, 'app', 'main.ts')} one two\n`,
      stderr: expect.stringMatching(
        /TypeError: on purpose\n {4}at fail \(.*app\/fail\.ts:4:9\)\n {4}at .*app\/main\.ts:4:1/,
      ),
    })
    expect(existsSync(cache) && readdirSync(cache).some((name) => /^app-main-ts.*\.json$/.test(name))).toBe(
      !('node_modules/.cache' in files),
    )
  })
})
