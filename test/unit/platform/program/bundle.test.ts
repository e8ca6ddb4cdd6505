import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

  test('three are kept', async () => {
    const { write, bundle, cache } = project(GREETING)
    for (let n = 0; n < 4; n += 1) {
      write('app/greet.ts', `export const greet = () => ${n}\n`)
      expect(await output(await bundle())).toBe(String(n))
    }
    expect(readdirSync(cache).filter((name) => !name.endsWith('.json'))).toHaveLength(3)
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
    expect(existsSync(join(cache, 'app-main-ts.json'))).toBe(!('node_modules/.cache' in files))
  })
})
