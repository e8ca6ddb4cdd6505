import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { q1 } from './q1.ts'
import { q2 } from './q2.ts'
import { q3 } from './q3.ts'
import { q6 } from './q6.ts'
import { q7 } from './q7.ts'
import { q8 } from './q8.ts'
import { q9 } from './q9.ts'
import { q11 } from './q11.ts'
import { q12 } from './q12.ts'
import { q13 } from './q13.ts'
import { q14 } from './q14.ts'
import { q15 } from './q15.ts'
import type { Given, StartStack } from './scenario.ts'
import type { BenchStack } from './stack.ts'

const SCENARIOS = [q1, q2, q3, q6, q7, q8, q9, q11, q12, q13, q14, q15]

const args = process.argv.slice(2)
const wanted = args.filter((arg) => !arg.startsWith('--'))
const known = SCENARIOS.map(({ id }) => id)
for (const id of wanted)
  if (!known.includes(id)) throw new Error(`there is no benchmark ${id}; known: ${known.join(', ')}`)
const given: Given = {
  quick: args.includes('--quick'),
  has: (name) => args.includes(`--${name}`),
  number(name, otherwise) {
    const found = args.find((arg) => arg.startsWith(`--${name}=`))
    return found === undefined ? otherwise : Number(found.slice(name.length + 3))
  },
}

const machine = {
  cores: cpus().length,
  model: cpus()[0]?.model,
  node: process.version,
  commit: commit(),
  load_at_start: loadavg()[0],
}
const results: Record<string, unknown> = { machine, noisy: (machine.load_at_start ?? 0) > 0.5, quick: given.quick }
let running: { by: StartStack; stack: BenchStack } | undefined
try {
  for (const scenario of SCENARIOS.filter(({ id }) => wanted.length === 0 || wanted.includes(id)))
    results[scenario.id] = await scenario.measure(given, await stackOf(scenario.stack))
} finally {
  await stackOf(undefined)
}
const dir = fileURLToPath(new URL('./results/', import.meta.url))
mkdirSync(dir, { recursive: true })
const file = `${dir}${new Date().toISOString().replaceAll(':', '-')}.json`
writeFileSync(file, JSON.stringify(results, null, 2))
console.log(`\n${JSON.stringify(machine)}\n${file}`)
process.exit(0)

/** Returns the servers that are started so: the running ones, or new ones once the others have stopped. */
async function stackOf(by: StartStack | undefined): Promise<BenchStack | undefined> {
  if (running !== undefined && running.by !== by) {
    const { stack } = running
    running = undefined
    await stack.stop()
  }
  if (by !== undefined) running ??= { by, stack: await by() }
  return running?.stack
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}
