import { foreignJsonIn } from '#core/json/parse-json.ts'

type Data = Record<string, unknown>

interface Found {
  id: string
  tool: string
  data: Data
}

interface Turn {
  calls?: { name: string; arguments: object }[]
  say?: string
}

const RUN_ID = /\brun_[0-9a-z]{26}\b/
const TEMPLATE = /^[a-z0-9-]+\/[a-z0-9-]+$/
const WAITING = /\b(gates?|waits?|waiting|pending)\b/i
const MAX_RUNS = 5

/** Plays the model of `POST /ask`: it looks up what the question is about with the tools of Ask, and cites what they answered. */
export function lookUpRuns(question: string, results: readonly string[]): Turn {
  const found = results.flatMap(blocksOf)
  if (results.length === 0) return { calls: firstCalls(question) }
  const newest = listOf(found.find(({ tool }) => tool === 'list_runs')?.data['runs'])[0]
  if (newest !== undefined && results.length === 1) return { calls: callsAbout(textOf(newest['run_id'])) }
  const sentences = found.flatMap((each) => sentencesOn(each).map((sentence) => `- ${sentence}.[^${each.id}]`))
  return { say: sentences.join('\n') || 'The tools found nothing.' }
}

function firstCalls(question: string): NonNullable<Turn['calls']> {
  const [run] = RUN_ID.exec(question) ?? []
  if (run !== undefined) return callsAbout(run)
  if (WAITING.test(question)) return [{ name: 'list_gates', arguments: { limit: MAX_RUNS } }]
  const template = question.split(/[\s?!.,;:]/).find((word) => TEMPLATE.test(word))
  const status = /\bfail/i.test(question) ? 'failed' : undefined
  const filter = { ...(template !== undefined && { template }), ...(status !== undefined && { status }) }
  return [{ name: 'list_runs', arguments: { ...filter, limit: MAX_RUNS } }]
}

function callsAbout(run_id: string): NonNullable<Turn['calls']> {
  return ['get_run', 'list_run_steps'].map((name) => ({ name, arguments: { run_id } }))
}

/** The results of a message of tools, as `dataMessage` of `services/ask` writes them. */
function blocksOf(text: string): Found[] {
  return Array.from(text.matchAll(/^<data id="(t\d+)" tool="(\w+)">\n(.*)\n<\/data>$/gm)).flatMap(
    ([, id = '', tool = '', json = '']) => {
      const data = foreignJsonIn(json)
      // a result that was cut is no JSON
      return isData(data) ? [{ id, tool, data }] : []
    },
  )
}

function sentencesOn({ tool, data }: Found): string[] {
  const run = textOf(data['run_id'])
  switch (tool) {
    case 'list_runs': {
      const [newest] = listOf(data['runs'])
      if (newest === undefined) return ['No run is like that']
      return [`${textOf(data['total'])} on record like that, and the newest is ${textOf(newest['run_id'])}`]
    }
    case 'get_run': {
      const failure = textOf(data['failure'])
      const started = `${run} of ${textOf(data['template'])} in ${textOf(data['environment'])} was started by ${textOf(data['trigger'])}`
      return [`${started} and is ${textOf(data['status'])}`, ...(failure === '' ? [] : [`Its failure: ${failure}`])]
    }
    case 'list_run_steps': {
      const steps = listOf(data['steps']).map(({ step, state }) => `${textOf(step)} ${textOf(state)}`)
      return steps.length === 0 ? [] : [`Its steps: ${steps.join(', ')}`]
    }
    case 'list_gates': {
      const gates = listOf(data['gates'])
      if (gates.length === 0) return ['Nothing waits for an answer']
      return gates.map(
        (gate) => `${textOf(gate['run_id'])} of ${textOf(gate['template'])} waits at ${textOf(gate['step'])}`,
      )
    }
    default:
      return []
  }
}

function listOf(value: unknown): Data[] {
  return Array.isArray(value) ? value.filter(isData) : []
}

function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** One sentence at most: each is cited on its own. */
function textOf(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return ''
  return String(value)
    .trimEnd()
    .replace(/[.!?…]$/, '')
    .replaceAll(/[.!?…](?=\s)/g, ';')
}
