import type { Argument, Command, Option } from 'commander'
import { PIPELINE_STATUSES } from '#core/pipeline/transitions.ts'
import { RUN_STATUSES } from '#core/run/status.ts'

/** A possible next word, with its description. */
export interface Candidate {
  word: string
  about?: string
}

/** The names that only the service knows. */
export interface Names {
  runs(): Promise<Candidate[]>
  templates(): Promise<Candidate[]>
  packs(): Promise<Candidate[]>
  environments(): Promise<Candidate[]>
  profiles(): Promise<Candidate[]>
  models(): Promise<Candidate[]>
  corpora(): Promise<Candidate[]>
  workspaces(): Promise<Candidate[]>
  users(): Promise<Candidate[]>
  keys(): Promise<Candidate[]>
  connections(): Promise<Candidate[]>
  schedules(): Promise<Candidate[]>
  inputs(template: string): Promise<Candidate[]>
  presets(template: string): Promise<Candidate[]>
  pipelines(): Promise<Candidate[]>
  bundles(): Promise<Candidate[]>
  /** pipelines of a bundle, inputs of a pipeline, steps of a started one */
  pipelinesOf(bundle: string): Promise<Candidate[]>
  pipelineInputs(bundle: string, pipeline: string | undefined): Promise<Candidate[]>
  steps(pipelineId: string): Promise<Candidate[]>
}

type Kind = Exclude<keyof Names, 'inputs' | 'presets' | 'pipelinesOf' | 'pipelineInputs' | 'steps'>

const KIND_OF_ARGUMENT: Record<string, Kind> = {
  run: 'runs',
  run_id: 'runs',
  subject: 'runs',
  'pack/template': 'templates',
  pipeline_id: 'pipelines',
  bundle: 'bundles',
  corpus: 'corpora',
  model: 'models',
  workspace: 'workspaces',
  user: 'users',
  key: 'keys',
  connection: 'connections',
  environment: 'environments',
  schedule: 'schedules',
}
const KIND_OF_OPTION: Record<string, Kind> = {
  '--environment': 'environments',
  '--test': 'environments',
  '--profile': 'profiles',
  '--model': 'models',
  '--workspace': 'workspaces',
  '--add-workspace': 'workspaces',
  '--remove-workspace': 'workspaces',
  '--home': 'workspaces',
  '--template': 'templates',
  '--pack': 'packs',
  '--pipeline': 'pipelines',
  '--run': 'runs',
  '--actor': 'users',
}

/** Returns the possible words at the cursor; the last of `typed` is the current word. The tree of commands is the data. */
export async function candidates(program: Command, typed: readonly string[], names: Names): Promise<Candidate[]> {
  const words = joinSplitWords(typed)
  const current = words.at(-1) ?? ''
  const { command, option, positionals } = placeAt(program, words.slice(0, -1))
  const found = await (option === undefined
    ? current.startsWith('-')
      ? optionsOf(command)
      : wordsOf(command, positionals, names)
    : valuesOf({ command, option }, positionals, names))
  return found.filter(({ word }) => word.startsWith(current))
}

interface Place {
  command: Command
  /** the option whose value is the current word */
  option: Option | undefined
  positionals: string[]
}

function placeAt(program: Command, words: readonly string[]): Place {
  let place: Place = { command: program, option: undefined, positionals: [] }
  for (const word of words) {
    const { command, option, positionals } = place
    const below = positionals.length === 0 ? visibleOf(command).find((each) => named(each, word)) : undefined
    if (option !== undefined) place = { ...place, option: undefined }
    else if (word.startsWith('-'))
      place = {
        ...place,
        option: command.options.find((each) => [each.short, each.long].includes(word) && takes(each)),
      }
    else if (below !== undefined) place = { command: below, option: undefined, positionals: [] }
    else place = { ...place, positionals: [...positionals, word] }
  }
  return place
}

function optionsOf(command: Command): Candidate[] {
  const own = command.options.filter(({ hidden, long }) => !hidden && long !== undefined)
  return [
    ...own.map(({ long, description }) => ({ word: long ?? '', about: description })),
    { word: '--help', about: 'display help for command' },
  ]
}

async function wordsOf(command: Command, positionals: string[], names: Names): Promise<Candidate[]> {
  const below = positionals.length === 0 ? visibleOf(command) : []
  const commands = below.map((each) => ({ word: each.name(), about: each.description() }))
  const argument: Argument | undefined =
    command.registeredArguments[positionals.length] ?? command.registeredArguments.findLast(({ variadic }) => variadic)
  if (argument === undefined) return commands
  if (argument.argChoices !== undefined) return [...commands, ...argument.argChoices.map((word) => ({ word }))]
  const [first] = positionals
  if (isOfPipeline(command) && first !== undefined && argument.name() === 'pipeline')
    return await names.pipelinesOf(first)
  if (isOfPipeline(command) && first !== undefined && argument.name() === 'step') return await names.steps(first)
  const kind = KIND_OF_ARGUMENT[argument.name()]
  return [...commands, ...(kind === undefined ? [] : await names[kind]())]
}

async function valuesOf(
  { command, option }: { command: Command; option: Option },
  [first, second]: string[],
  names: Names,
): Promise<Candidate[]> {
  if (option.argChoices !== undefined) return option.argChoices.map((word) => ({ word }))
  if (option.long === '--status')
    return (isOfPipeline(command) ? PIPELINE_STATUSES : RUN_STATUSES).map((word) => ({ word }))
  if (option.long === '--input') {
    if (first === undefined) return []
    return await (isOfPipeline(command) ? names.pipelineInputs(first, second) : names.inputs(first))
  }
  if (option.long === '--config-preset') return first === undefined ? [] : await names.presets(first)
  const kind = KIND_OF_OPTION[option.long ?? '']
  return kind === undefined ? [] : await names[kind]()
}

function isOfPipeline({ parent }: Command): boolean {
  return parent?.name() === 'pipeline'
}

/** A shell may take `=` and `:` for words of their own. */
function joinSplitWords(typed: readonly string[]): string[] {
  const words: string[] = []
  for (const [index, word] of typed.entries()) {
    const before = typed[index - 1]
    const joins = index > 0 && (isBreak(word) || (before !== undefined && isBreak(before)))
    if (joins) words.push(`${words.pop() ?? ''}${word}`)
    else words.push(word)
  }
  return words
}

function isBreak(word: string): boolean {
  return word === '=' || word === ':'
}

function visibleOf(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command)
}

function named(command: Command, word: string): boolean {
  return command.name() === word || command.aliases().includes(word)
}

function takes({ required, optional }: Option): boolean {
  return required || optional
}
