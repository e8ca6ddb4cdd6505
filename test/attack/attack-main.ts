// An adversary who reaches the engine's port, for as long as you like: npm run attack -- --seed N --minutes M
import { parseArgs } from 'node:util'
import { startTestStack } from '#test/support/embedded.ts'
import { runAttack } from './attack.ts'
import { runFuzz, startFuzzWorld } from './fuzz.ts'
import { journal, reportText } from './report.ts'
import { startWorld } from './world.ts'

const USAGE = `npm run attack -- [--seed N] [--minutes M] [--actions N] [--runs N] [--only 17,24] [--fuzz] [--verbose]

  --seed     where the choices begin; with --minutes, the seeds that follow are tried too (default: from the clock)
  --minutes  how long to go on with further seeds (default: one seed)
  --actions  actions a seed (default 1000)
  --runs     gated runs a seed (default 50)
  --verbose  every action, with what was answered
  --fuzz     instead: random documents, expressions and deliveries of one workspace, while another one reads
  --only     the numbers of the actions to carry out, to repeat a finding with less around it
`

const SHOWN = 40

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    minutes: { type: 'string' },
    actions: { type: 'string' },
    runs: { type: 'string' },
    only: { type: 'string' },
    verbose: { type: 'boolean' },
    fuzz: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
if (values.help) {
  process.stdout.write(USAGE)
  process.exit(0)
}
const first = whole('seed', Date.now() % 1_000_000)
const until = Date.now() + Number(values.minutes ?? 0) * 60_000
const all = Array.from({ length: whole('actions', 1_000) }, (_, index) => index)
const actions = values.only === undefined ? all : values.only.split(',').map(Number)

const stack = await startTestStack()
const attack = await (values.fuzz ? fuzz() : engine())
let seed = first
let broken = 0
let stopping: Promise<void> | undefined
const stop = () => {
  stopping ??= attack.stop().then(stack.stop)
  return stopping
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop().then(() => process.exit(130)))
try {
  do {
    process.stdout.write(`seed ${seed}: ${actions.length} actions, which takes a minute or two …\n`)
    const { text, breaches } = await attack.run(seed)
    process.stdout.write(`${text}\n`)
    for (const breach of breaches.slice(0, SHOWN)) process.stdout.write(`  ${breach}\n`)
    if (breaches.length > 0) {
      broken += 1
      process.stdout.write(`  ${breaches.length} breaches; again: npm run attack -- --seed ${seed} ${how()}\n`)
    }
    seed += 1
  } while (Date.now() < until)
} finally {
  await stop()
}
process.stdout.write(
  broken === 0
    ? `${seed - first} seeds, every invariant held\n`
    : `${broken} of ${seed - first} seeds found a breach\n`,
)
process.exit(broken === 0 ? 0 : 1)

async function engine() {
  const world = await startWorld(stack)
  return {
    async run(seed: number) {
      const report = await runAttack(world, { seed, actions, runs: whole('runs', 50) })
      const text = [reportText(report), ...(values.verbose ? [journal(report)] : [])].join('\n')
      return { text, breaches: report.breaches.map(({ message }) => message) }
    },
    stop: () => world.stop(),
  }
}

async function fuzz() {
  const world = await startFuzzWorld(stack)
  return {
    async run(seed: number) {
      const { statuses, longest_read_ms, breaches } = await runFuzz(world, { seed, actions: actions.length })
      const counts = Object.entries(statuses).sort(([one], [other]) => one.localeCompare(other))
      const text = [`  longest read ${longest_read_ms} ms`, ...counts.map(([what, count]) => `  ${what}: ${count}`)]
      return { text: text.join('\n'), breaches }
    },
    stop: () => world.service.stop(),
  }
}

function how(): string {
  if (values.fuzz) return `--fuzz --actions ${all.length}`
  const runs = values.runs === undefined ? '' : ` --runs ${values.runs}`
  return `${values.only === undefined ? `--actions ${all.length}` : `--only ${values.only}`}${runs}`
}

function whole(name: 'seed' | 'actions' | 'runs', otherwise: number): number {
  const value = values[name] === undefined ? otherwise : Number(values[name])
  if (Number.isInteger(value) && value >= 0) return value
  process.stderr.write(`--${name} takes a whole number\n${USAGE}`)
  process.exit(64)
}
