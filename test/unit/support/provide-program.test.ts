import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { neededBy } from '#test/support/programs/needed-by.ts'
import { unpackChromium } from '#test/support/programs/npm-chromium.ts'
import { type ProgramName, SOURCES } from '#test/support/programs/program.ts'
import { provideProgram } from '#test/support/programs/provide-program.ts'

let dir: string
let progress: string[]
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-programs-'))
  progress = []
  vi.stubEnv('PATH', `${join(dir, 'bin')}:/nowhere`)
  for (const { variable } of Object.values(SOURCES)) vi.stubEnv(variable, '')
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(dir, { recursive: true })
})

/** Puts a program of a few lines of shell somewhere below the directory of the test. */
function place(path: string, shell = 'echo 1.0'): string {
  const file = join(dir, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, `#!/bin/sh\nPATH=/usr/bin:/bin\n${shell}\n`)
  chmodSync(file, 0o755)
  return file
}

const provide = (name: ProgramName, cache = 'cache') =>
  provideProgram(name, { cacheDir: join(dir, cache), onProgress: (line) => progress.push(line) })

/** A Go that builds a program which runs, no matter what it is asked for. */
const GO =
  'case $1 in install) name=$(basename $4); printf "#!/bin/sh\\n" > $name; chmod 755 $name;; mod) touch go.mod go.sum;; esac'
const cacheName = () => readdirSync(join(dir, 'cache')).find((name) => name.includes('-go-')) ?? ''
/** An apt-get that has no network. */
const OFFLINE = '[ "$1" = --version ] && exit 0\necho "E: no network" >&2\nexit 100'

