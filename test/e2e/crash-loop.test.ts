import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type SupervisedChild, superviseChild } from '#platform/embedded/supervised-child.ts'
import { testLog } from '#test/support/embedded.ts'
import { PATIENCE } from '#test/support/patience.ts'

let home: string
let lines: string[]
let child: SupervisedChild | undefined

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-loop-'))
  lines = []
})
afterEach(async () => {
  await child?.stop(1_000)
  await rm(home, { recursive: true, force: true })
})

/** A child that is ready, and then does as `rest` says. Its starts are counted in a file. */
async function supervise(rest: string): Promise<() => Promise<number>> {
  const [script, starts] = [join(home, 'child.mjs'), join(home, 'starts')]
  await writeFile(starts, '')
  await writeFile(
    script,
    `import { appendFileSync, readFileSync } from 'node:fs'
appendFileSync(${JSON.stringify(starts)}, '.')
const starts = readFileSync(${JSON.stringify(starts)}, 'utf8').length
process.send({ type: 'ready' }, () => { ${rest} })
setInterval(() => {}, 1_000)`,
  )
  child = superviseChild(
    { name: 'worker', command: process.execPath, args: [script] },
    {
      env: Promise.resolve({}),
      logFile: join(home, 'worker.log'),
      log: testLog,
      report: (line) => lines.push(line),
      isAudible: () => true,
    },
  )
  await child.ready
  return async () => (await readFile(starts, 'utf8')).length
}

const loops = () => lines.filter((line) => line.includes('crash loop'))

test('a child that ends again and again is said to be in a crash loop, with its end, its log and a longer wait', async () => {
  const starts = await supervise('process.exit(7)')
  await expect.poll(() => loops().length, PATIENCE).toBe(1)
  expect(loops()[0]).toMatch(
    /^worker is in a crash loop: it ended 5 times within a minute, last with code 7\. See .*worker\.log/,
  )
  expect(lines.at(-1)).toBe('starting it again in 15 s')
  expect(await starts()).toBe(5)
})

test('one that ends now and then is started again at once, and nothing is said of a loop', async () => {
  const starts = await supervise('if (starts < 4) process.exit(7)')
  await expect.poll(starts, PATIENCE).toBe(4)
  expect(lines.filter((line) => line.includes('ended with code 7; starting it again'))).toHaveLength(3)
  expect(loops()).toEqual([])
})