describe('a program of others', () => {
  test('that its variable names is taken before one on the PATH', async () => {
    place('bin/prometheus')
    const mine = place('mine/prometheus')
    vi.stubEnv('SVC_TEST_PROMETHEUS', mine)
    expect(await provide('prometheus')).toEqual({ command: mine, env: {} })
  })

  test('that its variable names and that does not run is missing, no matter what the PATH has', async () => {
    place('bin/prometheus')
    vi.stubEnv('SVC_TEST_PROMETHEUS', place('mine/prometheus', 'exit 1'))
    expect(await provide('prometheus')).toEqual({
      why: expect.stringMatching(/^SVC_TEST_PROMETHEUS=.* does not run$/),
      cure: 'unset SVC_TEST_PROMETHEUS',
    })
  })

  test('is found on the PATH by any of its names, and a stub that does not run is passed over', async () => {
    place('bin/chromium', 'exit 1')
    const browser = place('bin/chromium-browser')
    expect(await provide('chromium')).toEqual({ command: browser, env: {} })
    expect(progress).toEqual([])
  })

  test('of a relative entry of the PATH is named by its whole path, as it is started from elsewhere', async () => {
    const browser = place('bin/chromium')
    vi.stubEnv('PATH', relative(process.cwd(), join(dir, 'bin')))
    expect(await provide('chromium')).toEqual({ command: browser, env: {} })
  })

  test('that answers and leaves a child behind is not waited for', async () => {
    const browser = place('bin/chromium', `sleep 60 & echo $! > '${join(dir, 'pid')}'`)
    expect(await provide('chromium')).toEqual({ command: browser, env: {} })
    process.kill(Number(readFileSync(join(dir, 'pid'), 'utf8')))
  })

  test('that was brought before is taken from the cache', async () => {
    place('bin/apt-get', OFFLINE)
    const cached = place('cache/prometheus-debian/usr/bin/prometheus')
    mkdirSync(join(dir, 'cache/prometheus-debian/usr/lib/x86_64-linux-gnu'), { recursive: true })
    expect(await provide('prometheus')).toEqual({
      command: cached,
      args: [`--web.local-assets=${join(dir, 'cache/prometheus-debian/usr/share/prometheus/web')}/`],
      env: { LD_LIBRARY_PATH: join(dir, 'cache/prometheus-debian/usr/lib/x86_64-linux-gnu') },
    })
    expect(progress).toEqual([])
  })

  test('that was brought before and does not run any more is brought again', async () => {
    place('bin/go', GO)
    const built = await provide('alertmanager')
    place(`cache/${cacheName()}/alertmanager`, 'exit 1')
    expect(await provide('alertmanager')).toEqual(built)
    expect(progress).toHaveLength(2)
  })

  test('that is brought and does not run is missing, and nothing of it is kept', async () => {
    place('bin/go', GO.replace('#!/bin/sh', '#!/bin/false'))
    expect(await provide('alertmanager')).toMatchObject({ why: 'what was brought does not run here' })
    expect(readdirSync(join(dir, 'cache'))).toEqual([])
  })

  test.each([
    [
      'npm',
      'npm warn old\nnpm error code ECONNREFUSED\nnpm error A complete log is elsewhere',
      'npm error code ECONNREFUSED',
    ],
    ['apt', 'W: slow\nE: Failed to fetch the index\nE: Some index files failed', 'E: Failed to fetch the index'],
    ['Go', 'go: downloading a\ngo: no such host', 'go: no such host'],
  ])('that cannot be brought names in one line what went wrong, as %s says it', async (_name, cause, why) => {
    place('bin/go', `[ "$1" = version ] && exit 0\ncat >&2 <<'END'\n${cause}\nEND\nexit 1`)
    expect(await provide('alertmanager')).toMatchObject({ why })
  })

  test('that was brought before needs neither what brought it nor a cache that can be locked', async () => {
    const unlockable = 'c'.repeat(253)
    const cached = place(`${unlockable}/alertmanager-go-v0.28.1/alertmanager`)
    expect(await provide('alertmanager', unlockable)).toEqual({ command: cached, env: {} })
  })

  test('that a cache which cannot be locked has no room for is missing at once, with the reason', async () => {
    place('bin/go', GO)
    expect(await provide('alertmanager', 'c'.repeat(253))).toMatchObject({
      why: expect.stringMatching(/^ENAMETOOLONG/),
    })
  })

  test('that does not run from the cache is brought again, and what a killed fetch left is removed', async () => {
    place('bin/go', GO)
    mkdirSync(join(dir, 'cache/prometheus-go-v0.309.1'), { recursive: true })
    mkdirSync(join(dir, 'cache/.fetch-killed'))
    expect(await provide('prometheus')).toMatchObject({ command: expect.stringContaining('/prometheus-go-') })
    expect(readdirSync(join(dir, 'cache'))).toEqual(['prometheus-go-v0.309.1'])
  })

  test('says in one line why it cannot be brought', async () => {
    expect(await provide('chromium')).toMatchObject({ why: expect.stringMatching(/^.+$/) })
  })

  test('that npm cannot fetch is missing for the reason that npm gives', async () => {
    place(
      'bin/npm',
      `echo '{ "error": {\n  "summary": "request failed, reason: connect"\n} }'\necho 'npm error see the log' >&2; exit 1`,
    )
    const into = join(dir, 'into')
    mkdirSync(into)
    await expect(unpackChromium(into)).rejects.toThrow(/^npm: request failed, reason: connect$/)
  })

  test('that cannot be brought leaves the reason, the command that brings it, and nothing half done', async () => {
    place('bin/apt-get', OFFLINE)
    expect(await provide('prometheus')).toEqual({
      why: 'E: no network',
      cure: expect.stringMatching(
        /^(sudo )?apt-get update && \1?apt-get install -y --no-install-recommends prometheus$/,
      ),
    })
    expect(progress).toEqual([
      "Prometheus is not on this machine: unpacking this system's package into the cache, once",
    ])
    expect(readdirSync(join(dir, 'cache'))).toEqual([])
  })

  test('comes by the next way when the first fails, and then from there without a second try', async () => {
    place('bin/apt-get', OFFLINE)
    place('bin/go', GO)
    const built = await provide('prometheus')
    expect(built).toMatchObject({ command: expect.stringMatching(/cache\/prometheus-go-v[\d.]+\/prometheus$/) })
    expect(progress).toHaveLength(2)
    expect(await provide('prometheus')).toEqual(built)
    expect(progress).toHaveLength(2)
  })

  test('that nothing here brings says how it is had', async () => {
    expect(await provide('alertmanager')).toEqual({
      why: 'it is not on the PATH, and nothing on this machine brings it',
      cure: expect.stringMatching(/SVC_TEST_ALERTMANAGER|brew install alertmanager/),
    })
  })

  test('is brought once by those who ask at the same time', async () => {
    place('bin/apt-get', OFFLINE)
    place('bin/go', GO)
    const [first, second] = await Promise.all([provide('prometheus'), provide('prometheus')])
    expect(second).toEqual(first)
    expect(progress.filter((line) => line.includes('with Go'))).toHaveLength(1)
  })
})

test('which programs files need stands in their text', () => {
  const files = ["test('a', needs('chromium'), f)", "const x = needs(\n  'prometheus',\n  'python3',\n)", 'nothing']
  expect(neededBy(files)).toEqual(new Set(['chromium', 'prometheus', 'python3']))
})
